"""Read the evidence for a patch off its trial."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Applicability, Case, Cell, Ending, ErrorInfo, FailureKind, Patch, Role, Trial
from jupyter_selfheal.scoring import randomness
from jupyter_selfheal.scoring.avoided_call import find_avoided_call
from jupyter_selfheal.scoring.band_aids import find_band_aid, is_raised_by_notebook
from jupyter_selfheal.scoring.comparison import Comparison
from jupyter_selfheal.scoring.data_checks import asks_of_data
from jupyter_selfheal.scoring.documented_handlers import SWALLOWS, forgive_documented_handlers
from jupyter_selfheal.scoring.dodges import find_dodge
from jupyter_selfheal.scoring.edited_data import find_edited_data
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.left_faults import find_left_fault
from jupyter_selfheal.scoring.left_out import find_left_out_call
from jupyter_selfheal.scoring.lost_parts import find_left_out
from jupyter_selfheal.scoring.oracles import ORACLES, TrialOracle
from jupyter_selfheal.scoring.other_data import find_other_data
from jupyter_selfheal.scoring.other_labels import find_other_label
from jupyter_selfheal.scoring.output_text import split_tokens
from jupyter_selfheal.scoring.repeatable import is_own_work, is_trained
from jupyter_selfheal.scoring.same_program import find_same_programs, is_renamed, is_same_call
from jupyter_selfheal.scoring.scarce_proof import explain_scarcity, list_asserts_held
from jupyter_selfheal.scoring.shifted_results import asks_many, is_shifted
from jupyter_selfheal.scoring.tampering import find_remarks, find_tampering
from jupyter_selfheal.scoring.unscaled import explain_unscaled

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


OTHERWISE, PAST = 2, 3
"""The progress of a trial that failed otherwise at the failing statement, and of one that got past it."""

GOT_PAST = "it gets past the failing statement; the time limit ended it"
NOT_AGAIN = "the failure does not come again; the time limit ended the statement"

SLOWER = 5.0
"""So many times longer than until the failure the same statement has run, for its failure to count as gone."""


def read_evidence(case: Case, patch: Patch, trial: Trial, oracles: Sequence[TrialOracle] = ORACLES) -> Evidence:
    """Everything that the trial and the patch's trees say; nothing of other patches yet."""
    cheats, doubts = find_tampering(case, patch), find_remarks(case, patch)
    if not has_cell_run(trial):
        error = _find_error(trial)
        progress = _measure_progress(case, patch, trial, error)
        cut_after = _measure_cut(case, patch, trial, progress)
        return Evidence(
            ran=False,
            progress=progress,
            failure=_format_headline(trial, error),
            inconclusive=_explain_inconclusive(case, trial, error, progress, cut_after) or "",
            cut_after=cut_after,
            tampering=cheats,
            remarks=doubts,
        )
    seen = Evidence(
        ran=True,
        drawn=randomness.draws_unseeded(case, patch) or _is_trained(case, patch),
        own_work=is_own_work(_make_failing_cell(case), case.notebook),
        agreement=case.notebook.agreement,
        shifted=is_shifted(case, patch) and not asks_many(case, patch),
        left_out=find_left_out_call(case, patch) or find_left_out(case, patch),
        other_data=find_other_data(case, patch),
        other_label=find_other_label(case, patch),
        rival=patch.rival,
        printed_alone=_count_printed_alone(case),
        of_data=asks_of_data(case),
        own_raise=is_raised_by_notebook(case),
        specified=bool(case.oracle.spec),
        threads_left=_has_threads_left(trial),
        band_aid=find_band_aid(case, patch) or "",
        tampering=cheats,
        remarks=doubts,
        edited_data=find_edited_data(case, patch),
        dodge=find_dodge(case, patch, doubts),
        avoided=find_avoided_call(case, patch),
        left_fault=find_left_fault(case, patch),
    )
    for oracle in oracles:
        seen = oracle.add_evidence(seen, case, patch, trial)
    seen = _mark_same_programs(seen, case, patch)
    asserts = list_asserts_held(case, patch, seen)
    seen = replace(seen, scarce=explain_scarcity(case, patch, seen), unscaled=explain_unscaled(case, patch, asserts))
    return replace(seen, tampering=forgive_documented_handlers(seen, case, patch)) if SWALLOWS in cheats else seen


def _mark_same_programs(seen: Evidence, case: Case, patch: Patch) -> Evidence:
    """The evidence, with which of the outputs that differ come of the program that the cell was under an older release."""
    differing = [b.cell_id for b in seen.below if b.output.differs]
    if not seen.output.differs and not differing:
        return seen
    comes_again = any(o.same and o.computed for o in (seen.output, *(b.output for b in seen.below if b.ran)))
    if is_renamed(patch):
        outputs = {b.cell_id: b.output for b in seen.below} | {case.failure.cell_id: seen.output}
        same = frozenset(i for i, o in outputs.items() if o.differs and _may_be_the_release(case, i, o))
    elif is_same_call(patch) and comes_again and not seen.output.differs:
        same = frozenset(differing)
    else:
        same = find_same_programs(case, patch, differing)
    below = tuple(replace(b, is_same_program=b.cell_id in same) for b in seen.below)
    return replace(seen, is_same_program=case.failure.cell_id in same, below=below)


def _may_be_the_release(case: Case, cell_id: str, output: Comparison) -> bool:
    """Whether another release of a library may have changed an output: its words, or what a fitted model says; a sum of the same numbers
    under a new name is the same number."""
    cell = _make_failing_cell(case) if cell_id == case.failure.cell_id else case.notebook.cell(cell_id)
    return not output.worded or is_trained(cell, case.notebook)


def _has_threads_left(trial: Trial) -> bool:
    cell = trial.step(Role.CELL)
    return cell is not None and isinstance(cell.value, dict) and bool(cell.value.get("threads_left"))


def _count_printed_alone(case: Case) -> int:
    oracle, alone = case.oracle, case.failure.kind is FailureKind.MISSED
    return len(split_tokens(oracle.stdout)) if alone and not (oracle.expect or oracle.checks) else 0


def _is_trained(case: Case, patch: Patch) -> bool:
    """Whether a fitted model has to do with what the cell prints; one that does not parse is read as the patch makes it."""
    cell, notebook = _make_failing_cell(case), case.notebook
    if src.parse(cell.source) is None:
        cells = (replace(c, source=patch.source_of(c.id, c.source)) for c in notebook.cells)
        notebook = replace(notebook, cells=tuple(cells))
    return is_trained(cell, notebook)


def _make_failing_cell(case: Case) -> Cell:
    return Cell(case.failure.cell_id, case.failure.source)


def has_cell_run(trial: Trial) -> bool:
    """The cell ran to its end, whatever became of the checks and the cells below (which the time limit may cut)."""
    steps = [s for s in trial.steps if s.role in (Role.SETUP.value, Role.CELL.value) and not s.name]
    cell = trial.step(Role.CELL)
    return cell is not None and all(s.ok for s in steps)


def _find_error(trial: Trial) -> ErrorInfo | None:
    errors = [e for s in trial.steps if s.role in (Role.SETUP.value, Role.CELL.value) for e in s.errors]
    return errors[0] if errors else None


def _format_headline(trial: Trial, error: ErrorInfo | None) -> str:
    if error is not None:
        first = error.evalue.strip().splitlines()[0] if error.evalue.strip() else ""
        return f"{error.ename}: {first}"[:200].rstrip(": ")
    return trial.detail or str(trial.ending.value)


def _measure_progress(case: Case, patch: Patch, trial: Trial, error: ErrorInfo | None) -> int:
    """How far a failing trial came (see :class:`Evidence`)."""
    setup_failed = any(s.role == Role.SETUP.value and not s.ok for s in trial.steps)
    if error is None or setup_failed or error.before_exec:
        return 0
    after = patch.source_of(case.failure.cell_id, case.failure.source)
    at = src.find_statement(after, error.line) if error.line else error.statement
    if at >= 0 and at >= _find_end_of_counterpart(case, after):
        return PAST
    same = error.ename == case.failure.ename and error.evalue.strip() == case.failure.evalue.strip()
    return 1 if same else OTHERWISE


def _find_end_of_counterpart(case: Case, after: str) -> int:
    """Index of the first statement of the patched cell that comes after what the failing statement has become."""
    failing = case.failure.statement
    if failing < 0:
        failing = src.find_statement(case.failure.source, case.failure.line)
    old = [
        src.canonicalise(src.extract_text(case.failure.source, s.node))
        for s in src.list_statements(case.failure.source)
    ]
    new = [src.canonicalise(src.extract_text(after, s.node)) for s in src.list_statements(after)]
    if not 0 <= failing < len(old):
        return len(new)
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if first <= failing < last:
            # in a replaced block, what comes after the failing statement is taken to keep its distance from the block's end
            return begin + (failing - first) + 1 if tag == "equal" else max(begin, end - (last - failing - 1))
    return len(new)


def _measure_cut(case: Case, patch: Patch, trial: Trial, progress: int) -> float:
    """Seconds after which the time limit ended the cell behind its failure, 0 where that is not so.

    Behind it is a later statement; of a *safe* patch also the failing one itself (a loop, a call that fits a model), where it runs on for
    long where it failed at once: a guess may only have come into a loop without an end.
    """
    step, failure = trial.step(Role.CELL), case.failure
    if step is None or step.status != "timeout" or failure.kind is not FailureKind.RAISED:
        return 0.0
    is_gone = progress == OTHERWISE and patch.applicability is Applicability.SAFE
    is_gone = is_gone and step.seconds > SLOWER * max(failure.seconds, 0.1)
    return step.seconds if progress == PAST or is_gone else 0.0


def _explain_inconclusive(
    case: Case, trial: Trial, error: ErrorInfo | None, progress: int, cut_after: float
) -> str | None:
    """Why a failing trial says nothing about the patch; None where it does."""
    if trial.blocked and (error is None or error.ename in _BLOCKED_ERRORS or _mentions_block(error)):
        return f"the sandbox blocked {', '.join(trial.blocked)}"
    if cut_after:
        return GOT_PAST if progress == PAST else NOT_AGAIN
    timed_out = trial.ending is Ending.TIMED_OUT or any(s.status == "timeout" for s in trial.steps)
    if timed_out and error is None and case.failure.kind not in (FailureKind.TIMED_OUT, FailureKind.SYNTAX):
        return "the time limit ended it, and where it was then is not known"
    if trial.ending is Ending.CANCELLED:
        return "it was cancelled"
    return None


def _mentions_block(error: ErrorInfo) -> bool:
    message = error.evalue.lower()
    marks = (
        "network is unreachable",
        "name resolution",
        "name or service not known",
        "read-only file system",
        "max retries",
    )
    return any(mark in message for mark in marks)
