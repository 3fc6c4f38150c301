"""What ran of a cell before its time was up is there below, and in the clean run."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.notebook.clean_cells import find_head, list_cells

SLOW = "import math\nxs = [1]\nfit(xs)\nlate = 1"


@pytest.mark.parametrize(
    ("source", "statement", "kind", "head"),
    [
        (SLOW, 2, FailureKind.TIMED_OUT, "import math\nxs = [1]"),
        (SLOW, 0, FailureKind.TIMED_OUT, ""),
        (SLOW, -1, FailureKind.TIMED_OUT, ""),
        (SLOW, 2, FailureKind.RAISED, ""),
        ("%%time\nimport math\nfit(xs)", 2, FailureKind.TIMED_OUT, ""),
    ],
    ids=["two statements", "none", "nobody knows", "raised", "a magic of the whole cell"],
)
def test_the_statements_above_the_one_that_was_stopped(
    source: str, statement: int, kind: FailureKind, head: str
) -> None:
    assert find_head(Cell("c", source), Failure("c", source, kind, statement=statement)) == head


def test_a_clean_run_has_what_ran_of_a_stopped_cell_and_leaves_the_rest_out() -> None:
    notebook = Notebook((Cell("a", SLOW), Cell("b", "while True: pass"), Cell("c", "xs"), Cell("d", "other\nfit(xs)")))
    heads = {"a": "import math\nxs = [1]", "d": "since\nchanged"}
    cells = list_cells(notebook, {"a", "b", "d"}, heads)
    assert [(c.id, c.source) for c in cells] == [("a", heads["a"]), ("c", "xs")]
