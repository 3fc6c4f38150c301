"""What an unhealed cell would have brought without saying which: names of a whole module, magics of an extension."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Failure, FailureKind
from jupyter_selfheal.surfaces.notebook.cascades import find_unknown_root
from jupyter_selfheal.surfaces.notebook.lost_state import find_lost_state

RAISED = FailureKind.RAISED


def find_root(unhealed: str, statement: int, ename: str, evalue: str) -> int:
    failed = Failure("c3", unhealed, RAISED, ename="ModuleNotFoundError", statement=statement)
    lost = find_lost_state(3, Cell("c3", unhealed), failed)
    return find_unknown_root(Failure("c5", "plot = Plot(table)", RAISED, ename=ename, evalue=evalue), [lost])


@pytest.mark.parametrize(
    ("unhealed", "statement", "root"),
    [
        ("from gone.plots import *\nimport os", 0, 3),
        ("import gone\nfrom plots import *", 0, 3),
        ("from plots import *\nimport gone", 1, 0),  # that one was there
        ("from gone.plots import Grid", 0, 0),
        ("import gone.plots", 0, 0),
    ],
)
def test_a_name_that_nothing_binds_follows_from_a_module_whose_names_were_all_wanted(
    unhealed: str, statement: int, root: int
) -> None:
    assert find_root(unhealed, statement, "NameError", "name 'Plot' is not defined") == root


@pytest.mark.parametrize(
    ("unhealed", "root"), [("%load_ext watermark", 3), ("# %load_ext watermark\nimport gone", 0), ("import gone", 0)]
)
def test_a_magic_that_is_not_there_follows_from_an_extension_that_was_not_loaded(unhealed: str, root: int) -> None:
    assert find_root(unhealed, 0, "UsageError", "Line magic function `%watermark` not found.") == root


def test_another_failure_does_not() -> None:
    assert find_root("from gone import *\n%load_ext gone", 0, "KeyError", "'Plot'") == 0
    assert find_root("from gone import *", 0, "UsageError", "unrecognized arguments: -x") == 0
