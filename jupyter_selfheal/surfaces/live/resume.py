"""Resuming: after a fix of later statements, only the failing statement and those after it run again.

The whole source is run with the statements before the failing one blanked, so that line numbers hold.
"""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Failure, FailureKind, Patch, Replace

LONG_SECONDS = 2.0
"""What ran so long is not run again, in a trial neither."""


def is_tried_after_failure_only(failure: Failure) -> bool:
    """Whether fixes are tried from after the failure alone: statements before the failing one ran, and the cell took long."""
    long = failure.kind is FailureKind.RAISED and failure.statement >= 1 and failure.seconds >= LONG_SECONDS
    return long and not src.is_foreign(failure.source)


def find_remaining_source(failure: Failure, patch: Patch) -> str | None:
    """The patched cell with everything blanked that already ran, or None where resuming is not possible:
    nothing ran before the failing statement, the patch changes what ran, or it touches other cells."""
    if failure.kind is not FailureKind.RAISED or failure.statement < 1:
        return None
    if len(patch.edits) != 1 or not isinstance(patch.edits[0], Replace) or patch.edits[0].cell_id != failure.cell_id:
        return None
    fixed = patch.edits[0].source
    if src.is_foreign(fixed) or fixed.lstrip().startswith("%%"):
        return None
    return src.find_remaining_source(failure.source, failure.statement, fixed)


def find_repeat_warning(failure: Failure) -> str | None:
    """What the user should know before resuming: a compound statement's first part ran already and runs again."""
    statements = src.list_statements(failure.source)
    if 0 <= failure.statement < len(statements):
        node = statements[failure.statement].node
        if isinstance(node, ast.For | ast.While | ast.With | ast.AsyncFor | ast.AsyncWith | ast.Try | ast.If):
            return "the failing statement is a block: what it did before it failed happens again"
    return None
