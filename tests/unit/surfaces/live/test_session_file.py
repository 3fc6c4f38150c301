"""What a command says of the session's cells, in the session's words."""

from __future__ import annotations

from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.live.session_file import name_cells


def test_cells_are_named_as_the_session_names_them() -> None:
    cells = (Cell("a", "x = 1", runs=4), Cell("b", "print(`x`)"))
    notebook = Notebook(cells, shows_runs=True)
    assert name_cells("Look at cell 1 and cell 2.", notebook, cells) == "Look at cell [4] and cell `print('x')`."
    assert name_cells("cell 1 fails (KeyError: 'cell 9')", notebook, cells) == "cell [4] fails (KeyError: 'cell 9')"
