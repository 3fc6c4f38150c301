"""Which cells bind a name, and which must run for it: shared by the rules about notebook state."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.model import Cell


def missing_name(scene: Scene) -> str:
    """The name of a NameError, from its message; empty where there is none."""
    parts = scene.failure.evalue.split("'")
    return parts[1] if len(parts) > 2 and parts[1].isidentifier() else ""


def binders(scene: Scene, name: str, cells: Iterable[Cell]) -> list[Cell]:
    """The code cells that bind a name at their top level, in order; the failing cell is left out."""
    return [
        c for c in cells if c.kind == "code" and c.id != scene.failure.cell_id and name in src.names(c.source).binds
    ]


def is_bound_anywhere(scene: Scene, name: str) -> bool:
    """True where any cell of the notebook binds the name: its absence is then a matter of state, not of spelling."""
    return any(name in src.names(scene.source_of(c.id)).binds for c in scene.notebook.cells if c.kind == "code")


def assignment_of(source: str, name: str, before_line: int = 0) -> ast.Assign | None:
    """The last plain top-level assignment ``name = …`` of a cell (above a line, if one is given)."""
    found = None
    for statement in src.statements(source):
        node = statement.node
        if before_line and statement.first >= before_line:
            break
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found = node
    return found


def last_assignment(scene: Scene, name: str) -> tuple[str, str, ast.Assign] | None:
    """(cell id, source, node) of the assignment that gave a global its value: in the failing cell above the failing
    line, else in the nearest cell above that ran."""
    found = assignment_of(scene.source, name, scene.failure.line or 10**9)
    if found is not None:
        return scene.failure.cell_id, scene.source, found
    for cell in reversed(scene.notebook.code_before(scene.failure.cell_id)):
        if name in src.names(cell.source).binds:
            found = assignment_of(cell.source, name)
            return (cell.id, cell.source, found) if found is not None else None
    return None


def rerun_before(scene: Scene, cell_id: str) -> tuple[str, ...]:
    """Ids of the cells that must run again, in order, so that a cell above the failing one finds the state it had."""
    above = scene.notebook.code_before(cell_id)
    wanted = src.names(scene.source_of(cell_id)).uses
    return tuple(above[n].id for n in src.backward_slice([c.source for c in above], wanted))
