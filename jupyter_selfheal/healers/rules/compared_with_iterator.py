"""ASR106: a comparison with an iterator, which is equal to nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class ComparedWithIterator(Rule):
    """Compare with the items, not with what goes through them.

    **Failure** `AssertionError`, or another result than the expected one, where `text == reversed(text)` is compared: an iterator is
    equal to nothing but itself.

    **Fix** `text == text[::-1]`; `values == map(f, others)` becomes `values == list(map(f, others))`, of `filter` and `zip` likewise.

    **Fix safety** Safe: as it stands the comparison never holds.
    """

    code = "ASR106"
    name = "comparison with an iterator"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "As it stands the comparison never holds: an iterator is equal to nothing but itself."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for cell_id in context.list_needed_upwards():
            source = context.source_of(cell_id)
            checks = {id(n) for a in src.walk(source) if isinstance(a, ast.Assert) for n in ast.walk(a)}
            changes = [
                (*src.find_span(source, side), text)
                for node in src.walk(source)
                if isinstance(node, ast.Compare)
                and isinstance(node.ops[0], ast.Eq | ast.NotEq)
                and id(node) not in checks
                for side in (node.left, *node.comparators)
                if (text := _write_items(source, side))
            ]
            if changes:
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Compare with `{changes[0][2]}`",
                    f"`{source[changes[0][0] : changes[0][1]]}` is an iterator, which is equal to nothing else.",
                    prior=0.9,
                )
                return


def _write_items(source: str, side: ast.expr) -> str:
    match side:
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Name() as given], keywords=[]):
            return f"{src.extract_text(source, given)}[::-1]"
        case ast.Call(func=ast.Name(id="map" | "filter" | "zip" | "reversed")):
            return f"list({src.extract_text(source, side)})"
    return ""
