"""A cell that is no part of a file: run in a given state, diagnosed, and a fix of it proven. What ``jupyter_selfheal.propose`` does."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import PatchError, UsageError
from jupyter_selfheal.model import diff_patch, format_diff
from jupyter_selfheal.surfaces.notebook.edits import make_persistent
from jupyter_selfheal.surfaces.notebook.read import build_document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings

_CELL = "cell"
_VARIABLES = "variables"


@dataclass(frozen=True, slots=True)
class CellProposal:
    """What became of a cell: ``failure`` is one line, empty where it runs; ``cause`` says what is wrong. Where a fix was proven,
    ``source`` is the cell with it, ``cells`` are all cells with it (a fault may stand above the cell), and ``title``, ``diff``, ``score`` (of 10)
    and ``reasons`` are those of the fix; else all of them are empty, and ``cause`` says why."""

    failure: str = ""
    cause: str = ""
    title: str = ""
    source: str = ""
    cells: tuple[str, ...] = ()
    diff: str = ""
    score: float = 0.0
    reasons: tuple[str, ...] = ()


def propose_fix(
    cell: str, state: Mapping[str, object] | Sequence[str], folder: str | os.PathLike[str], settings: Settings
) -> CellProposal:
    """See :func:`jupyter_selfheal.propose`."""
    if isinstance(state, str):
        raise UsageError("state must be a list of cells, or variables by name")
    if not Path(folder).is_dir():
        raise UsageError(f"{os.fspath(folder)}: no such folder")
    holds_variables = isinstance(state, Mapping) and bool(state)
    with tempfile.TemporaryDirectory(prefix="selfheal-") if holds_variables else nullcontext("") as kept:
        if isinstance(state, Mapping):
            above = {_VARIABLES: _write_variables(state, Path(kept) / "variables")} if state else {}
        else:
            above = {f"above {number}": source for number, source in enumerate(state, start=1)}
        raw = {
            "cells": [_build_cell(name, source) for name, source in {**above, _CELL: cell}.items()],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
        }  # fmt: skip
        with Session(settings) as session:
            document = session.choose_kernel_for(build_document(Path(folder) / "cell.ipynb", raw))
            report, _ = Batch(document, session.build_dependencies(document), session.limits).run()
    broken = next((r for r in report.records if r.cell.id == _VARIABLES and r.failure), None)
    if broken is not None:
        raise UsageError(
            f"these variables cannot be had in a kernel ({broken.headline}): give the cells that make them"
        )
    return _describe_report(report)


def _write_variables(variables: Mapping[str, object], path: Path) -> str:
    """Write the variables where a kernel can read them; the cell that does."""
    try:
        path.write_bytes(pickle.dumps(dict(variables)))
    except Exception as error:  # whatever an object of the caller's raises when it is pickled
        raise UsageError(f"these variables cannot be pickled ({error}): give the cells that make them") from error
    return f"with open({str(path)!r}, 'rb') as _file:\n    globals().update(__import__('pickle').load(_file))"


def _build_cell(name: str, source: str) -> dict[str, object]:
    return {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def _describe_report(report: NotebookReport) -> CellProposal:
    record = next((r for r in report.records if r.cell.id == _CELL), None)
    if record is None or not record.failure:
        return CellProposal()
    why_not = CellProposal(record.headline, record.detail or record.cause)
    if not record.candidate or record.is_fix_unrun:
        return why_not
    candidate = record.candidate[0]
    patch = make_persistent(candidate.patch, report.given, _CELL)
    try:
        healed = report.given.apply(patch)
    except PatchError:
        return why_not
    cells = {c.id: c.source for c in healed.cells if c.id != _VARIABLES}
    diff = format_diff(diff_patch(patch, report.given.name_cell))
    verdict = candidate.verdict
    return CellProposal(
        record.headline, record.cause, candidate.patch.title, cells[_CELL], tuple(cells.values()), diff, verdict.score,
        verdict.reasons,
    )  # fmt: skip
