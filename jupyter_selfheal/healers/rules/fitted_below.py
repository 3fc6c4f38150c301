"""STA107: an estimator that a cell below fits."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Cell, Move, Patch


class FittedBelow(Rule):
    """Move the cell that fits an estimator above the one that uses it.

    **Failure** `NotFittedError: This LinearRegression instance is not fitted yet`, where a cell below calls `model.fit(…)`.

    **Fix** That cell moves directly above the failing one.

    **Fix safety** Safe where the cell reads only what is there already, and no cell that it passes binds or changes what it reads
    or makes. Silent otherwise.
    """

    code = "STA107"
    name = "estimator fitted below"
    stage = Stage.STATE
    enames = frozenset({"NotFittedError"})
    applicability = Applicability.SAFE
    why = "The cell that fits it reads only what is there, and passes no cell that has to do with it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        calls = context.list_calls_at_failure()
        names = [
            c.func.value.id for c in calls if isinstance(c.func, ast.Attribute) and isinstance(c.func.value, ast.Name)
        ]
        for name in dict.fromkeys(names):
            below = context.notebook.list_code_after(context.failure.cell_id)
            at = next((n for n, c in enumerate(below) if _fits_estimator(c.source, name)), -1)
            if at >= 0 and _may_move(context, below[at], below[:at], name):
                name_of_cell = context.notebook.name_cell(below[at].id)
                yield self.patch(
                    (Move(below[at].id, context.failure.cell_id),),
                    f"Move {name_of_cell} above this one",
                    f"`{name}` isn't fitted yet: {name_of_cell}, below, does that.",
                    prior=0.9,
                )
                return


def _fits_estimator(source: str, name: str) -> bool:
    """True where a statement of the cell's top level calls ``name.fit``, and none binds the name."""
    calls = [n for s in src.list_statements(source) for n in ast.walk(s.node) if isinstance(n, ast.Call)]
    nodes = any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr in ("fit", "fit_transform", "partial_fit")
        and isinstance(c.func.value, ast.Name)
        and c.func.value.id == name
        for c in calls
    )
    return nodes and name not in src.find_names(source).binds


def _may_move(context: RuleContext, cell: Cell, passed: tuple[Cell, ...], name: str) -> bool:
    mine = src.find_names(cell.source)
    above = [c.source for c in context.notebook.list_code_before(context.failure.cell_id)]
    known = frozenset().union(*(src.find_names(s).binds for s in above))
    if not mine.uses <= known:
        return False
    others = [src.find_names(c.source) for c in passed] + [src.find_names(context.failure.source)]
    return not any((o.binds | o.changes) & (mine.uses - {name}) or o.uses & mine.binds for o in others)
