"""Read the evidence for a patch off its trial."""

from __future__ import annotations

import difflib

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Ending, ErrorInfo, FailureKind, Patch, Role, StepResult, Trial
from jupyter_selfheal.numbers import read_count
from jupyter_selfheal.scoring import draws, stored
from jupyter_selfheal.scoring.asserts import below, patched_cells, run_by
from jupyter_selfheal.scoring.data_checks import asks_of_data
from jupyter_selfheal.scoring.downstream import chosen
from jupyter_selfheal.scoring.expected import all_outputs, parts
from jupyter_selfheal.scoring.fitted import asks_many, shifted
from jupyter_selfheal.scoring.imports import only_imports
from jupyter_selfheal.scoring.intent import remarks, tampering
from jupyter_selfheal.scoring.seen import Below, Count, Evidence

DOCTESTS = "doctests"
"""Name of the probe that runs docstring examples."""

_BLOCKED_ERRORS = frozenset(
    [
        "OSError",
        "PermissionError",
        "ConnectionError",
        "ConnectionRefusedError",
        "URLError",
        "HTTPError",
        "gaierror",
        "timeout",
        "TimeoutError",
        "NewConnectionError",
        "MaxRetryError",
        "SSLError",
        "ConnectTimeout",
        "ReadTimeout",
        "ProxyError",
        "RemoteDisconnected",
        "FileNotFoundError",
        "OperationalError",
    ]
)


def evidence(case: Case, patch: Patch, trial: Trial) -> Evidence:
    """Everything that the trial and the patch's trees say; nothing of other patches yet."""
    cheats, doubts = tampering(case, patch), remarks(case, patch)
    if not cell_ran(trial):
        error = _error(trial)
        return Evidence(
            ran=False,
            progress=_progress(case, patch, trial, error),
            failure=_headline(trial, error),
            inconclusive=_inconclusive(case, patch, trial, error),
            tampering=cheats,
            remarks=doubts,
        )
    above = [c.source for c in case.notebook.code_before(case.failure.cell_id)]
    deciding, others = _asserts_below(case, patch, trial)
    return Evidence(
        ran=True,
        user=parts(case, trial, patch),
        doctests=_doctests(trial),
        own_asserts=sum(run_by(before, above) for _, before, _ in patched_cells(case, patch)),
        deciding=deciding,
        others=others,
        output=_output(case, patch, trial),
        below=_below(case, patch, trial),
        drawn=draws.unseeded(case, patch),
        imports=only_imports(case, patch),
        shifted=shifted(case, patch) and not asks_many(case),
        rival=patch.rival,
        of_data=asks_of_data(case),
        tampering=cheats,
        remarks=doubts,
    )


def cell_ran(trial: Trial) -> bool:
    """The cell ran to its end, whatever became of the checks and the cells below (which the time limit may cut)."""
    steps = [s for s in trial.steps if s.role in (Role.SETUP.value, Role.CELL.value) and not s.name]
    cell = trial.step(Role.CELL)
    return cell is not None and all(s.ok for s in steps)


def _error(trial: Trial) -> ErrorInfo | None:
    found = [e for s in trial.steps if s.role in (Role.SETUP.value, Role.CELL.value) for e in s.errors]
    return found[0] if found else None


def _headline(trial: Trial, error: ErrorInfo | None) -> str:
    if error is not None:
        first = error.evalue.strip().splitlines()[0] if error.evalue.strip() else ""
        return f"{error.ename}: {first}"[:200].rstrip(": ")
    return trial.detail or str(trial.ending.value)


def _progress(case: Case, patch: Patch, trial: Trial, error: ErrorInfo | None) -> int:
    """How far a failing trial came (see :class:`Evidence`)."""
    setup_failed = any(s.role == Role.SETUP.value and not s.ok for s in trial.steps)
    if error is None or setup_failed or error.before_exec:
        return 0
    after = patch.source_of(case.failure.cell_id, case.failure.source)
    at = src.find_statement(after, error.line) if error.line else error.statement
    if at >= 0 and at >= _end_of_counterpart(case, after):
        return 3
    same = error.ename == case.failure.ename and error.evalue.strip() == case.failure.evalue.strip()
    return 1 if same else 2


def _end_of_counterpart(case: Case, after: str) -> int:
    """Index of the first statement of the patched cell that comes after what the failing statement has become."""
    failing = case.failure.statement
    if failing < 0:
        failing = src.find_statement(case.failure.source, case.failure.line)
    old = [src.canonical(src.text_of(case.failure.source, s.node)) for s in src.statements(case.failure.source)]
    new = [src.canonical(src.text_of(after, s.node)) for s in src.statements(after)]
    if not 0 <= failing < len(old):
        return len(new)
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if first <= failing < last:
            # in a replaced block, what comes after the failing statement is taken to keep its distance from the block's end
            return begin + (failing - first) + 1 if tag == "equal" else max(begin, end - (last - failing - 1))
    return len(new)


def _inconclusive(case: Case, patch: Patch, trial: Trial, error: ErrorInfo | None) -> str:
    """Why a failing trial says nothing about the patch; empty where it does."""
    if trial.blocked and (error is None or error.ename in _BLOCKED_ERRORS or _mentions_block(error)):
        return f"the sandbox blocked {', '.join(trial.blocked)}"
    timed_out = trial.ending is Ending.TIMED_OUT or any(s.status == "timeout" for s in trial.steps)
    if timed_out and error is None and case.failure.kind.value not in ("timed_out", "syntax"):
        return "it was cut at the time limit after it had got past the failing statement"
    if trial.ending is Ending.CANCELLED:
        return "it was cancelled"
    return ""


def _mentions_block(error: ErrorInfo) -> bool:
    said = error.evalue.lower()
    marks = (
        "network is unreachable",
        "name resolution",
        "name or service not known",
        "read-only file system",
        "max retries",
    )
    return any(mark in said for mark in marks)


def _asserts_below(case: Case, patch: Patch, trial: Trial) -> tuple[Count, Count]:
    """Those that decide, and the others. An assert that fails of anything but an AssertionError says nothing."""
    asked = below(case, patch)
    results = [s for s in trial.steps if s.role == Role.CHECK.value and s.cell_id]
    held: dict[bool, list[bool]] = {True: [], False: []}
    whys = {True: "", False: ""}
    for one, step in zip(asked, results, strict=False):
        failed = bool(step.errors) and step.errors[0].ename == "AssertionError"
        if step.cell_id != one.cell_id or not (step.ok or failed):
            continue
        held[one.decides].append(step.ok)
        if failed and not whys[one.decides]:
            whys[one.decides] = f"`{one.code.strip()[:120]}` {step.errors[0].evalue.strip()[:120]}".rstrip()
    return _count(held[True], whys[True]), _count(held[False], whys[False])


def _count(held: list[bool], why: str) -> Count:
    return Count(len(held), sum(held), why)


def _doctests(trial: Trial) -> Count:
    value = trial.probe(DOCTESTS)
    if not isinstance(value, dict):
        return Count()
    tried, failed = read_count(value.get("tried")) or 0, read_count(value.get("failed")) or 0
    return Count(tried, max(tried - failed, 0), str(value.get("why", "")))


def _output(case: Case, patch: Patch, trial: Trial) -> stored.Comparison:
    if case.notebook.index(case.failure.cell_id) < 0 or case.failure.kind is FailureKind.MISSED:
        return stored.NOTHING  # what a wrong program left in the notebook is no oracle
    return stored.compare(case.notebook.cell(case.failure.cell_id), all_outputs(case, trial, patch))


def _below(case: Case, patch: Patch, trial: Trial) -> tuple[Below, ...]:
    cells = {cell.id: cell for cell in chosen(case, patch)}
    found = []
    for step in trial.steps:
        if step.role == Role.DOWNSTREAM.value and step.cell_id in cells and step.status in ("ok", "error"):
            cell = cells[step.cell_id]
            missed = trial.probe(f"expected:{cell.id}")
            found.append(
                Below(
                    cell.id,
                    step.ok,
                    _step_headline(step),
                    stored.compare(cell, step.outputs) if step.ok else stored.NOTHING,
                    missed=str(missed.get("why", "")) if isinstance(missed, dict) and step.ok else "",
                    asserts=run_by(cell.source),
                )
            )
    return tuple(found)


def _step_headline(step: StepResult) -> str:
    return f"{step.errors[0].ename}: {step.errors[0].evalue}"[:160].rstrip(": ") if step.errors else ""
