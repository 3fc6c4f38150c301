"""The JSON form of a report (stable, versioned), and writing either report to a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import JSON, Candidate, Doubt, diff_patch, format_diff
from jupyter_selfheal.surfaces.notebook.drift import measure_drift
from jupyter_selfheal.surfaces.notebook.open_questions import list_open_questions, questions_to_json
from jupyter_selfheal.surfaces.notebook.records import FileChange, NotebookReport, Record
from jupyter_selfheal.surfaces.notebook.roots import list_healed_too
from jupyter_selfheal.surfaces.notebook.write import write_atomically

SCHEMA = 2
"""Of reports and of a benchmark's rows (``docs/report.schema.json``). Raised when a key changes its meaning or goes away; new keys may come at any time."""


FORMS = (".html", ".json", ".xml", ".md", ".sarif")
"""The endings of reports: a page, JSON (``docs/report.schema.json``), JUnit XML, Markdown and SARIF."""


def to_json(reports: Sequence[NotebookReport]) -> dict[str, JSON]:
    """``{"schema": 2, "exit_code": …, "notebooks": […]}``: one object a notebook, with one a code cell."""
    return {
        "schema": SCHEMA,
        "exit_code": max((r.exit_code for r in reports), default=0),
        "cost_usd": sum(r.cost.usd for r in reports),
        "stored_outputs": _count_reproduced([r.reproduced_outputs for r in reports]),
        "notebooks": [_notebook_to_json(r) for r in reports],
    }


def _notebook_to_json(report: NotebookReport) -> dict[str, JSON]:
    return {
        "path": report.path,
        "written": report.written,
        "exit_code": report.exit_code,
        "summary": report.summary,
        "error": report.error,
        "survived_clean_run": report.survived,
        "isolation": report.isolation.words if report.isolation else "",
        "notes": list(report.notes),
        "unchanged": report.unchanged,
        "questions": questions_to_json(list_open_questions(report)),
        "seconds": round(report.seconds, 3),
        "cost_usd": report.cost.usd,
        "stored_outputs": _count_reproduced([report.reproduced_outputs]),
        "differs_from_stored": [r.number for r in report.differing],
        "changed_by_fixes": [r.number for r in report.changed_cells],
        "drift": _drift_to_json(report),
        "environments": [
            {"name": e.name, "failing": [{"cell": n, "failure": headline} for n, headline in e.failing]}
            for e in report.elsewhere
        ],
        "runs": list(report.runs),
        "reviewed": report.review.cells if report.review is not None else None,
        "review_note": report.review.note if report.review is not None else "",
        "doubts": [_doubt_to_json(d, report) for d in report.review.doubts] if report.review is not None else [],
        "files": [file_to_json(change) for change in report.files],
        "warnings": [
            {"cell": w.cell, "warning": w.headline, "status": w.status, "fix": w.title} for w in report.warnings
        ],
        "cells": [_cell_to_json(r, report) for r in report.records],
    }


def file_to_json(change: FileChange) -> dict[str, JSON]:
    """A fix of a file as data."""
    return {
        "path": change.path,
        "title": change.title,
        "status": change.status,
        "written": change.written,
        "diff": change.diff,
    }


def _cell_to_json(record: Record, report: NotebookReport) -> dict[str, JSON]:
    return {
        "cell": record.number,
        "id": record.cell.id,
        "status": record.status.value,
        "failure": record.headline,
        "kind": record.failure[0].kind.value if record.failure else "",
        "cause": record.cause,
        "skip_reason": record.diagnosis.skip_reason,
        "detail": record.detail,
        "cascade_of": record.cascade_of,
        "seconds": round(record.seconds, 3),
        "cost_usd": record.cost.usd,
        "cost_by": {who: cost.usd for who, cost in record.cost_by.items()},
        "tokens_by": {who: cost.input_tokens + cost.output_tokens for who, cost in record.cost_by.items()},
        "reason": record.reason,
        "attempts": record.attempts,
        "run": record.run,
        "stored_output": _stored_to_json(record),
        "also_heals": list_healed_too(report, record),
        "fix": _fix_to_json(record.candidate[0], record, report) if record.candidate else None,
    }


def _drift_to_json(report: NotebookReport) -> JSON:
    """Run time and outputs before and after; null where nothing was healed, or nothing can be compared."""
    drift = measure_drift(report)
    if drift is None:
        return None
    cells = [
        {
            "cell": c.number,
            "before": round(c.before, 3),
            "after": round(c.after, 3),
            "other_value": c.other_value,
            "before_mb": c.before_mb or None,
            "after_mb": c.after_mb or None,
        }
        for c in report.drifts
    ]
    return {
        "before": round(drift.before, 3),
        "after": round(drift.after, 3),
        "before_mb": drift.before_mb or None,
        "after_mb": drift.after_mb or None,
        "words": drift.words,
        "cells": cells,
    }


def _doubt_to_json(doubt: Doubt, report: NotebookReport) -> dict[str, JSON]:
    return {
        "cell": report.number_of(doubt.cell_id),
        "id": doubt.cell_id,
        "line": doubt.line,
        "code": doubt.code,
        "what": doubt.what,
        "advice": doubt.advice,
    }


def _fix_to_json(candidate: Candidate, record: Record, report: NotebookReport) -> dict[str, JSON]:
    patch, verdict = candidate.patch, candidate.verdict
    return {
        "title": patch.title,
        "healer": patch.healer,
        "rule": patch.rule,
        "applicability": patch.applicability.name.lower(),
        "why": patch.why,
        "diff": format_diff(diff_patch(patch, report.given.name_cell)),
        "proven_from": [s.value for s in record.proven_from],
        "isolation": candidate.trial.isolation.words,
        "score": verdict.score,
        "confidence": verdict.confidence,
        "proofs": list(verdict.proofs),
        "reasons": list(verdict.reasons),
        "risk": patch.risk,
    }


def _count_reproduced(pairs: Sequence[tuple[int, int]]) -> dict[str, JSON]:
    """How many healed cells have a stored output to compare with, and how many of them reproduce it."""
    return {"compared": sum(asked for _, asked in pairs), "reproduced": sum(same for same, _ in pairs)}


def _stored_to_json(record: Record) -> JSON:
    """Whether the cell reproduces what the file held, by the one rule for outputs; null where there is nothing to compare."""
    comparison = record.stored
    if not comparison.can_decide:
        return None
    return {
        "reproduced": comparison.same,
        "match": comparison.match.value,
        "similarity": comparison.similarity,
        "stored": comparison.stored,
        "now": comparison.got,
    }


def check_target(path: Path) -> None:
    """Refuse a report whose form the name does not tell, before anything runs."""
    if path.suffix not in FORMS:
        raise UsageError(f"--report {path}: the name must end in {', '.join(FORMS[:-1])} or {FORMS[-1]}")


def write_report(path: Path, reports: Sequence[NotebookReport]) -> None:
    """Write the report in the form that the file's ending names."""
    if path.suffix == ".json":
        text = json.dumps(to_json(reports), ensure_ascii=False, indent=2) + "\n"
    elif path.suffix == ".html":
        from jupyter_selfheal.surfaces.notebook.html import format_page

        text = format_page(reports)
    else:
        from jupyter_selfheal.surfaces.notebook.exports import FORMATS

        text = FORMATS[path.suffix](reports)
    write_atomically(path, text, option="--report")
