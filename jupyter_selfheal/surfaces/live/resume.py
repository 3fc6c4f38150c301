"""Resuming: after a fix of later statements, only the failing statement and those after it run again.

The whole source is run with the statements before the failing one blanked, so that line numbers hold.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Failure, FailureKind, Patch, Replace

LONG_SECONDS = 2.0
"""What ran so long is not run again, in a trial neither."""


def is_tried_after_failure_only(failure: Failure) -> bool:
    """Whether fixes are tried from after the failure alone: statements before the failing one ran, and the cell took long."""
    long = failure.kind is FailureKind.RAISED and failure.statement >= 1 and failure.seconds >= LONG_SECONDS
    return long and not src.is_foreign(failure.source)


def find_remaining_source(failure: Failure, patch: Patch) -> str | None:
    """The patched cell with everything blanked that already ran, or None where resuming is not possible:
    nothing ran before the failing statement, the patch changes what ran, it touches other cells, or the failing line holds several
    statements, of which some may have run."""
    if failure.kind is not FailureKind.RAISED or failure.statement < 1:
        return None
    if src.find_last_statement(failure.source, failure.line) > failure.statement:
        return None
    if len(patch.edits) != 1 or not isinstance(patch.edits[0], Replace) or patch.edits[0].cell_id != failure.cell_id:
        return None
    fixed = patch.edits[0].source
    if src.is_foreign(fixed) or fixed.lstrip().startswith("%%"):
        return None
    return src.find_remaining_source(failure.source, failure.statement, fixed)


def repeats_work(failure: Failure, names: Mapping[str, Any]) -> bool:
    """Whether the failing statement is a block that had begun something which running it again does twice.

    A loop that appended to a list goes on appending, one that had read half of an iterator reads the rest. ``names`` are the
    user's: what a loop goes over may be an iterator. What a block only computed, or printed, may be done again.
    """
    statements = src.list_statements(failure.source)
    if not 0 <= failure.statement < len(statements):
        return False
    node = statements[failure.statement].node
    if not isinstance(node, _BLOCKS):
        return False
    loops = [n for n in ast.walk(node) if isinstance(n, _LOOPS) and _spans_line(n, failure.line)]
    if any(isinstance(n, ast.For | ast.AsyncFor) and _may_be_used_up(n.iter, names) for n in loops):
        return True
    return any(_changes_something(statement) for statement in _list_begun(node, loops, failure.line))


_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BLOCKS = (*_LOOPS, ast.With, ast.AsyncWith, ast.Try, ast.If, ast.Match)


def _spans_line(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _may_be_used_up(expression: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether one of the names that a loop goes over is an iterator: what was taken from it is gone."""
    used = list_names(expression)
    return any(hasattr(type(names.get(name)), "__next__") for name in used)


def _list_begun(block: ast.stmt, loops: Sequence[ast.stmt], line: int) -> Iterator[ast.stmt]:
    """The simple statements of the block that ran: those above the failing line, and all of a loop that it is in."""
    for node in ast.walk(block):
        if not isinstance(node, ast.stmt) or isinstance(node, _BLOCKS):
            continue
        if (node.end_lineno or node.lineno) < line or any(_spans_line(loop, node.lineno) for loop in loops):
            yield node


def _changes_something(statement: ast.stmt) -> bool:
    """Whether it changes an object in place, or calls something for what that does; printing twice is no harm."""
    names = src.collect_names([statement])
    if names.changes or names.deletes or names.binds & names.uses:
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    return isinstance(call, ast.Call) and not (isinstance(call.func, ast.Name) and call.func.id == "print")
