"""ASR103: a condition whose other part is a bare value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class ConditionAlwaysTrue(Rule):
    """Compare with each of the values.

    **Failure** `AssertionError`, or another result than the expected one, where a condition reads `letter == "a" or "e"`: a bare text or
    number always holds.

    **Fix** `letter in ("a", "e")`; `letter != "a" or "e"` becomes `letter not in ("a", "e")`; `"a" or "e" in word` becomes
    `"a" in word or "e" in word`.

    **Fix safety** Safe: as it stands the condition asks nothing, and there is one thing that the words can mean.
    """

    code = "ASR103"
    name = "condition that always holds"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "A bare text or number always holds: each value was to be compared."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for cell_id in context.list_needed_upwards():
            source = context.source_of(cell_id)
            changes = [
                (*src.find_span(source, node), text)
                for node in src.walk(source)
                if isinstance(node, ast.BoolOp | ast.Compare) and (text := _write_whole(source, node))
            ]
            if changes:
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Change `{source[changes[0][0] : changes[0][1]]}` to `{changes[0][2]}`",
                    f"`{source[changes[0][0] : changes[0][1]]}` does not compare with each of the values.",
                    prior=0.9,
                )
                return


def _write_whole(source: str, node: ast.BoolOp | ast.Compare) -> str:
    """The condition with each value compared; empty for any other condition."""
    if isinstance(node, ast.Compare):
        return _write_grouped(source, node)
    first, *others = node.values
    if isinstance(first, ast.Compare) and len(first.ops) == 1 and all(_is_bare(v) for v in others):
        values = [first.comparators[0], *others]
        is_equal, is_other = isinstance(first.ops[0], ast.Eq), isinstance(first.ops[0], ast.NotEq)
        if not _is_bare(values[0]) or not (is_other or (is_equal and isinstance(node.op, ast.Or))):
            return ""
        texts = ", ".join(src.extract_text(source, v) for v in values)
        return f"{src.extract_text(source, first.left)} {'in' if is_equal else 'not in'} ({texts})"
    last = node.values[-1]
    if isinstance(last, ast.Compare) and len(last.ops) == 1 and isinstance(last.ops[0], ast.In | ast.NotIn):
        parts = [*node.values[:-1], last.left]
        if all(map(_is_bare, parts)):
            end = source[src.find_span(source, last.left)[1] : src.find_span(source, last)[1]]
            word = " and " if isinstance(node.op, ast.And) else " or "
            return word.join(f"{src.extract_text(source, p)}{end}" for p in parts)
    return ""


def _write_grouped(source: str, node: ast.Compare) -> str:
    """``x == ("a" or "b")``, which compares with the first alone."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return ""
    group = node.comparators[0]
    if not isinstance(group, ast.BoolOp) or not isinstance(group.op, ast.Or) or not all(map(_is_bare, group.values)):
        return ""
    texts = ", ".join(src.extract_text(source, v) for v in group.values)
    word = "in" if isinstance(node.ops[0], ast.Eq) else "not in"
    return f"{src.extract_text(source, node.left)} {word} ({texts})"


def _is_bare(node: ast.expr) -> bool:
    """True for a text or a number that always holds."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str | int | float)
        and bool(node.value)
        and node.value is not True
    )
