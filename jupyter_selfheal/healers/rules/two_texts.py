"""TYP224: two texts that hold numbers, reckoned with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.value_types import DAY, find_type, read_number_in
from jupyter_selfheal.healers.rules.sum_of_texts import find_number_kind
from jupyter_selfheal.model import Applicability, Patch

ORDERED = frozenset({"max", "min"})
"""What gives an item of a list by its order: of texts by their letters, ``"9"`` after ``"12"``."""

TIME = r"\s*(?:[01]?\d|2[0-3])\.[0-5]\d\s*"
OF_TIME = re.compile(
    r"(?i)(?<![a-z])(?:times?|start|end|begin|hours?|minutes?|arriv\w*|depart\w*|open\w*|clos\w*|clock)(?![a-z])"
)
"""Words of times of day."""


class TwoTexts(Rule):
    """Read the numbers from two texts that are subtracted, divided or raised.

    **Failure** `TypeError: unsupported operand type(s) for -: 'str' and 'str'` at `parts[1] - parts[0]` or `max(parts) - min(parts)`, with `parts = line.split()`.

    **Fix** `int(parts[1]) - int(parts[0])`, `max(map(int, parts)) - min(map(int, parts))`; `float` where a text of the two has a fraction.

    **Fix safety** Safe: both hold a number, and texts can neither be subtracted nor divided. Silent where one holds none, and where each holds a day as
    `20240301`, or one a code that begins with `0` (`0930`). Unsafe for `10.30` and `9.45` where words of the cell speak of time.
    """

    code = "TYP224"
    name = "two texts reckoned with"
    enames = frozenset({"TypeError"})
    message = re.compile(r"unsupported operand type\(s\) for (?:-|/|//|\*\* or pow\(\)): 'str' and 'str'")
    applicability = Applicability.SAFE
    why = "Both texts hold a number, and only numbers are reckoned with so."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.BinOp):
            sides = [node.left, node.right]
            if not all(find_type(context, s) == "str" or _is_ordered(s) for s in sides):
                continue
            kinds = [_find_kind(context, s) for s in sides]
            if not all(kinds) or all(_is_day(context, s) for s in sides) or any(_is_code(context, s) for s in sides):
                return
            kind = "float" if "float" in kinds else "int"
            are_times = (
                kind == "float"
                and bool(OF_TIME.search(context.source.replace("_", " ")))
                and all(_is_time(context, s) for s in sides)
            )
            splices = [_write_number(context, s, kind) for s in sides]
            yield self.patch(
                context.replace_here(*splices),
                f"Convert the texts to numbers with `{kind}`",
                f"`{context.text(sides[0])}` and `{context.text(sides[1])}` are texts that hold numbers.",
                applicability=Applicability.UNSAFE if are_times else Applicability.SAFE,
                why="Times of day may be written so." if are_times else self.why,
                prior=0.6 if are_times else 0.9,
            )
            return


def _is_ordered(side: ast.expr) -> bool:
    """``max(parts)``: its argument can be read as numbers."""
    return (
        isinstance(side, ast.Call)
        and isinstance(side.func, ast.Name)
        and side.func.id in ORDERED
        and len(side.args) == 1
        and isinstance(side.args[0], ast.Name)
        and not side.keywords
    )


def _find_kind(context: RuleContext, side: ast.expr) -> str:
    if isinstance(side, ast.Call) and _is_ordered(side):
        return find_number_kind(context, context.text(side.args[0]))
    return read_number_in(context, side) or ""


def _is_time(context: RuleContext, side: ast.expr) -> bool:
    """Whether a text may be a time of day: ``9.45``."""
    return context.is_true(f"__import__('re').fullmatch({TIME!r}, {context.text(side)}) is not None")


def _is_day(context: RuleContext, side: ast.expr) -> bool:
    """Whether what a side holds, or each item of what it reduces, can be read as a day."""
    if isinstance(side, ast.Call) and _is_ordered(side):
        return context.is_true(f"all(__import__('re').fullmatch({DAY!r}, i) for i in {context.text(side.args[0])})")
    return context.is_true(f"__import__('re').fullmatch({DAY!r}, {context.text(side)}) is not None")


def _is_code(context: RuleContext, side: ast.expr) -> bool:
    """Whether what a side holds, or an item of what it reduces, begins as no number does: ``0930``, a time, or ``0041``."""
    if isinstance(side, ast.Call) and _is_ordered(side):
        return context.is_true(f"any(__import__('re').match(r'\\s*0\\d', i) for i in {context.text(side.args[0])})")
    return context.is_true(f"__import__('re').match(r'\\s*0\\d', {context.text(side)}) is not None")


def _write_number(context: RuleContext, side: ast.expr, kind: str) -> Splice:
    if isinstance(side, ast.Call) and _is_ordered(side):
        given = side.args[0]
        return (*context.span(given), f"map({kind}, {context.text(given)})")
    return (*context.span(side), f"{kind}({context.text(side)})")
