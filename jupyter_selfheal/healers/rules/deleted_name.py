"""STA106: a name was deleted above and is used again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Cell, Edit, Patch, RunCells


class DeletedName(Rule):
    """Keep a variable that is deleted above and used again.

    **Failure** `NameError`, where a top-level `del` in a cell above, or higher up in this one, was the last to touch the name.

    **Fix** The name goes from the `del`, and what bound it runs again.

    **Fix safety** Unsafe: the `del` may have been meant, and the use be left over from before. Silent where a cell below
    binds the name again, and where the `del` shares its line.
    """

    code = "STA106"
    name = "deleted name"
    stage = Stage.STATE
    enames = frozenset({"NameError"})
    applicability = Applicability.UNSAFE
    why = "The notebook deletes the name on purpose: either the `del` or this use of it is one too many."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if name is None:
            return
        matches = find_deletion(context, name)
        at = context.notebook.index(context.failure.cell_id)
        if matches is None or context.list_binding_cells(name, context.notebook.cells[at + 1 :]):
            return
        source = context.source_of(matches.cell_id)
        edits: tuple[Edit, ...] = context.replace(matches.cell_id, _remove_target(source, matches.node, name))
        if matches.binder not in ("", matches.cell_id):
            edits = (RunCells((*context.list_cells_to_rerun(matches.binder), matches.binder)), *edits)
        if any(not isinstance(e, RunCells) for e in edits):
            yield self.patch(
                edits,
                f"Keep `{name}`: remove the `del`",
                f"`{name}` was deleted in {context.notebook.name_cell(matches.cell_id)}, but this cell uses it.",
                removes=f"`del {name}` keeps the variable from its next use",
                prior=0.6,
            )


@dataclass(frozen=True, slots=True)
class Deleted:
    """Where a name was deleted, and the cell that had bound it (empty if that is not known)."""

    cell_id: str
    node: ast.Delete
    binder: str


def find_deletion(context: RuleContext, name: str) -> Deleted | None:
    """The ``del`` that touched a name last before the failure, or None."""
    matches, binder = None, ""
    own = Cell(context.failure.cell_id, context.failure.source)
    for cell in (*(c for c in context.notebook.list_code_before(own.id) if c.runs), own) if name else ():
        for statement in src.list_statements(cell.source):
            if cell is own and statement.index >= context.failure.statement:
                break
            node = statement.node
            if isinstance(node, ast.Delete) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                matches = Deleted(cell.id, node, binder)
            elif name in src.collect_names([node]).binds:
                matches, binder = None, cell.id
    return matches


def _remove_target(source: str, node: ast.Delete, name: str) -> list[Splice]:
    """Splices that take a name from a ``del``, with its line where it is the only one; none where the line is shared."""
    kept = [src.extract_text(source, t) for t in node.targets if not (isinstance(t, ast.Name) and t.id == name)]
    start, end = src.find_span(source, node)
    if kept:
        return [(start, end, f"del {', '.join(kept)}")]
    first, last = source.rfind("\n", 0, start) + 1, source.find("\n", end)
    rest = source[first:start] + source[end : last if last >= 0 else len(source)]
    if rest.partition("#")[0].strip():
        return []
    return [(first, last + 1, "")] if last >= 0 else [(max(first - 1, 0), len(source), "")]
