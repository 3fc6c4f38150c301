"""The open notebook, healed as a copy: what a review shows. Nothing of the user's is changed, neither kernel nor file."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.messages import DocumentHealed, DocumentProgress, HealDocument
from jupyter_selfheal.model import JSON, NOT_APPLIED, Applicability, Output
from jupyter_selfheal.surfaces.live.frontend_edits import to_frontend_edits
from jupyter_selfheal.surfaces.notebook.edits import make_persistent
from jupyter_selfheal.surfaces.notebook.read import Document, build_document
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.words import format_proof

SHOWN_CHARACTERS = 4_000
"""Of an output, how much a review shows."""


class _Stopped(SelfHealError):
    """The user ended it."""


class DocumentHeal:
    """One run over a copy of the open notebook; :meth:`stop` ends it at the next cell, from any thread."""

    def __init__(self, message: HealDocument, report: Callable[[DocumentProgress], None]) -> None:
        self.message = message
        self._report = report
        self._cancel = threading.Event()

    def stop(self) -> None:
        """End it at the next cell."""
        self._cancel.set()

    def run(self) -> DocumentHealed:
        """What was found. Raises :class:`SelfHealError` where the notebook cannot be run."""
        message = self.message
        path = Path(message.folder, Path(message.path).name or "notebook.ipynb")
        document = build_document(path, json.loads(message.content))
        with Session(Settings(_to_free(message.config), approve="all")) as session:
            document = session.choose_kernel_for(document)
            try:
                report, _ = Batch(
                    document, session.build_dependencies(document, self._tell_progress), session.limits
                ).run()
            except _Stopped:
                return DocumentHealed(message.run, notes=("Stopped; nothing was changed.",))
        written = _list_written(document)
        fixes = tuple(_describe_fix(record, report, written) for record in report.records if record.candidate)
        return DocumentHealed(message.run, fixes, tuple(_list_left(report)), report.notes)

    def _tell_progress(self, at: int, of: int, doing: str) -> None:
        if self._cancel.is_set():
            raise _Stopped("stopped")
        self._report(DocumentProgress(self.message.run, at, of, doing))


def _to_free(config: HealConfig) -> HealConfig:
    """The settings, with nothing that is paid: nobody has agreed to that for a whole notebook."""
    return config.with_(healers=tuple(h for h in config.healers if h != "language_model"))


def _describe_fix(record: Record, report: NotebookReport, written: Mapping[str, str]) -> dict[str, JSON]:
    """One fix, as the review shows it. What is ``safe`` keeps the evident meaning, was proven, and survived the clean run."""
    candidate = record.candidate[0]
    verdict, patch = candidate.verdict, candidate.patch
    patch = replace(patch, edits=record.edits) if record.edits else make_persistent(patch, report.given, record.cell.id)
    is_healed = record.status is Status.HEALED
    shown = [o for step in candidate.trial.steps if step.role == "cell" for o in step.outputs]
    return {
        "cell": record.cell.id,
        "name": report.given.name_cell(record.cell.id),
        "headline": record.headline,
        "title": patch.title,
        "safe": is_healed and patch.applicability is Applicability.SAFE,
        "proven": is_healed,
        "why_not": "" if is_healed else record.detail.removeprefix(f"{NOT_APPLIED}: "),
        "proof": format_proof(candidate),
        "evidence": [*verdict.reasons, *([patch.why] if patch.why else [])],
        "edits": cast("JSON", to_frontend_edits(patch, report.given, written)),
        "before": record.headline,
        "after": "".join(map(_format_output, shown))[:SHOWN_CHARACTERS],
    }


def _list_left(report: NotebookReport) -> Iterator[dict[str, JSON]]:
    """The cells that fail and have no fix, with the reason; also those that raise on purpose, but where a tag says so."""
    for record in report.records:
        is_untagged = record.status is Status.MEANT_TO_FAIL and bool(record.diagnosis.cause)
        if (record.status in BROKEN or is_untagged) and not record.candidate:
            reason = record.detail or record.cause or record.status.value
            name = report.given.name_cell(record.cell.id)
            yield {"cell": record.cell.id, "name": name, "headline": record.headline, "reason": reason}


def _format_output(output: Output) -> str:
    return output.text or str(output.data.get("text/plain", ""))


def _list_written(document: Document) -> dict[str, str]:
    """The cells that stand otherwise in the notebook than they run: with their ``%%heal`` line."""
    cells = cast("list[dict[str, JSON]]", document.raw.get("cells", []))
    sources = (
        str(raw["source"]) if isinstance(raw["source"], str) else "".join(map(str, cast("list[str]", raw["source"])))
        for raw in cells
    )
    return {
        c.id: s
        for c, s in zip(document.notebook.cells, sources, strict=False)
        if c.id in document.lines and c.source != s
    }
