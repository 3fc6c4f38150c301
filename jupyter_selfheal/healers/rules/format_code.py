"""TYP210: a format code that the value's type does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.sums_of_texts import list_factors
from jupyter_selfheal.healers.rules.context.value_types import find_type, read_number_in
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"Unknown format code '(\w)' for object of type '(str|float|int)'")


class FormatCode(Rule):
    """Format a number as the number that it is.

    **Failure** `ValueError: Unknown format code 'f' for object of type 'str'` at `"{:.2f}".format(price)` or `f"{price:.2f}"` where the
    text holds a number; `Unknown format code 'd' for object of type 'float'`.

    **Fix** `float(price)`, `float(price) * 2`; `.2d` becomes `.2f`; `d` alone becomes `.0f`, also as `fmt="d"` of a heat map, where the table holds whole numbers, else `.2f`; `2.f` becomes `.2f`.

    **Fix safety** Safe where the text holds a number, and for `.2d`, which no number has, and for `2.f`, as a width of two is none. Unsafe for `4.f`, which may be one, and for `d` of a fraction: its digits are lost.
    """

    code = "TYP210"
    name = "format code of another type"
    enames = frozenset({"ValueError"})
    message = re.compile(rf"{MESSAGE.pattern}|^Format specifier missing precision")
    applicability = Applicability.SAFE
    why = "The code is one of numbers, and this is the number that is there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match is None:
            yield from self._exchange_point(context)
            return
        code, kind = match[1], match[2]
        if code == "d" and kind == "float" and (splice := _find_format_argument(context)) is not None:
            yield from self._format_table(context, splice)
            return
        for node in context.list_failing_nodes(ast.JoinedStr, ast.Call, ast.FormattedValue):
            if kind == "str" and code in "dfgeG%":
                changes, title = _convert_texts(context, node, code), "Convert the text to a number"
                sure = True
            elif kind == "float" and code == "d":
                changes, sure = _change_code(context, node)
                title = "Format the number with `f`"
            else:
                return
            if changes:
                yield self.patch(
                    context.replace_here(*changes),
                    title,
                    f"The format code `{code}` is not for `{kind}`.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else "What stands behind the point is no longer shown.",
                    prior=0.9 if sure else 0.6,
                )
                return

    def _exchange_point(self, context: RuleContext) -> Iterator[Patch]:
        """``{price:2.f}`` for ``{price:.2f}``: a width of two letters would do nothing, one of four may put numbers below each other."""
        for node in context.list_nodes_on_line(ast.JoinedStr, ast.Call):
            start, end = context.span(node)
            slips = list(re.finditer(r"(?<=:)([0-4])\.(?=[eEfFgG%]\})", context.source[start:end]))
            if slips:
                is_sure = all(m[1] in "012" for m in slips)
                yield self.patch(
                    context.replace_here(*((start + m.start(), start + m.end(), f".{m[1]}") for m in slips)),
                    f"Write `.{slips[0][1]}`, the digits behind the point",
                    "Behind the point of a format stands how many digits are shown.",
                    applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                    why=self.why if is_sure else "A width may be meant.",
                    prior=0.93 if is_sure else 0.7,
                )
                return

    def _format_table(self, context: RuleContext, found: tuple[Splice, str]) -> Iterator[Patch]:
        splice, table = found
        is_whole = bool(table) and context.is_true(
            f"(lambda v: (v[v == v] % 1 == 0).all())(__import__('numpy').asarray({table}, dtype=float))"
        )
        text = "'.0f'" if is_whole else "'.2f'"
        yield self.patch(
            context.replace_here((splice[0], splice[1], text)),
            f"Format the numbers with `fmt={text}`",
            "The numbers are floats, which the code `d` is not for.",
            applicability=Applicability.SAFE if is_whole else Applicability.UNSAFE,
            why="All the numbers are whole ones, and are shown as `d` would."
            if is_whole
            else "How many digits are wanted is yours to say.",
            prior=0.9 if is_whole else 0.6,
        )


def _find_format_argument(context: RuleContext) -> tuple[Splice, str] | None:
    """``fmt="d"`` of the failing call, and the table that it is given first ("" where that is no plain name)."""
    for call in context.list_calls_at_failure():
        for keyword in call.keywords:
            if keyword.arg == "fmt" and isinstance(keyword.value, ast.Constant) and keyword.value.value == "d":
                named = {k.arg: k.value for k in call.keywords}
                given = call.args[0] if call.args else named.get("data")
                if not isinstance(shown := named.get("annot", given), ast.Constant):
                    given = shown  # a table of its own is written into the cells
                return (*context.span(keyword.value), ""), (context.read_plain_chain(given) or "") if given else ""
    return None


def _convert_texts(context: RuleContext, node: ast.AST, code: str) -> list[Splice]:
    """``float(…)`` around the one value that is a text, holds a number, and is formatted with the code."""
    if isinstance(node, ast.Call):
        values = _list_formatted(node, code)
    else:
        values = [
            v.value for v in ast.walk(node)
            if isinstance(v, ast.FormattedValue) and isinstance(v.format_spec, ast.JoinedStr)
            and ast.unparse(v.format_spec).rstrip("'\"").endswith(code)
        ]  # fmt: skip
    changes = []
    for value in (factor for v in values for factor in list_factors(v)):  # `price * 2` of a text is a longer one
        text = context.text(value)
        is_there = (tree := src.parse_expression(text)) is not None and src.dump_tree(tree) == src.dump_tree(value)
        function = read_number_in(context, value) if is_there and find_type(context, value) == "str" else ""
        if not function or (code == "d" and function != "int"):
            continue
        changes.append((*context.span(value), f"{'int' if code == 'd' else 'float'}({text})"))
    return changes


def _list_formatted(call: ast.Call, code: str) -> list[ast.expr]:
    """The arguments of ``"…".format(…)`` and ``format(value, "…")`` that a field with the code may take."""
    if isinstance(call.func, ast.Name) and call.func.id == "format" and len(call.args) == 2:
        return call.args[:1]
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "format" or call.keywords:
        return []
    template = call.func.value
    if not isinstance(template, ast.Constant) or not isinstance(template.value, str):
        return []
    fields = re.findall(r"\{(\d*)(?::([^{}]*))?\}", template.value)
    places = [int(number) if number else n for n, (number, _) in enumerate(fields)]
    return [
        call.args[at]
        for at, (_, spec) in zip(places, fields, strict=True)
        if spec.endswith(code) and at < len(call.args)
    ]


def _change_code(context: RuleContext, node: ast.AST) -> tuple[list[Splice], bool]:
    """``f`` for the only ``d`` among the codes of a text, and whether nothing is lost by it."""
    start, end = context.span(node)
    codes = list(re.finditer(r":[^{}:'\"]*?(\.\d+)?d(?=\})", context.source[start:end]))
    codes = [c for c in codes if c[1]] or codes  # `.2d` is no number's at all, `d` beside it may well be right
    if len(codes) != 1:
        return [], False
    at = start + codes[0].end() - 1
    return [(at, at + 1, "f" if codes[0][1] else ".0f")], bool(codes[0][1])
