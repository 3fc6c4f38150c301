"""From a trial of a cell to its failure, and which failures are only cascades of an earlier one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Ending, Failure, FailureKind, Role, Trial


def failure_of(cell: Cell, trial: Trial, missed: str = "") -> Failure | None:
    """How the cell failed in a trial of it, or None where it ran (and did not miss its oracle: ``missed`` says why)."""
    step = trial.step(Role.CELL)
    outputs = step.outputs if step else ()
    if trial.ending is Ending.TIMED_OUT or (step is not None and step.status == "timeout"):
        seconds = step.seconds if step and step.seconds else trial.seconds
        return Failure(cell.id, cell.source, FailureKind.TIMED_OUT, "TimeoutError", trial.detail, outputs=outputs,
                       seconds=seconds, **_located(trial))  # fmt: skip
    if trial.ending is not Ending.FINISHED:
        detail = trial.detail or trial.ending.value
        return Failure(cell.id, cell.source, FailureKind.DIED, "DeadKernelError", detail, outputs=outputs,
                       seconds=trial.seconds)  # fmt: skip
    if step is not None and step.status == "error" and step.errors:
        error = step.errors[-1]
        return Failure(
            cell_id=cell.id,
            source=cell.source,
            kind=FailureKind.SYNTAX if error.before_exec else FailureKind.RAISED,
            ename=error.ename,
            evalue=error.evalue,
            line=error.line,
            statement=error.statement,
            frames=error.frames,
            traceback=error.traceback,
            outputs=outputs,
            seconds=step.seconds,
        )
    if step is not None and step.status == "error":
        return Failure(cell.id, cell.source, ename="Error", evalue="the cell failed without an exception",
                       outputs=outputs, seconds=step.seconds)  # fmt: skip
    if missed:
        return Failure(cell.id, cell.source, FailureKind.MISSED, "ExpectationMissed", missed, outputs=outputs,
                       seconds=step.seconds if step else 0.0)  # fmt: skip
    return None


def _located(trial: Trial) -> dict[str, Any]:
    """Where a cell was cut off, if the kernel could say."""
    step = trial.step(Role.CELL)
    if step is None or not step.errors:
        return {}
    error = step.errors[-1]
    return {
        "line": error.line,
        "statement": error.statement,
        "frames": error.frames,
        "traceback": error.traceback,
    }


@dataclass(frozen=True, slots=True)
class Lost:
    """What an unhealed cell did not leave behind: global names, and keys it would have set in what exists."""

    number: int
    names: frozenset[str]
    keys: frozenset[str] = frozenset()


def lost_by(number: int, cell: Cell, failure: Failure) -> Lost:
    """What is missing because this cell failed: what the failing statement and those after it would have bound.

    Statements before the failing one did run; where it is not known, or a syntax error, none did.
    """
    found = src.statements(cell.source)
    rest = [s.node for s in found if s.index >= max(failure.statement, 0)]
    if not rest:
        return Lost(number, _assigned_in_text(cell.source))
    used = src.names_of(rest)
    return Lost(number, used.binds, frozenset(_keys(rest)))


def cascade_of(failure: Failure, lost: Iterable[Lost]) -> int:
    """The number of the earlier unhealed cell that this failure is only a cascade of, or 0.

    Certain cases alone: a name that cell would have bound, or a key or attribute that it would have set.
    """
    missing = re.match(r"(?:name|cannot access free variable) '(\w+)'", failure.evalue)
    last = failure.evalue.strip().strip("'\"")
    attribute = re.search(r"has no attribute '(\w+)'", failure.evalue)
    for one in lost:
        if failure.ename == "NameError" and missing and missing[1] in one.names:
            return one.number
        if failure.ename == "KeyError" and last in one.keys:
            return one.number
        if failure.ename == "AttributeError" and attribute and attribute[1] in one.keys:
            return one.number
    return 0


def _keys(body: Iterable[ast.stmt]) -> Iterable[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                if isinstance(node.slice, ast.Constant):
                    yield str(node.slice.value)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.attr


def _assigned_in_text(source: str) -> frozenset[str]:
    """Names that a cell which does not parse seems to bind, line by line."""
    found = re.findall(r"(?m)^(?:(\w+)\s*=(?!=)|(?:def|class)\s+(\w+)|import\s+(?:[\w.]+\s+as\s+)?(\w+))", source)
    found += re.findall(r"(?m)^from\s+\S+\s+import\s+()()(\w+)", source)
    return frozenset(name for group in found for name in group if name)
