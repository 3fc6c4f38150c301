"""Statements of a script at the wrong level: what stands below a block and belongs into it, and the end of a block that belongs below it.

Whoever lost the indentation of a line, or gave it one too many, has a cell that parses all the same: the output alone tells. What functions have
of it the single changes know (``mutations/moved_statements.py``); here whole statements are moved, with all their lines, wherever they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_bound_names, list_read_names

SURELY, TOLD, PLAIN, FAR = 0.85, 0.4, 0.25, 0.15
"""How likely a move is: into a ``while`` that nothing ends otherwise or from behind a ``return``, of what reads or prints what the block makes, of
anything else, of two statements at once."""
TOGETHER = 2
"""Statements that are moved at once, at most."""
_BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef)
_LOOPS = (ast.For, ast.While)
_ENDS = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def list_level_changes(source: Source) -> list[Change]:
    """One statement, or two, one level deeper at the end of the block above, or one level out at the end of its own."""
    changes: list[Change] = []
    for owner in source.order:
        for name in ("body", "orelse"):
            block = getattr(owner, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                for at, head in enumerate(block):
                    if isinstance(head, _BLOCKS):
                        changes += _move_in(source, head, block[at + 1 : at + 1 + TOGETHER])
                        changes += _move_out(source, head)
    return changes


def _find_last_suite(head: ast.stmt) -> list[ast.stmt]:
    """The suite that a block ends with: that of its last ``elif`` or ``else``."""
    suite: list[ast.stmt] = getattr(head, "orelse", None) or head.body  # type: ignore[attr-defined]
    return _find_last_suite(suite[0]) if _is_elif(head, suite) else suite


def _is_elif(head: ast.stmt, suite: list[ast.stmt]) -> bool:
    is_other = suite is not head.body  # type: ignore[attr-defined]
    return is_other and len(suite) == 1 and isinstance(suite[0], ast.If) and suite[0].col_offset == head.col_offset


def _move_in(source: Source, head: ast.stmt, below: list[ast.stmt]) -> Iterator[Change]:
    """What stands below a block as the end of it."""
    suite = _find_last_suite(head)
    outer, inner = source.read_indent(head), source.read_indent(suite[0])
    if outer is None or inner is None:
        return
    for count in range(1, len(below) + 1):
        moved = below[:count]
        edits = _indent(source, moved, outer, inner)
        if edits is None or isinstance(moved[-1], ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
            return
        words = f"`{_quote(source, moved[-1])}` belongs into `{_quote(source, head)}`"
        end = source.end_of(suite[-1])
        # where it comes to has run, and what is moved has not where the loop has no end
        yield Change(((end, end, ""), *edits), _weigh_in(head, moved), moved[0].lineno, words)


def _move_out(source: Source, head: ast.stmt) -> Iterator[Change]:
    """The end of a block as what stands below it."""
    suite = _find_last_suite(head)
    outer, inner = source.read_indent(head), source.read_indent(suite[0])
    if outer is None or inner is None:
        return
    for count in range(1, min(TOGETHER, len(suite) - 1) + 1):
        moved = suite[-count:]
        edits = _indent(source, moved, inner, outer)
        if edits is None:
            return
        words = f"`{_quote(source, moved[0])}` belongs outside of `{_quote(source, head)}`"
        start = source.start_of(head)
        prior = _weigh_out(head, suite, moved)
        if prior:
            yield Change(((start, start, ""), *edits), prior, moved[0].lineno, words)


def _weigh_in(head: ast.stmt, moved: list[ast.stmt]) -> float:
    """How likely statements belong into the block above them."""
    binds = set[str]().union(*(list_bound_names(s) for s in moved))
    if isinstance(head, ast.While):
        asked = list_read_names(head.test)
        if asked & binds and not asked & set[str]().union(*(list_bound_names(s) for s in head.body)):
            return SURELY
    if len(moved) > 1:
        return FAR
    return TOLD if isinstance(head, _LOOPS) and list_bound_names(head) & list_read_names(moved[0]) else PLAIN


def _weigh_out(head: ast.stmt, suite: list[ast.stmt], moved: list[ast.stmt]) -> float:
    """How likely the end of a block belongs below it: surely where nothing comes to it."""
    if any(isinstance(s, _ENDS) for s in suite[: -len(moved)]):
        return SURELY if isinstance(suite[-len(moved) - 1], _ENDS) else 0.0
    if len(moved) > 1:
        return FAR
    return TOLD if isinstance(head, _LOOPS) and _prints(moved[0]) else PLAIN


def _prints(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return) or (isinstance(statement, ast.Expr) and is_call(statement.value, "print"))


def _indent(source: Source, statements: list[ast.stmt], old: str, new: str) -> tuple[Edit, ...] | None:
    """The edits that give all lines of statements another indentation; None where a line has another one than its block, or a text goes over lines."""
    edits: list[Edit] = []
    for statement in statements:
        if source.read_indent(statement) != old or _has_long_text(statement):
            return None
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            start = source.lines.starts[line - 1]
            text = source.text[start:].split("\n", 1)[0]
            if text.strip():
                if not text.startswith(old):
                    return None
                edits.append((start, start + len(old), new))
    return tuple(edits)


def _has_long_text(statement: ast.stmt) -> bool:
    texts = (n for n in ast.walk(statement) if isinstance(n, ast.Constant | ast.JoinedStr))
    return any(n.lineno != n.end_lineno for n in texts)


def _quote(source: Source, statement: ast.stmt) -> str:
    return source.text_of(statement).split("\n", 1)[0].rstrip(": ")
