"""Mutation operators for code that stands in a comment or in a text that nothing reads: somebody took it out, and it is needed."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from functools import lru_cache

from jupyter_selfheal.inside.outside_calls import WORLD, list_imported, reaches_out
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import list_read_names

STATEMENTS = (ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Return, ast.With, ast.Try)
"""What makes a text code: a word, or a sum of words, may be prose."""
_COMMENT = re.compile(r"^([ \t]*)#[ \t]?(.*)$", re.MULTILINE)
_MAY_BE_CODE = re.compile(r"=|:[ \t]*$|^[ \t]*#[ \t]*return\b", re.MULTILINE)
"""What a comment that holds one of these statements has, and little prose."""
MOST_LINES = 40
"""Lines of a comment that are read, from its end."""
_FIRST_VALUES = frozenset(
    {"None", "True", "False", "0", "1", "0.0", "1.0", "''", "[]", "()", "{}", "set()", "list()", "dict()"}
)
"""What a name is set to before anything is known, as ``ast.unparse`` writes it."""


@lru_cache(maxsize=1024)
def _parse(text: str) -> ast.Module | None:
    """The tree of a text that is code; None for any other, and for a word or a sum of words."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if any(isinstance(n, STATEMENTS) for n in tree.body) else None


def _is_needed(s: Scope, text: str) -> bool:
    """Whether a text may be code that the function needs: not what reaches outside, and no answer that is written down."""
    tree = _parse(text)
    if tree is None or any(_is_written_down(n) for n in tree.body):
        return False
    if any(
        isinstance(n, ast.If) and _is_of_one_value(n.test) and any(map(_is_written_down, n.body))
        for n in ast.walk(tree)
    ):
        return False
    modules = {**{name: name for name in WORLD}, **dict(list_imported([*s.order, *ast.walk(tree)]))}
    imported = set(s.modules) - s.called
    called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return not reaches_out(tree, modules) and not called & imported


def _is_written_down(node: ast.stmt) -> bool:
    """``total = 42``: what hangs on nothing, and is no value to begin with."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) or node.value is None:
        return False
    return not list_read_names(node.value) and ast.unparse(node.value) not in _FIRST_VALUES


def _is_of_one_value(test: ast.expr) -> bool:
    """``n == 3``."""
    return any(
        isinstance(n, ast.Compare)
        and any(isinstance(o, ast.Eq | ast.In) for o in n.ops)
        and any(not list_read_names(c) for c in (n.left, *n.comparators))
        for n in ast.walk(test)
    )


def propose_code_of_text(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``'''total += x'''`` as a statement of its own: the code in it."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
        return
    indent = s.read_indent(node)
    text = textwrap.dedent(node.value.value).strip("\n").rstrip()
    if indent is None or "\n" not in node.value.value or not _is_needed(s, text):
        return
    new = textwrap.indent(text, indent)[len(indent) :]
    words = f"the code in the text of line {node.lineno} is needed"
    yield Change(((s.start_of(node), s.end_of(node), new),), 0.9, node.lineno, words)


def propose_code_of_comment(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``# total += x``, and several such lines below each other."""
    if node is not s.tree.body[0] or "#" not in s.text:
        return
    inside = _list_text_starts(s)
    block: list[re.Match[str]] = []
    for match in [*(m for m in _COMMENT.finditer(s.text) if m.start() not in inside), None]:
        beside = match is not None and bool(block) and match.start() == block[-1].end() + 1
        if block and not beside:
            yield from _take_out_comment(s, block)
            block = []
        if match is not None:
            block.append(match)


def _list_text_starts(s: Scope) -> set[int]:
    """Where lines begin that are inside of a text, or go on with one: what looks like a comment there is none."""
    texts = (
        n
        for n in s.order
        if isinstance(n, ast.JoinedStr) or (isinstance(n, ast.Constant) and isinstance(n.value, str | bytes))
    )
    return {s.lines.starts[line] for n in texts for line in range(n.lineno, n.end_lineno or n.lineno)}


def _take_out_comment(s: Scope, block: list[re.Match[str]]) -> Iterator[Change]:
    """The longest end of a comment that is code: words about it may stand above it."""
    if not _MAY_BE_CODE.search(s.text, block[0].start(), block[-1].end()):
        return
    block = block[-MOST_LINES:]
    for first in range(len(block)):
        lines = block[first:]
        text = textwrap.dedent("\n".join(m[2] for m in lines))
        if _parse(text) is not None:
            if _is_needed(s, text):
                line = s.text.count("\n", 0, lines[0].start()) + 1
                edits = tuple((m.start(), m.end(), m[1] + m[2]) for m in lines)
                yield Change(edits, 0.5, line, f"the code in the comment of line {line} is needed")
            return


OPERATORS = (propose_code_of_text, propose_code_of_comment)
