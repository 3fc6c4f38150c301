"""A document with other cells: what the file holds of a cell goes with it, and there is something for each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.model import Cell
from jupyter_selfheal.surfaces.notebook.branch import replace_cells
from jupyter_selfheal.surfaces.notebook.read import build_document
from tests.batches import notebook


def test_every_cell_has_its_part_of_the_file() -> None:
    document = build_document(Path("n.ipynb"), notebook("a = 1", "b = 2"))
    first, second = document.notebook.cells
    changed = replace_cells(document, replace(document.notebook, cells=(second, Cell("new", "c = 3"), first)))
    assert [raw["source"] for raw in changed.raw["cells"]] == [["b = 2"], "c = 3", ["a = 1"]]
