"""PDA115: comparisons joined by ``&`` or ``|`` without brackets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Applicability, Patch

ABOUT = re.compile(
    r"for [&|]|rand_|ror_|bitwise_(and|or)|truth value of|unary ~: 'str'|logical operation|operator '?[&|]'?|Cannot perform '(and|or)_'"
)


class UnbracketedComparison(Rule):
    """Put comparisons that are joined by `&` or `|`, or turned around by `~`, in brackets.

    **Failure** `TypeError: unsupported operand type(s) for &: 'int' and 'Series'`, `ValueError: The truth value of a Series is
    ambiguous`, at `df[df.a > 2 & df.b < 4]`.

    **Fix** `df[(df.a > 2) & (df.b < 4)]`: Python binds `&` and `|` more closely than comparisons, and `~`, too: `df[~(df.a == "x")]`.

    **Fix safety** Safe where each part is a comparison of its own, or the name of a mask: a chain through `2 & df.b` has no meaning. Unsafe where
    one asks truth values or numbers for a text, or texts for a number (`df["ok"] == "True"`), which none of them is.
    """

    code = "PDA115"
    name = "comparisons without brackets"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "UFuncTypeError", "_UFuncNoLoopError"})
    message = ABOUT
    applicability = Applicability.SAFE
    why = "Each part is a comparison of its own; joined without brackets they have no meaning."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.walk(ast.Compare) if "unary ~" in context.failure.evalue else ():
            match node:
                case ast.Compare(ast.UnaryOp(ast.Invert(), asked), [_], [other]) if not _joins(
                    other
                ) and node in context.list_nodes_on_line(ast.Compare):
                    start, end = context.span(asked)[0], context.span(node)[1]
                    yield self.patch(
                        context.replace_here((start, start, "("), (end, end, ")")),
                        "Put parentheses around the comparison",
                        "`~` comes before comparisons.",
                        why="What is turned around are texts, and no truth values.",
                        prior=0.93,
                    )
                    return
        for node in context.list_nodes_at_failure(ast.Compare):
            changes = add_parentheses(context.source, node) if isinstance(node, ast.Compare) else []
            if changes:
                unlike = _find_unlike(context, changes)
                yield self.patch(
                    context.replace(context.cell_id, changes),
                    "Put parentheses around the comparisons",
                    "`&` and `|` come before comparisons.",
                    applicability=Applicability.UNSAFE if unlike else Applicability.SAFE,
                    why=f"Nothing meets `{unlike}`: the values are of another type." if unlike else self.why,
                    prior=0.6 if unlike else 0.9,
                )
                return


def _find_unlike(context: RuleContext, brackets: list[Splice]) -> str:
    """A part that asks numbers or truth values for a text, or texts for a number, which none of them is: ``df["ok"] == "True"``; empty where there is none."""
    places = [place for place, _, _ in brackets]
    for part in (context.source[a:b].strip() for a, b in zip(places[::2], places[1::2], strict=True)):
        match parse_expression(part):
            case ast.Compare(left, [ast.Eq()], [ast.Constant(asked)]) if isinstance(asked, str | int | float):
                kinds = "biufc" if isinstance(asked, str) else "OTUS"
                if context.is_true(f"{ast.unparse(left)}.dtype.kind in {kinds!r} and not ({part}).any()"):
                    return part
    return ""


def _joins(other: ast.expr) -> bool:
    """``"Oslo" & (df.sales > 100)``: what stands behind the sign is another question."""
    return isinstance(other, ast.BinOp) and isinstance(other.op, ast.BitAnd | ast.BitOr)


def add_parentheses(source: str, node: ast.Compare) -> list[Splice]:
    """Brackets around each comparison between the ``&`` and ``|`` that the operands of a chain swallowed."""
    start, end = src.find_span(source, node)
    cuts: list[tuple[int, int]] = []
    for operand in [node.left, *node.comparators]:
        while isinstance(operand, ast.BinOp) and isinstance(operand.op, ast.BitAnd | ast.BitOr):
            if src.find_span(source, operand)[0] != src.find_span(source, operand.left)[0]:
                return []  # in brackets already
            left, right = src.find_span(source, operand.left)[1], src.find_span(source, operand.right)[0]
            between = re.fullmatch(r"\s*[&|]\s*", source[left:right])
            if between is None:
                return []
            cuts.append((left, right))
            operand = operand.left
    if not cuts:
        return []
    ops = [src.find_span(source, c)[0] for c in node.comparators]
    edges = [start, *(p for cut in sorted(cuts) for p in cut), end]
    parts = list(zip(edges[::2], edges[1::2], strict=True))
    compared = [(a, b) for a, b in parts if any(a < op < b for op in ops)]
    if len(compared) != len(node.ops) or any(
        not source[a:b].strip().isidentifier() for a, b in parts if (a, b) not in compared
    ):
        return []
    return [s for a, b in compared for s in ((a, a, "("), (b, b, ")"))]
