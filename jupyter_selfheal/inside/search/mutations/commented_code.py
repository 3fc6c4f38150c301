"""Mutation operators for code that stands in a comment or in a text that nothing reads: somebody took it out, and it is needed."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope

STATEMENTS = (ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Return, ast.With, ast.Try)
"""What makes a text code: a word, or a sum of words, may be prose."""
_COMMENT = re.compile(r"^([ \t]*)#[ \t]?(.*)$", re.MULTILINE)


def _reads_as_code(text: str) -> bool:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "return" in text and _reads_in_function(text)
    return any(isinstance(n, STATEMENTS) for n in body)


def _reads_in_function(text: str) -> bool:
    try:
        ast.parse("def f():\n" + textwrap.indent(text, "    "))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def propose_code_of_text(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``'''total += x'''`` as a statement of its own: the code in it."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
        return
    indent = s.read_indent(node)
    text = textwrap.dedent(node.value.value).strip("\n").rstrip()
    if indent is None or "\n" not in node.value.value or not _reads_as_code(text):
        return
    new = textwrap.indent(text, indent)[len(indent) :]
    words = f"the code in the text of line {node.lineno} is needed"
    yield Change(((s.start_of(node), s.end_of(node), new),), 0.9, node.lineno, words)


def propose_code_of_comment(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``# total += x``, and several such lines below each other."""
    if node is not s.tree.body[0]:
        return
    block: list[re.Match[str]] = []
    for match in [*_COMMENT.finditer(s.text), None]:
        beside = match is not None and bool(block) and match.start() == block[-1].end() + 1
        if block and not beside:
            yield from _take_out_comment(s, block)
            block = []
        if match is not None:
            block.append(match)


def _take_out_comment(s: Scope, block: list[re.Match[str]]) -> Iterator[Change]:
    """The longest end of a comment that is code: words about it may stand above it."""
    for first in range(len(block)):
        lines = block[first:]
        if _reads_as_code(textwrap.dedent("\n".join(m[2] for m in lines))):
            line = s.text.count("\n", 0, lines[0].start()) + 1
            edits = tuple((m.start(), m.end(), m[1] + m[2]) for m in lines)
            yield Change(edits, 0.5, line, f"the code in the comment of line {line} is needed")
            return


OPERATORS = (propose_code_of_text, propose_code_of_comment)
