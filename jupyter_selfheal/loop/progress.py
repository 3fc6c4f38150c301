"""Did a trial fail as the cell did, and did it get further? Pure.

Real aged cells hold several broken calls. A patch that mends the first one meets the second: that is progress, and the
failure behind becomes a case of its own, with the patch as its base.
"""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.loop.limits import normalise
from jupyter_selfheal.model import (
    Case,
    Cell,
    Ending,
    ErrorInfo,
    Failure,
    FailureKind,
    Insert,
    Move,
    Notebook,
    Patch,
    Replace,
    Role,
    StepResult,
    Trial,
)

MISSED = "ExpectationMissed"
"""In place of an exception's name, where the cell ran but missed its oracle."""

_DEATHS = (Ending.EXITED, Ending.KILLED, Ending.OUT_OF_MEMORY)


def failure_of(case: Case, source: str, trial: Trial, missed: str = "") -> Failure | None:
    """How the cell (now ``source``) failed in a trial; None where it ran and missed nothing, or never began."""
    step = trial.step(Role.CELL)
    cell_id = case.failure.cell_id
    if step is not None and step.errors:
        return _raised(cell_id, source, step, step.errors[0])
    if any(s.role == Role.SETUP.value and not s.ok for s in trial.steps):
        return None
    outputs = step.outputs if step else ()
    seconds = step.seconds if step else trial.seconds
    if trial.ending is Ending.TIMED_OUT and (step is None or not step.ok):
        return Failure(
            cell_id, source, FailureKind.TIMED_OUT, "Timeout", trial.detail, outputs=outputs, seconds=seconds
        )
    if trial.ending in _DEATHS and (step is None or not step.ok):
        return Failure(cell_id, source, FailureKind.DIED, "KernelDied", trial.detail, outputs=outputs, seconds=seconds)
    if trial.ran and missed:
        return Failure(cell_id, source, FailureKind.MISSED, MISSED, missed, outputs=outputs, seconds=seconds)
    return None


def _raised(cell_id: str, source: str, step: StepResult, error: ErrorInfo) -> Failure:
    kind = FailureKind.SYNTAX if error.before_exec else FailureKind.RAISED
    at = src.statement_at(source, error.line) if error.line else -1
    return Failure(
        cell_id=cell_id,
        source=source,
        kind=kind,
        ename=error.ename,
        evalue=error.evalue,
        line=error.line,
        statement=at if at >= 0 else error.statement,
        frames=error.frames,
        traceback=error.traceback,
        outputs=step.outputs,
        seconds=step.seconds,
    )


def reproduces(case: Case, trial: Trial, missed: str) -> bool:
    """Whether the cell, run as it is, failed as reported: same kind and type, normalised message, and statement."""
    told, seen = case.failure, failure_of(case, case.failure.source, trial, missed)
    if seen is None or seen.kind is not told.kind:
        return False
    if told.kind in (FailureKind.MISSED, FailureKind.TIMED_OUT, FailureKind.DIED):
        return True
    return seen.ename == told.ename and normalise(seen.evalue) == normalise(told.evalue) and _same_place(told, seen)


def _same_place(told: Failure, seen: Failure) -> bool:
    first = told.statement if told.statement >= 0 else src.statement_at(told.source, told.line)
    return first < 0 or seen.statement < 0 or first == seen.statement


def reach(failure: Failure) -> tuple[int, int, int]:
    """How far a cell got before it failed; larger is further. Counted from the end, as patches add lines above."""
    lines = len(failure.source.rstrip().splitlines())
    if failure.kind is FailureKind.SYNTAX:
        return (0, 0, failure.line - lines)
    if failure.kind is FailureKind.MISSED:
        return (2, 0, 0)
    at = failure.statement if failure.statement >= 0 else src.statement_at(failure.source, failure.line)
    if at < 0:
        return (1, -len(src.statements(failure.source)), -lines)
    return (1, at - len(src.statements(failure.source)), failure.line - lines)


def signature(failure: Failure, notebook: Notebook) -> str:
    """A failure's type, message and innermost line of the user's: equal only where nothing was gained."""
    frame = next((f for f in reversed(failure.frames) if f.cell_id), None)
    line = frame.text.strip() if frame else ""
    if not line:
        cell_id, at = (frame.cell_id, frame.line) if frame else (failure.cell_id, failure.line)
        index = notebook.index(cell_id)
        text = failure.source if cell_id == failure.cell_id or index < 0 else notebook.cells[index].source
        lines = text.splitlines()
        line = lines[at - 1].strip() if 0 < at <= len(lines) else ""
    return f"{failure.ename}|{normalise(failure.evalue)}|{line}"


def behind(case: Case, patch: Patch, trial: Trial, missed: str = "") -> Case | None:
    """The case behind a patch of the reported case: the sources after it, the failure it met; None where it met none."""
    source = patch.source_of(case.failure.cell_id, case.failure.source)
    failure = failure_of(case, source, trial, missed)
    if failure is None or not failure.ename:
        return None
    return replace(case, failure=failure, notebook=after(case.notebook, patch), base=patch)


def after(notebook: Notebook, patch: Patch) -> Notebook:
    """The notebook with a patch's edits made."""
    for edit in patch.edits:
        if isinstance(edit, Replace):
            notebook = notebook.with_source(edit.cell_id, edit.source)
        elif isinstance(edit, Insert) and notebook.index(edit.cell_id) < 0:
            at = max(notebook.index(edit.before), 0)
            cells = notebook.cells
            notebook = replace(notebook, cells=(*cells[:at], Cell(edit.cell_id, edit.source), *cells[at:]))
        elif isinstance(edit, Move) and min(notebook.index(edit.cell_id), notebook.index(edit.before)) >= 0:
            moved = notebook.cell(edit.cell_id)
            cells = tuple(c for c in notebook.cells if c.id != edit.cell_id)
            at = next(n for n, c in enumerate(cells) if c.id == edit.before)
            notebook = replace(notebook, cells=(*cells[:at], moved, *cells[at:]))
    return notebook
