"""Numbers that come out of one input as they are expected and of another one as nobody writes them: ``100.0``, and ``-17.469444444444445``; ``34``, and ``005``.

One expected output cannot tell whether they are rounded, or digits of a text are a number; what is printed for other inputs says that it was hardly thought of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.source_text import Source

DIGITS = 2
"""Decimals that are left where none are expected: what beginners round to, nearly always."""
_FIELD = re.compile(r"(?<!\{)\{([^{}:!=]+)\}(?!\})")
_TEXTS = frozenset({"format", "str"})


@dataclass(frozen=True, slots=True)
class Form:
    """How a number comes out that is hardly meant so, and what it is to be wrapped in."""

    odd: re.Pattern[str]
    call: str
    words: str

    def count(self, printed: str) -> int:
        """How often it comes out so."""
        return len(self.odd.findall(printed))

    def wrap(self, text: str, expected: str) -> str:
        """An expression with which the number comes out in another form."""
        decimals = [len(d) for d in re.findall(r"\d\.(\d+)", expected)]
        return f"{self.call}({text}, {max([DIGITS, *decimals])})" if self.call == "round" else f"{self.call}({text})"


FORMS = (
    Form(re.compile(r"\d\.\d{5,}"), "round", "`{}` is not rounded"),
    Form(re.compile(r"(?<![\w.:/-])0\d+(?![\w.:/-])"), "int", "`{}` is a text of digits, and not a number"),
)


def mend_form(source: str, expected: str, form: Form, count: Callable[[str], float]) -> tuple[list[Edit], list[str]]:
    """The edits that wrap each printed value that comes out in a form, and their words; ``count`` says how often it does so with a source."""
    before = count(source)
    edits: list[Edit] = []
    words: list[str] = []
    for start, end in dict.fromkeys(_list_printed(source)):
        text = source[start:end]
        edit = (start, end, form.wrap(text, expected))
        if count(source[:start] + edit[2] + source[end:]) < before:
            edits.append(edit)
            words.append(form.words.format(text))
    return edits, words


def _list_printed(text: str) -> Iterator[tuple[int, int]]:
    """Where the values stand that are printed, by themselves or within a text."""
    source = Source(text)
    for node in source.order:
        match node:
            case ast.Call(ast.Name("print"), args):
                for value in args:
                    yield from _list_values(source, value)


def _list_values(source: Source, node: ast.expr) -> Iterator[tuple[int, int]]:
    inner: list[ast.expr]
    match node:
        case ast.Constant() | ast.Starred():
            return
        case ast.JoinedStr():
            start = source.start_of(node)
            yield from ((start + m.start(1), start + m.end(1)) for m in _FIELD.finditer(source.text_of(node)))
            return
        case ast.Call(ast.Name(name), inner) if name in _TEXTS:
            pass
        case ast.Call(ast.Attribute(attr="format"), inner):
            pass
        case ast.BinOp(left, ast.Add(), right) if _is_text(left) or _is_text(right):
            inner = [left, right]
        case ast.BinOp(ast.Constant(str()), ast.Mod(), right):
            inner = right.elts if isinstance(right, ast.Tuple) else [right]
        case _:
            yield source.start_of(node), source.end_of(node)
            return
    for value in inner:
        yield from _list_values(source, value)


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant(str()) | ast.JoinedStr() | ast.Call(ast.Name("str")):
            return True
        case ast.BinOp(left, ast.Add(), right):
            return _is_text(left) or _is_text(right)
    return False
