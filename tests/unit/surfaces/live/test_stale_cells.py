"""Which cells ran with what a waiting fix makes otherwise."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Insert, Patch, Replace
from jupyter_selfheal.surfaces.live.stale_cells import list_read_names

BEFORE = "import math\ntotal = sum(prises)\nprint(total)"
PATCH = Patch((Replace("c", BEFORE, BEFORE.replace("prises", "prices")), Insert("new", "rate = 2", "c")), "")


@pytest.mark.parametrize(
    ("ran", "source", "names"),
    [
        ("d", "share = total / 2", ("total",)),
        ("d", "def show():\n    return total * rate", ("rate", "total")),
        ("d", "total = 0", ()),  # its own
        ("d", "share = prices[0]", ()),  # what the fix only reads
        ("d", "math.pi", ()),  # a module is the same module
        ("c", "print(total)", ()),  # the cell that is fixed
        ("d", "this is no Python", ()),
    ],
)
def test_a_cell_that_ran_is_named_where_it_read_what_the_fix_makes(
    ran: str, source: str, names: tuple[str, ...]
) -> None:
    assert list_read_names(PATCH, "c", BEFORE, ran, source) == names


def test_a_fix_above_makes_what_its_own_cell_makes() -> None:
    patch = Patch((Replace("f", "def f():\n    return 1", "def f():\n    return 2"),), "")
    assert list_read_names(patch, "c", "y = f()", "d", "print(y, f)") == ("f", "y")
