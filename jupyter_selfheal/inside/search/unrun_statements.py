"""Which statements of a source did not run: nothing that the run shows is about them."""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import Any

_SILENT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass, ast.Global, ast.Nonlocal)
"""Statements whose own line need not come up in a trace: their bodies count, or there is nothing in them to be wrong."""


_HEAD = re.compile(r"\s*(?:else|try|finally)\s*:\s*(?:#.*)?$")
"""A line that is the head of a block, and no statement's."""


def trace_lines(work: Callable[[], object], file: str) -> frozenset[int]:
    """The lines of the code named ``file`` that run while the work is done. See ``sys.settrace``."""
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != file:
            return None
        lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return frozenset(lines)


def has_unrun_statements(source: str, lines: frozenset[int]) -> bool:
    """True where a statement with something in it has no line among these."""
    return any(not lines.intersection(range(start, end + 1)) for start, end in _list_spans(source))


def measure_unrun_share(source: str, lines: frozenset[int], within: ast.stmt | None = None) -> float:
    """The share of the statements of a source, or of those ``within`` one of them, (0-1) that have no line among these."""
    first, last = (within.lineno, within.end_lineno or within.lineno) if within else (0, sys.maxsize)
    spans = [span for span in _list_spans(source) if first <= span[0] <= last]
    return sum(not lines.intersection(range(start, end + 1)) for start, end in spans) / max(len(spans), 1)


def find_unrun_lines(source: str, lines: frozenset[int]) -> frozenset[int]:
    """The lines of the statements that have no line among these: what is changed there changes nothing that the run showed."""
    run: set[int] = set()
    unrun: set[int] = set()
    for start, end in _list_spans(source):
        span = range(start, end + 1)
        (run if lines.intersection(span) else unrun).update(span)
    return frozenset(unrun - run)


def changes_unrun_lines(given: str, source: str, lines: frozenset[int]) -> bool:
    """Whether what makes ``source`` of ``given`` changes a statement, or the head of a block (``else:``), that has no line among these.

    What is left as it was there may be wrong too, but not through the change.
    """
    unrun = find_unrun_lines(source, lines)
    texts = source.splitlines()
    for n in range(len(texts) - 1, 0, -1):  # a line that is no statement's own goes with what stands below it
        if n + 1 in unrun and n not in unrun and _HEAD.match(texts[n - 1]):
            unrun |= {n}
    matcher = difflib.SequenceMatcher(None, given.splitlines(), texts, autojunk=False)
    changed = [
        (start, max(end, start + 1)) for tag, _, _, start, end in matcher.get_opcodes() if tag in ("replace", "insert")
    ]
    taken = [(at - 1, at + 1) for tag, _, _, at, _ in matcher.get_opcodes() if tag == "delete"]
    return any(n + 1 in unrun for start, end in changed + taken for n in range(start, end))


def _list_spans(source: str) -> Iterator[tuple[int, int]]:
    """First and last line of each simple statement, and of the head of each compound one."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt) or isinstance(node, _SILENT) or _is_constant(node) or _is_declared(node):
            continue
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
        yield node.lineno, max(end, node.lineno)


def _is_declared(node: ast.stmt) -> bool:
    """``total: int``: what stands for a declaration only, and is no code in a function."""
    return isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.annotation, ast.Name)


def _is_constant(node: ast.stmt) -> bool:
    """A docstring, or a loop or branch whose condition the compiler takes away."""
    tested = getattr(node, "value" if isinstance(node, ast.Expr) else "test", None)
    return isinstance(tested, ast.Constant)


def has_run(statement: ast.stmt, ran: Collection[int]) -> bool:
    """Whether one of a statement's lines is among those that ran."""
    return any(line in ran for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
