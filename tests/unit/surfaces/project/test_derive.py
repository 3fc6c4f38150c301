"""Which cells stand beside the files that became cells: as many as can be one notebook with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.project.derive import build_cell, build_derived, derive_notebook
from jupyter_selfheal.surfaces.project.inline import CannotInline
from jupyter_selfheal.surfaces.project.modules import Finder

HELPER = "import maths\ny = [1, 2]\n\n\ndef mean():\n    return sum(y) / len(y)\n"


def derive(folder: Path, *sources: str, failing: int) -> list[str]:
    """The sources of the notebook in which the file of a failing cell is healed."""
    (folder / "helper.py").write_text(HELPER)
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate(sources))
    document = build_derived(folder / "n.ipynb", [build_cell(c.id, c.source) for c in cells], "python3")
    derived = derive_notebook(
        document,
        Notebook(cells),
        f"c{failing}",
        {c.id for c in cells},
        {folder.resolve() / "helper.py"},
        Finder(folder.resolve(), (folder.resolve(),)),
    )
    return [c["source"] for c in derived.document.raw["cells"]]


USES = "from helper import mean\nmean()"


@pytest.mark.parametrize(
    ("sources", "failing", "kept"),
    [
        (["x = 1", USES, "z = x"], 1, ["x = 1", "pass\nmean()", "z = x"]),
        (["x = 1", USES, "y = x"], 1, ["x = 1", "pass\nmean()"]),  # a cell below has the name for something else
        (
            ["y = 3", "print(y)", "x = 1", f"{USES} + x"],
            3,
            ["x = 1", "pass\nmean() + x"],
        ),  # one above, which is not needed
    ],
)
def test_cells_that_have_a_name_of_the_file_for_something_else_are_left_to_the_proof(
    tmp_path: Path, sources: list[str], failing: int, kept: list[str]
) -> None:
    made = derive(tmp_path, *sources, failing=failing)
    assert HELPER in made
    assert [source for source in made if source != HELPER] == kept


@pytest.mark.parametrize("source", [f"y = 3\n{USES}", f"{USES} + y", "import helper\nprint(helper)"])
def test_what_the_failing_cell_itself_means_otherwise_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(CannotInline):
        derive(tmp_path, "y = 5", source, failing=1)
