"""Did a trial fail as the cell did, and did it get further? Pure.

Real aged cells hold several broken calls. A patch that mends the first one meets the second: that is progress, and the
failure behind becomes a case of its own, with the patch as its base.
"""

from __future__ import annotations

import re
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import PatchError
from jupyter_selfheal.loop.limits import normalise_message
from jupyter_selfheal.model import (
    Case,
    Cell,
    Ending,
    ErrorInfo,
    Failure,
    FailureKind,
    Notebook,
    Patch,
    Role,
    Trial,
)
from jupyter_selfheal.source import endless

MISSED = "ExpectationMissed"
"""In place of an exception's name, where the cell ran but missed its oracle."""

_DEATHS = (Ending.EXITED, Ending.KILLED, Ending.OUT_OF_MEMORY)


def find_failure(case: Case, source: str, trial: Trial, missed: str | None = None) -> Failure | None:
    """How the cell (now ``source``) failed in a trial; None where it ran and missed nothing, or never began."""
    step = trial.step(Role.CELL)
    if any(r.role == Role.SETUP.value and not r.ok for r in trial.steps):
        return None
    ended = step is None or not step.ok
    if ended and (trial.ending is Ending.TIMED_OUT or (step is not None and step.status == "timeout")):
        return _build_failure(case, source, trial, FailureKind.TIMED_OUT, "TimeoutError", trial.detail)
    if ended and trial.ending in _DEATHS:
        return _build_failure(case, source, trial, FailureKind.DIED, "KernelDied", trial.detail or trial.ending.value)
    if step is not None and step.errors:
        kind = FailureKind.SYNTAX if step.errors[-1].before_exec else FailureKind.RAISED
        return _build_failure(case, source, trial, kind, step.errors[-1].ename, step.errors[-1].evalue)
    if trial.ran and missed:
        return _build_failure(case, source, trial, FailureKind.MISSED, MISSED, missed)
    return None


def _build_failure(case: Case, source: str, trial: Trial, kind: FailureKind, ename: str, evalue: str) -> Failure:
    """A failure with its place, as far as the trial knows it (also of a cell that was cut off, or whose process ended)."""
    step = trial.step(Role.CELL)
    error = step.errors[-1] if step is not None and step.errors else ErrorInfo(ename, evalue)
    at = src.find_statement(source, error.line) if error.line else -1
    return Failure(
        cell_id=case.failure.cell_id,
        source=source,
        kind=kind,
        ename=ename,
        evalue=evalue,
        line=error.line,
        statement=at if at >= 0 else error.statement,
        frames=error.frames,
        traceback=error.traceback,
        outputs=step.outputs if step is not None else (),
        seconds=step.seconds if step is not None else trial.seconds,
    )


def is_reproduction(case: Case, trial: Trial, missed: str) -> bool:
    """Whether the cell, run as it is, failed as reported: same kind and type, normalised message, and statement."""
    reported, seen = case.failure, find_failure(case, case.failure.source, trial, missed)
    if seen is None:
        return False
    if seen.kind in (FailureKind.TIMED_OUT, FailureKind.DIED) and _fills_memory_for_ever(case):
        return _is_same_place(reported, seen)
    if seen.kind is not reported.kind:
        return False
    if reported.kind in (FailureKind.MISSED, FailureKind.TIMED_OUT, FailureKind.DIED):
        return True
    return (
        seen.ename == reported.ename
        and normalise_message(seen.evalue) == normalise_message(reported.evalue)
        and _is_same_place(reported, seen)
    )


def _fills_memory_for_ever(case: Case) -> bool:
    """Whether memory ran out in a loop that cannot end: how much of it there is in a copy, and how long that may take to fill it, is no
    matter of the cell's."""
    failure = case.failure
    if failure.ename != "MemoryError":
        return False
    places = [(f.cell_id, f.line) for f in failure.frames if f.cell_id] or [(failure.cell_id, failure.line)]
    sources = {**{cell.id: cell.source for cell in case.notebook.cells}, failure.cell_id: failure.source}
    trees = ((src.parse(sources.get(cell_id, "")), line) for cell_id, line in places if line)
    return any(tree is not None and endless.is_in_endless_loop(tree, line) for tree, line in trees)


def _is_same_place(reported: Failure, seen: Failure) -> bool:
    first = reported.statement if reported.statement >= 0 else src.find_statement(reported.source, reported.line)
    return first < 0 or seen.statement < 0 or first == seen.statement


def measure_reach(failure: Failure) -> tuple[int, int, int]:
    """How far a cell got before it failed; larger is further. Counted from the end, as patches add lines above."""
    lines = len(failure.source.rstrip().splitlines())
    if failure.kind is FailureKind.SYNTAX:
        return (0, 0, failure.line - lines)
    if failure.kind is FailureKind.MISSED:
        return (2, 0, 0)
    at = failure.statement if failure.statement >= 0 else src.find_statement(failure.source, failure.line)
    if at < 0:
        return (1, -len(src.list_statements(failure.source)), -lines)
    return (1, at - len(src.list_statements(failure.source)), failure.line - lines)


def build_signature(failure: Failure, notebook: Notebook) -> str:
    """A failure's type, message and innermost line of the user's: equal only where nothing was gained."""
    frame = next((f for f in reversed(failure.frames) if f.cell_id), None)
    line = frame.text.strip() if frame else ""
    if not line:
        cell_id, at = (frame.cell_id, frame.line) if frame else (failure.cell_id, failure.line)
        index = notebook.index(cell_id)
        text = failure.source if cell_id == failure.cell_id or index < 0 else notebook.cells[index].source
        lines = text.splitlines()
        line = lines[at - 1].strip() if 0 < at <= len(lines) else ""
    return f"{failure.ename}|{normalise_message(failure.evalue)}|{line}"


def is_of_its_own_making(before: Failure, after: Failure) -> bool:
    """True where the new message is about a name that the patch brought in: it replaced one mistake by another."""
    named = set(re.findall(r"'(\w+)'", after.evalue))
    return any(name in after.source and name not in before.source for name in named)


def build_case_behind(case: Case, patch: Patch, trial: Trial, missed: str | None = None) -> Case | None:
    """The case behind a patch of the reported case: the sources after it, the failure it met; None where it met none."""
    source = patch.source_of(case.failure.cell_id, case.failure.source)
    failure = find_failure(case, source, trial, missed)
    if failure is None or not failure.ename:
        return None
    try:
        return replace(case, failure=failure, notebook=_apply_patch(case, patch), base=patch)
    except PatchError:  # of a cell that is not in the notebook: there is nothing to go on from
        return None


def _apply_patch(case: Case, patch: Patch) -> Notebook:
    """The notebook after the patch; the failing cell is there, and holds what failed, whatever the front end has in its place."""
    failing, source = case.failure.cell_id, case.failure.source
    if case.notebook.index(failing) >= 0:
        return case.notebook.with_source(failing, source).apply(patch)
    return replace(case.notebook, cells=(*case.notebook.cells, Cell(failing, source))).apply(patch)
