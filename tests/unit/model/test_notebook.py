"""A notebook after a patch: made in one way, which refuses what does not fit."""

from __future__ import annotations

import pytest

from jupyter_selfheal.errors import PatchError
from jupyter_selfheal.model import Cell, Edit, Insert, Install, Move, Notebook, Patch, Replace, RunCells

NOTEBOOK = Notebook((Cell("a", "x = 1"), Cell("b", "y = x"), Cell("c", "z = y")), path="n.ipynb")


def after(*edits: Edit) -> list[str]:
    return [c.source for c in NOTEBOOK.apply(Patch(edits, "edits")).cells]


def test_each_edit_is_made_on_what_those_before_it_left() -> None:
    assert after(Replace("a", "x = 1", "x = 2"), Replace("a", "x = 2", "x = 3")) == ["x = 3", "y = x", "z = y"]
    assert after(Insert("n", "import os", "b"), Move("n", "a")) == ["import os", "x = 1", "y = x", "z = y"]
    assert after(Move("c", "a"), Replace("c", "z = y", "z")) == ["z", "x = 1", "y = x"]


def test_running_and_installing_change_no_source() -> None:
    assert NOTEBOOK.apply(Patch((RunCells(("a",)), Install("pandas", "pandas")), "run")) == NOTEBOOK


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (Replace("a", "x = 0", "x"), "cell a no longer holds what the patch replaces"),
        (Replace("gone", "", "x"), "names a cell gone that the notebook does not have"),
        (Insert("n", "x", "gone"), "names a cell gone"),
        (Insert("a", "x", "b"), "adds a cell a, which the notebook has already"),
        (Move("gone", "a"), "names a cell gone"),
        (Move("a", "gone"), "names a cell gone"),
        (Move("a", "a"), "names a cell a"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused(edit: Edit, why: str) -> None:
    with pytest.raises(PatchError, match=why):
        after(edit)


def test_a_changed_cell_keeps_what_it_was_given() -> None:
    """A chain of fixes asks of what age a notebook is: the first fix may have replaced what said so."""
    notebook = Notebook((Cell("a", "old()"), Cell("b", "x")))
    twice = notebook.with_source("a", "new()").with_source("a", "newer()")
    assert [(c.source, c.given) for c in twice.cells] == [("newer()", "old()"), ("x", "")]
