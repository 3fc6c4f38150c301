"""Putting what a batch run made of a notebook into a file, in one step or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook import originals, write
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.pairs import update_pairs
from jupyter_selfheal.surfaces.notebook.provenance import add_provenance
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.text_formats import SUFFIXES


def save_healed(
    document: Document,
    report: NotebookReport,
    outputs: Mapping[str, CellRun],
    target: Path,
    *,
    provenance: bool = False,
    as_in_place: bool = False,
) -> NotebookReport:
    """Write the healed notebook; the report that says where it is. In place, a file without a fix is left as it is.

    ``as_in_place``: what is written elsewhere is what would be written in place. With ``provenance`` each healed cell's metadata says what was changed, and what undoes it. What was in a file that is
    replaced is kept, so that it can be given back as it was.

    Raises :class:`NotebookError` where the file cannot be written, or was changed while it was being healed.
    """
    in_place = is_same_file(target, document.path)
    if not report.fixes and in_place:
        return report
    text = _format_healed(document, report, outputs, target, provenance, in_place or as_in_place)
    notes = report.notes
    with lock_folder(target.parent if in_place else None):
        if in_place:
            _check_unchanged(document)
            if document.upgraded_from:
                notes = (*notes, f"as it was, in format {document.upgraded_from}: {write.copy_aside(document.path)}")
            originals.keep_original(document.path.read_bytes(), write.encode_text(text))
            # jupytext takes the code from the text, and wants it to be the newest: the .ipynb of a pair is written before it
            notes = (*notes, *update_pairs(document, report.healed, outputs, (".ipynb",)))
        write.write_atomically(target, text)
        if in_place:
            notes = (*notes, *update_pairs(document, report.healed, outputs, SUFFIXES))
        elif files := [Path(change.path) for change in report.files if change.written]:
            originals.note_fixed_files(target, files)
    return replace(report, written=str(target), notes=notes)


def _format_healed(
    document: Document,
    report: NotebookReport,
    outputs: Mapping[str, CellRun],
    target: Path,
    provenance: bool,
    in_place: bool,
) -> str:
    """What the file will hold. Text has no outputs and tells nothing of its fixes."""
    if document.text and target.suffix != ".ipynb":
        return write.format_text(document, report.healed)
    raw = build_healed_notebook(document, report, outputs, in_place=in_place)
    if provenance and report.fixes:
        add_provenance(raw, document, report)
    return write.format_notebook(raw, document.form)


def is_same_file(target: Path, path: Path) -> bool:
    """Whether two paths lead to one file, however they are written: ``n.ipynb``, ``/home/me/n.ipynb`` and a link to it."""
    return target.resolve() == path.resolve()


@contextlib.contextmanager
def lock_folder(folder: Path | None) -> Iterator[None]:
    """Let no other healer look at the file and replace it at the same time, whoever runs it. Where there are no locks, none is taken."""
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY) if folder is not None else -1
    except (ImportError, OSError):
        descriptor = -1
    try:
        if descriptor >= 0:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _check_unchanged(document: Document) -> None:
    """Somebody may have saved the notebook while it was being healed: theirs is not overwritten."""
    if not document.path.exists():
        raise NotebookError(f"{document.path}: removed while it was being healed: nothing was written")
    if read(document.path).raw != document.raw:
        raise NotebookError(f"{document.path}: changed on disk while it was being healed: heal it again")
