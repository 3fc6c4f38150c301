"""TYP227: a ``__str__`` or ``__repr__`` that gives no text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"(__str__|__repr__) returned non-string \(type (\w+)\)")
NUMBERS = frozenset({"int", "float", "bool", "complex", "Decimal", "Fraction"})
"""What has one form as a text."""


class TextOfObject(Rule):
    """Make a text of what `__str__` returns.

    **Failure** `TypeError: __str__ returned non-string (type int)` at `print(box)`.

    **Fix** `return str(self.width)` where the method returns a number.

    **Fix safety** Safe for a number, which has one form as a text. Unsafe for a tuple or a list, which may be meant to be written otherwise. Silent where nothing is returned, and where
    several classes of the notebook return such a thing.
    """

    code = "TYP227"
    name = "no text of an object"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The method must return a text, and a number has one form as a text."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        if told is None or told[2] == "NoneType":
            return
        made: list[tuple[str, str, ast.expr]] = []
        for cell_id in context.list_cells_upwards():
            source = context.source_of(cell_id)
            methods = [n for n in src.walk(source) if isinstance(n, ast.FunctionDef) and n.name == told[1]]
            returns = [
                r.value for m in methods for r in ast.walk(m) if isinstance(r, ast.Return) and r.value is not None
            ]
            made += [(cell_id, source, value) for value in returns if not _is_text(value)]
        if len(made) != 1:
            return
        cell_id, source, value = made[0]
        start, end = src.find_span(source, value)
        text = source[start:end]
        is_bare = isinstance(value, ast.Tuple) and not text.startswith("(")
        is_number = told[2] in NUMBERS
        yield self.patch(
            context.replace(cell_id, [(start, end, f"str(({text}))" if is_bare else f"str({text})")]),
            f"Return the text of `{text}` from `{told[1]}`",
            f"`{told[1]}` returns {told[2]}, and must return a text.",
            applicability=Applicability.SAFE if is_number else Applicability.UNSAFE,
            why=self.why if is_number else "It may be meant to be written in another form.",
            prior=0.9 if is_number else 0.6,
        )


def _is_text(value: ast.expr) -> bool:
    """True for what is a text as it is written, or is made one."""
    match value:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Name(id="str" | "repr" | "format")):
            return True
        case ast.Call(func=ast.Attribute(attr="format" | "join" | "strip" | "upper" | "lower" | "title")):
            return True
        case ast.BinOp(op=ast.Add() | ast.Mod()):
            return _is_text(value.left) or _is_text(value.right)
    return False
