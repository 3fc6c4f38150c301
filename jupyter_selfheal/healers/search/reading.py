"""What a statement asks: asserts, and the examples that a docstring tells."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Collection, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case

WRITTEN = 20
"""Calls in the text of other cells that are looked at."""


def has_assert(node: ast.AST) -> bool:
    """True where an assert, or a call named so (``np.testing.assert_allclose``), is inside."""
    for child in ast.walk(node):
        if isinstance(child, ast.Assert):
            return True
        if isinstance(child, ast.Call):
            name = read_called_name(child)
            if name.startswith("assert"):
                return True
    return False


_GIVES = re.compile(
    r"\s*(?:=+>|-+>|==|➞|→|=|#\s*=+>|#\s*-*>?|(?:should|must|will|would)\s+(?:return|be|give|equal)|returns?|gives|equals|is)\s*"
)
"""What stands between a call and its result where an example is told in prose."""


def list_examples(doc: str, name: str) -> Iterator[tuple[str, str]]:
    """(call, literal result) for each example of a function in its docstring: doctests, and ``f(2) == 4`` or ``f(2) ➞ 4``."""
    try:
        shown = doctest.DocTestParser().get_examples(doc)
    except ValueError:
        shown = []
    has_doctest = False
    for example in shown:
        if is_literal(example.want) and is_expression(example.source):
            has_doctest = True
            yield example.source.strip(), example.want.strip()
    if not has_doctest:
        yield from list_prose_examples(doc, name)


def list_prose_examples(doc: str, name: str) -> Iterator[tuple[str, str]]:
    """The examples that a docstring tells outside of doctests, on one line each; anything that is not plain is left out."""
    for line in doc.splitlines():
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\(", line):
            ends = (n for n in range(match.end(), len(line) + 1) if line[n - 1] == ")")
            end = next((n for n in ends if _is_plain_call(line[match.start() : n])), 0)
            joint = _GIVES.match(line, end) if end else None
            if joint and (want := _find_leading_literal(line[joint.end() :])):
                yield line[match.start() : end], want


def list_written_calls(case: Case, names: Collection[str]) -> list[tuple[str, str]]:
    """(function, its arguments as the text of a tuple) for each call of one of these functions with plain values that stands in a
    cell above or below the failing one."""
    calls: dict[tuple[str, str], None] = {}
    for cell in (
        *case.notebook.list_code_after(case.failure.cell_id),
        *case.notebook.list_code_before(case.failure.cell_id),
    ):
        tree = src.parse(cell.source) if names else None
        for node in ast.walk(tree) if tree else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names):
                continue
            if _is_plain_call(ast.unparse(node)):
                calls[node.func.id, f"({''.join(f'{ast.unparse(a)}, ' for a in node.args)})"] = None
    return list(calls)[:WRITTEN]


def _is_plain_call(text: str) -> bool:
    """True for a call whose arguments are literals."""
    if not is_expression(text):
        return False
    call = src.parse_expression(text)
    return isinstance(call, ast.Call) and not call.keywords and all(is_literal(ast.unparse(a)) for a in call.args)


def _find_leading_literal(text: str) -> str:
    """The literal that a text begins with, up to a full stop, a comment or a word after it; empty where it goes on as a formula."""
    text = text.strip()
    for end in range(len(text), 0, -1):
        rest = text[end:].lstrip()
        apart = not rest or rest[0] in ".,;#(" or (text[end].isspace() and rest[0].isalpha())
        if apart and is_literal(text[:end]):
            return text[:end].rstrip()
    return ""


def is_literal(text: str) -> bool:
    """True for the text of a value."""
    try:
        ast.literal_eval(src.parse_expression(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def is_expression(text: str) -> bool:
    """True for the text of an expression."""
    try:
        src.parse_expression(text)
    except (SyntaxError, ValueError):
        return False
    return True
