"""What the tools ask of a notebook, whether it is a file that was run or a session that a user works in."""

from __future__ import annotations

from typing import Protocol

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Cell, Notebook, Oracle
from jupyter_selfheal.surfaces.mcp.situation import Situation
from jupyter_selfheal.surfaces.notebook.dependencies import Limits
from jupyter_selfheal.surfaces.notebook.read import Document


class AskedNotebook(Protocol):
    """A notebook whose cells can be looked at, each in the state before it."""

    @property
    def document(self) -> Document: ...

    @property
    def digest(self) -> str:
        """What tells one version of its file from another."""
        ...

    @property
    def limits(self) -> Limits: ...

    def find_cell(self, cell_id: str) -> Cell:
        """The code cell of that id. Raises :class:`UsageError`, naming the ids that there are."""
        ...

    def get_source(self, cell: Cell) -> str:
        """What stands in the cell."""
        ...

    def list_failing(self) -> tuple[str, ...]:
        """Ids of the cells that fail by themselves, in order."""
        ...

    def examine(self, cell_id: str, said: Oracle) -> Situation:
        """The cell as it is, with what was said of it besides what the notebook says. Raises :class:`UsageError`."""
        ...


def find_code_cell(notebook: Notebook, cell_id: str) -> Cell:
    """The code cell of that id. Raises :class:`UsageError`, naming the ids that there are."""
    cells = {c.id: c for c in notebook.cells}
    if cell_id not in cells:
        known = [c.id for c in cells.values() if c.kind == "code" and c.source.strip()]
        more = f" … ({len(known)} in all: check_notebook with show='all' lists them)" if len(known) > 12 else ""
        raise UsageError(f"there is no cell {cell_id[:80]!r}; the code cells are {', '.join(known[:12])}{more}")
    if cells[cell_id].kind != "code":
        raise UsageError(f"cell {cell_id} is a {cells[cell_id].kind} cell: only code cells can be run")
    return cells[cell_id]
