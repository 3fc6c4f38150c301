"""TYP265: a format for one number, or for a text, given to something that knows none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"^unsupported format string passed to (?:\w+\.)*(\w+)\.__format__$")
WIDTH = re.compile(r"(?:.?[<>^])?[1-9]\d*s?|s")
"""A format that only says where a text stands, and how wide it is."""
DIGITS = re.compile(r"[<>^ ,]*\d*,?\.(\d)f")
FIELD = re.compile(r"\s*(:([^{}'\"\n]+))\}")


@dataclass(frozen=True, slots=True)
class _Field:
    """A value that is formatted: its node, its format, and where in the source that stands (with its colon)."""

    value: ast.expr
    spec: str
    start: int
    end: int


class FormatOfWhole(Rule):
    """Format what knows no format of its own: as text, number by number, or rounded.

    **Failure** `TypeError: unsupported format string passed to numpy.ndarray.__format__` at `f"{means:.2f}"`; `… list.__format__`, `… datetime.timedelta.__format__` at `f"{took:>12}"`.

    **Fix** `f"{took!s:>12}"`; `f"{x.item():.2f}"` for an array of one number; `f"{means.round(2)}"` for an array or column; `f"{', '.join(f'{n:.2f}' for n in vals)}"` for a list; the seconds of a `timedelta`.

    **Fix safety** Safe for a width, which only a text has, and for the one number of an array. Unsafe else: one of the numbers, or their mean, may be meant. Silent for None, which something else should have been.
    """

    code = "TYP265"
    name = "format of what has none"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "One of the numbers may be meant, or their mean."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match is None or match[1] == "NoneType":
            return
        fields = [f for f in _list_fields(context) if find_type(context, f.value) in ("", match[1])]
        known = [f for f in fields if find_type(context, f.value)]
        for field in (known or fields)[:1]:
            yield from self._write(context, match[1], field)

    def _write(self, context: RuleContext, kind: str, field: _Field) -> Iterator[Patch]:
        cause = f"A `{kind}` knows no format."
        at = context.span(field.value)[1]
        text = context.text(field.value)
        owner = text if isinstance(field.value, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({text})"
        if WIDTH.fullmatch(field.spec):
            yield self.patch(
                context.replace_here((field.start, field.start, "!s")),
                f"Format `{text}` as text, by `!s`",
                cause,
                applicability=Applicability.SAFE,
                why="A width and a side are what only a text has.",
                prior=0.92,
            )
        elif kind in ("ndarray", "Series") and context.is_true(f"{text}.size == 1"):
            yield self.patch(
                context.replace_here((at, at, ".item()")),
                f"Format `{text}.item()`, its one number",
                f"`{text}` holds one number in an array.",
                applicability=Applicability.SAFE,
                why="There is one number in it.",
                prior=0.92,
            )
        elif kind in ("ndarray", "Series", "DataFrame") and (digits := DIGITS.fullmatch(field.spec)):
            new = f"{owner}.round({digits[1]})"
            changes = ((*context.span(field.value), new), (field.start, field.end, ""))
            yield self.patch(context.replace_here(*changes), f"Show `{new}`", f"{cause} `round` cuts all its numbers.", prior=0.6)  # fmt: skip
        elif kind in ("list", "tuple", "Series", "ndarray"):
            yield self._format_each(context, field, cause)
        elif kind in ("timedelta", "Timedelta"):
            new = f"{owner}.total_seconds()"
            yield self.patch(context.replace_here((*context.span(field.value), new)), f"Format `{new}`", cause, why="Hours or days may be meant.", prior=0.6)  # fmt: skip

    def _format_each(self, context: RuleContext, field: _Field, cause: str) -> Patch:
        """Every number by itself, in quotes that the text around does not have."""
        text = context.text(field.value)
        start, end = context.span(field.value)
        inside = context.source[end : field.start].strip() == "" and context.source[field.start] == ":"
        quote = "'" if '"' in _find_opening(context, field) else '"'
        new = f"{quote}, {quote}.join(format(n, {quote}{field.spec}{quote}) for n in {text})"
        changes: tuple[Splice, ...] = ((start, end, new), (field.start, field.end, ""))
        return self.patch(
            context.replace_here(*changes if inside else ()), "Format every number by itself", cause, prior=0.55
        )


def _find_opening(context: RuleContext, field: _Field) -> str:
    """The quotes that begin the formatted text in which the field stands."""
    for node in context.list_failing_nodes(ast.JoinedStr):
        start, end = context.span(node)
        if start <= field.start < end and (match := re.match(r"\w+('{1,3}|\"{1,3})", context.source[start:end])):
            return match[1]
    return "'"


def _list_fields(context: RuleContext) -> Iterator[_Field]:
    """The fields of formatted texts in the failing statement that have a format, but for those of numbers and texts."""
    for node in context.list_failing_nodes(ast.JoinedStr, ast.Call):
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                if isinstance(part, ast.FormattedValue) and part.format_spec is not None and part.conversion == -1:
                    end = context.span(part.value)[1]
                    if found := FIELD.match(context.source, end):
                        yield _Field(part.value, found[2], found.start(1), found.end(1))
        elif isinstance(node, ast.Call) and (template := _read_template(node)) is not None and not node.keywords:
            start, stop = context.span(template)
            holes = list(re.finditer(r"\{\d*(:([^{}]*))?\}", context.source[start:stop]))
            for value, hole in zip(node.args, holes, strict=False):
                if hole[1] and not isinstance(value, ast.Starred) and find_type(context, value) not in NUMBERS:
                    yield _Field(value, hole[2], start + hole.start(1), start + hole.end(1))


def _read_template(call: ast.Call) -> ast.expr | None:
    """The text of ``"…".format(…)``."""
    is_format = isinstance(call.func, ast.Attribute) and call.func.attr == "format"
    value = call.func.value if isinstance(call.func, ast.Attribute) and is_format else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
