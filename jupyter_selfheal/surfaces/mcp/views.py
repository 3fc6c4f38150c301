"""What tools answer, as small JSON: texts are cut, lists come in pages, and secrets stand as placeholders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model import (
    JSON,
    MADE_UP_PLACE,
    Candidate,
    Cell,
    Failure,
    Oracle,
    Output,
    Question,
    Role,
    StepResult,
    Trial,
    diff_patch,
    format_diff,
)
from jupyter_selfheal.surfaces.mcp.asked_notebook import AskedNotebook
from jupyter_selfheal.surfaces.mcp.open_notebook import OpenNotebook
from jupyter_selfheal.surfaces.mcp.proving import Proven
from jupyter_selfheal.surfaces.mcp.situation import Situation
from jupyter_selfheal.surfaces.notebook.open_questions import build_expectation, describe_subject
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status

LEAST, USUAL, MOST = 80, 1_200, 20_000
"""Characters of one text in a result: the fewest that can be asked for, those without a word, the most."""

WORDS = {
    Status.CASCADE: "consequence",
    Status.LEFT_ALONE: "leave alone",
    Status.NOT_HEALED: "failed",
    Status.PROPOSED: "failed",
}
"""What a status is called where nothing was healed yet."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Cuts texts to a length, and says how much was left out and how to get it."""

    limit: int = USUAL
    redact: Callable[[str], str] = redact

    def cut_text(self, text: str) -> str:
        """The text without its secrets, at most so long: of a longer one the beginning and the end."""
        clean = self.redact(text)
        if len(clean) <= self.limit:
            return clean
        half = self.limit // 2
        left = len(clean) - 2 * half
        hint = f"; ask with max_chars={min(len(clean), MOST)} for more" if self.limit < MOST else ""
        return f"{clean[:half]}\n… {left:,} characters left out{hint} …\n{clean[-half:]}"


def view_check(
    notebook: OpenNotebook, report: NotebookReport, show: str, offset: int, limit: int, texts: Texts
) -> JSON:
    """What each cell did; ``show`` is ``broken`` or ``all``."""
    records = [r for r in report.records if show == "all" or r.status is not Status.RAN]
    page = records[offset : offset + limit]
    failed = [r for r in report.records if r.status is Status.NOT_HEALED]
    same = _map_same_faults(failed)
    roots = [r for r in failed if r.cell.id not in same]
    view = {
        "notebook": str(notebook.path),
        "ran": report.count(Status.RAN),
        "root_failures": [r.cell.id for r in roots],
        "consequences": report.count(Status.CASCADE) + len(same),
        "cells": [_view_record(r, report, texts, same) for r in page],
        "isolation": report.isolation.words if report.isolation is not None else "",
        "notes": [texts.cut_text(n) for n in report.notes[:10]],
        "next": _say_next(roots, report),
    }
    if len(records) > offset + limit:
        view["more"] = f"{len(records) - offset - limit} more cells: call again with offset={offset + limit}"
    return view


def _map_same_faults(failed: Sequence[Record]) -> dict[str, str]:
    """By its id each failed cell that fails at the same line of another cell's function as one above it, and in the same way: the id of that one."""
    first: dict[tuple[str, int, str], str] = {}
    same: dict[str, str] = {}
    for record in (r for r in failed if r.own_failure):
        inner = next((f for f in reversed(record.failure[0].frames) if f.cell_id), None)
        if inner is None or inner.cell_id == record.cell.id:
            continue
        known = first.setdefault((inner.cell_id, inner.line, record.headline), record.cell.id)
        if known != record.cell.id:
            same[record.cell.id] = known
    return same


def _view_record(record: Record, report: NotebookReport, texts: Texts, same: Mapping[str, str]) -> JSON:
    first = next((line.strip() for line in record.cell.source.splitlines() if line.strip()), "")
    view: dict[str, JSON] = {
        "cell_id": record.cell.id,
        "status": WORDS.get(record.status, record.status.value),
        "first_line": first[:80],
    }
    if record.headline:
        view["failure"] = texts.cut_text(record.headline)
    if record.cascade_of:
        view["consequence_of"] = next((r.cell.id for r in report.records if r.number == record.cascade_of), "")
    elif record.cell.id in same:
        view["same_fault_as"] = same[record.cell.id]
    elif record.cause:
        view["cause"] = texts.cut_text(record.cause)
    if record.status in (Status.LEFT_ALONE, Status.MEANT_TO_FAIL):
        reason = record.diagnosis.skip_reason
        view["leave_alone"] = f"{reason.value}: {record.detail}" if reason is not None else record.detail
    elif record.detail and record.status not in (Status.NOT_HEALED, Status.RAN):
        view["detail"] = texts.cut_text(record.detail)
    return view


def _say_next(roots: Sequence[Record], report: NotebookReport) -> str:
    if roots:
        return (
            f"heal cell {roots[0].cell.id} first: propose_fixes, or diagnose and then try_patch with an edit of yours"
        )
    if report.count(Status.LEFT_ALONE):
        return "what fails is not to be changed by an edit: tell the user what leave_alone says"
    if report.count(Status.MEANT_TO_FAIL):
        return "nothing is to be healed: what fails is meant to, as leave_alone says"
    return "every cell runs: nothing is to be healed"


def view_diagnosis(
    notebook: AskedNotebook, situation: Situation, cell: Cell, needed: Sequence[Cell], live: str, texts: Texts
) -> JSON:
    """A failure, where it came up, what the variables are, and the cells that it depends on."""
    failure = situation.case.failure
    diagnosis = situation.diagnosis
    return {
        "cell_id": cell.id,
        "source": notebook.get_source(cell)[:MOST],
        "failure": _view_failure(failure, texts) if situation.failed else None,
        "cause": texts.cut_text(diagnosis.cause),
        "cause_cell_id": diagnosis.cell_id,
        "leave_alone": diagnosis.skip_reason.value if diagnosis.skip_reason is not None else None,
        "advice": texts.cut_text(diagnosis.advice),
        "variables": [texts.cut_text(line) for line in live.splitlines()],
        "depends_on": [{"cell_id": c.id, "source": notebook.get_source(c)[: texts.limit]} for c in needed],
        "outputs": format_outputs(situation.seen, texts),
    }


def _view_failure(failure: Failure, texts: Texts) -> JSON:
    frames = [
        {"cell_id": f.cell_id, "line": f.line, "function": f.function, "code": f.text.strip()[:200]}
        if f.cell_id
        else {"file": f.file, "line": f.line, "function": f.function}
        for f in failure.frames
    ]
    return {
        "kind": failure.kind.value,
        "message": texts.cut_text(_format_message(failure)),
        "line": failure.line,
        "frames": frames[:4] + frames[-8:] if len(frames) > 12 else frames,
    }


def _format_message(failure: Failure) -> str:
    """The whole message, without the file that a kernel made up for the cell."""
    message = MADE_UP_PLACE.sub("", failure.evalue).rstrip()
    return f"{failure.ename}: {message}" if failure.ename else message


def view_proven(proven: Proven, texts: Texts, left_to_show: str) -> JSON:
    """A verdict in full: what the patch gives, what it was held against, and what nobody has shown, ``left_to_show`` last."""
    verdict, trial = proven.candidate.verdict, proven.candidate.trial
    return {
        "heals_cell": proven.cell.id,
        "accepted": proven.refusal is None,
        "why_not": proven.refusal or "",
        "score": verdict.score,
        "proven": [*verdict.proofs, f"ran in {trial.isolation.words}"] if trial.ran and verdict.plausible else [],
        "not_proven": [*list_open(proven), left_to_show],
        "reasons": [texts.cut_text(r) for r in verdict.reasons[:12]],
        "tampering": list(verdict.tampering),
        "output_before": format_outputs(proven.situation.seen, texts),
        "output_after": format_outputs(trial, texts),
        "cells_run_again": list(proven.candidate.cells_run_again),
        "cells_below": [_view_step(s, texts) for s in trial.steps if s.role == Role.DOWNSTREAM.value],
        "blocked": list(trial.blocked),
    }


def list_open(proven: Proven) -> list[str]:
    """What the trial does not show, one sentence each."""
    verdict, trial = proven.candidate.verdict, proven.candidate.trial
    said = proven.said
    lines = []
    if not trial.ran:
        lines.append("it does not run: " + (_format_first_error(trial) or trial.detail or trial.ending.value))
    elif verdict.tampering or not verdict.plausible:
        lines.append("that it mends anything: see why_not")
    elif verdict.may_be_meant:
        lines.append("that the error is to go: it is saved with its cell, and may be meant")
    elif verdict.needs_word:
        lines.append(
            "that the value is right: hardly more than one value speaks for it, and many another edit would give that one too"
        )
    elif not verdict.oracle_met and said:
        lines.append("that the value is right: so little was expected that many another edit would give it too")
    elif not verdict.oracle_met:
        lines.append(
            "that the value is right: nothing in the notebook says what it must be, and running is not being right"
        )
    elif said:
        lines.append(
            "that what was expected is what the notebook's author wants: expect and checks were taken as given"
        )
    if verdict.inconclusive:
        lines.append(f"it is inconclusive: {verdict.inconclusive}")
    if verdict.difference:
        lines.append(verdict.difference)
    if trial.isolation.kernel != "forked":
        lines.append("the exact state: it was reconstructed by running the cells that are needed again")
    return lines


def view_candidate(candidate: Candidate, texts: Texts) -> JSON:
    """One of our own fixes in short."""
    patch, verdict = candidate.patch, candidate.verdict
    return {
        "title": patch.title,
        "by": f"{patch.healer}{' ' + patch.rule if patch.rule else ''}",
        "cause": texts.cut_text(patch.cause),
        "diff": format_diff(diff_patch(patch, lambda cell_id: f"cell {cell_id}"))[:MOST],
        "score": verdict.score,
        "proven": list(verdict.proofs),
        "reasons": [texts.cut_text(r) for r in verdict.reasons[:8]],
        "output_after": format_outputs(candidate.trial, texts),
    }


def format_outputs(trial: Trial, texts: Texts) -> str:
    """What the cell of a trial put out, as text."""
    step = trial.step(Role.CELL)
    return texts.cut_text(format_step(step)) if step is not None else ""


def format_step(step: StepResult) -> str:
    """The outputs of one step, its error last."""
    parts = [_format_output(o) for o in step.outputs if o.output_type != "error"]
    parts += [e.words + (f" (line {e.line})" if e.line else "") for e in step.errors]
    if step.status == "timeout":
        parts.append("it did not end within its time limit")
    return "\n".join(p.rstrip("\n") for p in parts if p)


def _format_output(output: Output) -> str:
    if output.output_type == "stream":
        return output.text
    plain = output.data.get("text/plain")
    others = ", ".join(sorted(m for m in output.data if m.startswith("image/")))
    return (str(plain) if plain is not None else "") + (f" [{others}]" if others else "")


def _view_step(step: StepResult, texts: Texts) -> JSON:
    view: dict[str, JSON] = {"cell_id": step.cell_id, "status": "ran" if step.ok else step.status}
    if step.errors:
        view["failure"] = texts.cut_text(step.errors[0].words)
    return view


def _format_first_error(trial: Trial) -> str:
    return next((e.words for s in trial.steps for e in s.errors if not s.ok), "")


def view_question(question: Question) -> dict[str, JSON]:
    """A question with its answers; ``say`` holds for each, in the same order, the arguments that give it: empty where none can."""
    what = describe_subject(question)
    said = [build_expectation(what, value) if what else None for value in question.answers]
    return {"text": question.text, "answers": list(question.answers), "say": [_view_said(oracle) for oracle in said]}


def _view_said(oracle: Oracle | None) -> JSON:
    if oracle is None:
        return {}
    given = {"expect": oracle.expect, "stdout": oracle.stdout, "checks": list(oracle.checks)}
    return {name: value for name, value in given.items() if value}
