"""Putting what a batch run made of a notebook into a file, in one step or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook import write
from jupyter_selfheal.surfaces.notebook.final import CellRun
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport


def save_healed(
    document: Document, report: NotebookReport, outputs: Mapping[str, CellRun], target: Path
) -> NotebookReport:
    """Write the healed notebook; the report that says where it is. In place, a file without a fix is left as it is.

    Raises :class:`NotebookError` where the file cannot be written, or was changed while it was being healed.
    """
    in_place = target == document.path
    if not report.fixes and in_place:
        return report
    text = write.format_notebook(build_healed_notebook(document, report, outputs, in_place=in_place), document.form)
    notes = report.notes
    if in_place:
        _check_unchanged(document)
        if document.upgraded_from:
            notes = (*notes, f"as it was, in format {document.upgraded_from}: {write.copy_aside(document.path)}")
    write.write_atomically(target, text)
    return replace(report, written=str(target), notes=notes)


def _check_unchanged(document: Document) -> None:
    """Somebody may have saved the notebook while it was being healed: theirs is not overwritten."""
    if read(document.path).raw != document.raw:
        raise NotebookError(f"{document.path}: changed on disk while it was being healed: heal it again")
