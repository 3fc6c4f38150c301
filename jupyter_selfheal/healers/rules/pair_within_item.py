"""UNP104: names in one row for items of which one is a pair itself."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"not enough values to unpack \(expected (\d+), got \d+\)")
MOST_PARTS = 8
"""Items of more parts have too many readings."""
Shape = tuple["Shape", ...]
"""What an item of a loop is made of; nothing where it is taken as a whole."""


class PairWithinItem(Rule):
    """Put the names of a pair that is a part of a loop's item in brackets.

    **Failure** `ValueError: not enough values to unpack (expected 3, got 2)` at `for i, name, age in enumerate(zip(names, ages))`, or `for city, lat, lon in places.items()`.

    **Fix** `for i, (name, age) in …`, `for city, (lat, lon) in …`.

    **Fix safety** Safe: there are as many names as values, and one way to read them in brackets. Else silent.
    """

    code = "UNP104"
    name = "pair within an item"
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "There are as many names as values, and one way to put them in brackets."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        inner = [g for n in context.list_nodes_on_line(ast.expr) for g in getattr(n, "generators", ())]
        for loop in [*context.list_nodes_on_line(ast.For), *inner]:
            names = loop.target.elts if isinstance(loop.target, ast.Tuple) else []
            if not names or not all(isinstance(n, ast.Name) for n in names):
                continue
            readings = {s for s in _list_readings(_read_shape(context, loop.iter)) if _count(s) == len(names)} - {()}
            if len(readings) == 1:
                new = _write(readings.pop(), [context.text(n) for n in names])[1:-1]
                yield self.patch(
                    context.replace_here((context.span(names[0])[0], context.span(names[-1])[1], new)),
                    f"Use `{new}`",
                    f"A part of each item of `{context.text(loop.iter)}` is a pair or the like itself.",
                    prior=0.94,
                )
                return


def _read_shape(context: RuleContext, source: ast.expr) -> Shape:
    """The parts of each item of what a loop goes through."""
    match source:
        case ast.Call(func=ast.Name("enumerate"), args=[inner, *_]):
            return (), _read_shape(context, inner)
        case ast.Call(func=ast.Name("zip"), args=[_, _, *_] as parts, keywords=[]):
            return tuple(_read_shape(context, part) for part in parts)
        case ast.Call(func=ast.Name("sorted" | "list" | "reversed" | "tuple"), args=[inner]):
            return _read_shape(context, inner)
        case ast.Call(func=ast.Attribute(value=owner, attr="items"), args=[]) if context.read_plain_chain(owner):
            return _read_lengths(context, context.text(owner)), _read_lengths(
                context, f"{context.text(owner)}.values()"
            )
        case _ if context.read_plain_chain(source):
            return _read_lengths(context, context.text(source))
    return ()


def _read_lengths(context: RuleContext, text: str) -> Shape:
    """As many parts as all items have that are tuples or lists of one length; an iterator is not gone through."""
    items = f"({text} if hasattr({text}, '__len__') else ())"
    length = context.number(
        f"(lambda _: _.pop() if len(_) == 1 else 0)({{isinstance(_, (tuple, list)) and len(_) for _ in {items}}})"
    )
    return ((),) * int(length or 0)


def _list_readings(shape: Shape) -> list[Shape]:
    """The shape with some of its parts taken as a whole, in every way."""
    return [(), *itertools.product(*map(_list_readings, shape))] if len(shape) < MOST_PARTS else [()]


def _count(shape: Shape) -> int:
    return sum(map(_count, shape)) or 1


def _write(shape: Shape, names: list[str]) -> str:
    """The names in brackets as the shape has it; those that are written are taken from the list."""
    return f"({', '.join(_write(part, names) for part in shape)})" if shape else names.pop(0)
