"""ATT105: an attribute that is a value, called like a method."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Failure, Patch


class ValueCalled(Rule):
    """Read an attribute that is a value without calling it.

    **Failure** `TypeError: 'tuple' object is not callable` at `df.shape()`, `'Index' object is not callable` at `df.columns()`.

    **Fix** The empty parentheses go: `df.shape`.

    **Fix safety** Safe: the attribute of the live object is a value that cannot be called, and the call passes nothing. Silent where
    arguments are given, and for attributes that a cell of the notebook sets.
    """

    code = "ATT105"
    name = "value called like a method"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The attribute is a value that cannot be called, and nothing was passed to it."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and "object is not callable" in failure.evalue

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for failing in context.failing_nodes(ast.Call):
            call = failing
            if not isinstance(call, ast.Call) or call.args or call.keywords or not isinstance(call.func, ast.Attribute):
                continue
            text = context.plain_chain(call.func)
            thing = context.describe(text) if text else None
            if thing is None or thing.is_callable or _is_set(context, call.func.attr):
                continue
            edits = context.replace(context.cell_id, [(context.span(call.func)[1], context.span(call)[1], "")])
            if edits:
                yield self.patch(
                    edits, f"Remove the parentheses after `{text}`", f"`{text}` is a value, not a function.", prior=0.85
                )
            return


def _is_set(context: RuleContext, attribute: str) -> bool:
    """True where a cell assigns to an attribute of this name: then a method may be hidden by it."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Store)
        for cell in context.notebook.cells
        if cell.kind == "code"
        for n in src.walk(context.source_of(cell.id))
    )
