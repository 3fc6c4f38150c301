"""STA103: a definition stands below its use in the same cell."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

DEFINITIONS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)


class UsedBeforeDefinition(Rule):
    """Move a definition above its first use in the same cell.

    **Failure** `NameError`, where a later top-level statement of the same cell binds the name, and no other cell does.

    **Fix** The defining statement moves above the statement that failed, with what it needs of the same cell.

    **Fix safety** Safe: nothing else binds the name. Unsafe for a value that lines below go on changing (`total = 0` above a loop): the use may belong behind them. Silent where an assignment reads something that the statements
    between bind or change.
    """

    code = "STA103"
    name = "definition below its use in the cell"
    stage = Stage.STATE
    enames = frozenset({"NameError"})
    applicability = Applicability.SAFE
    why = "A function, class or import means the same a few lines higher."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name, at = context.missing_name, context.failure.statement
        matches = src.list_statements(context.failure.source)
        if not name or not 0 <= at < len(matches) or context.list_binding_cells(name, context.notebook.cells):
            return
        later = next((s for s in matches[at + 1 :] if name in src.collect_names([s.node]).binds), None)
        if later is None or not isinstance(later.node, DEFINITIONS):
            return
        passed = src.collect_names([s.node for s in matches[at : later.index]])
        between = passed.binds | passed.changes
        is_value = isinstance(later.node, ast.Assign | ast.AnnAssign)
        if src.collect_names([later.node]).uses & between and is_value:
            return
        lines = context.failure.source.splitlines(keepends=True)
        if matches[later.index - 1].last >= later.first or matches[at].first == matches[at - 1].last * (at > 0):
            return  # statements that share a line
        top, gap = _find_what_belongs_to(lines, matches[later.index - 1].last, later.first)
        block = "".join(lines[top - 1 : later.last]).removesuffix("\n") + "\n" * (1 + top - gap)
        start, end = (
            src.find_offset(context.failure.source, gap, 0),
            src.find_offset(context.failure.source, later.last + 1, 0),
        )
        if end == len(context.failure.source) and not context.failure.source.endswith("\n"):
            start -= 1  # what is the last line now ends as the last line did
        goal = src.find_offset(context.failure.source, matches[at].first, 0)
        below = src.collect_names([s.node for s in matches[later.index + 1 :]])
        grows = is_value and name in below.binds | below.changes
        yield self.patch(
            context.replace(context.failure.cell_id, [(goal, goal, block), (start, end, "")]),
            f"Move the definition of `{name}` above its use",
            f"`{name}` is defined further down in this cell.",
            applicability=Applicability.UNSAFE if grows else Applicability.SAFE,
            why="Lines below change the value: the use may be meant to stand behind them."
            if grows
            else "Nothing else binds the name, and nothing that it reads is bound between."
            if is_value
            else self.why,
            prior=0.5 if grows else 0.8 if is_value else 0.9,
        )


def _find_what_belongs_to(lines: list[str], above: int, first: int) -> tuple[int, int]:
    """The line at which the comment right above a statement begins, and the line at which the empty lines above that begin; both
    below the line ``above``."""
    top = first
    while top - 1 > above and lines[top - 2].startswith("#"):
        top -= 1
    gap = top
    while gap - 1 > above and not lines[gap - 2].strip():
        gap -= 1
    return top, gap
