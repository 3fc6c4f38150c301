"""Healing in the place of an executor: a notebook in memory, its healed cells, and all outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jupyter_selfheal.config import HEALERS, HealConfig
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.outputs import build_executed_notebook
from jupyter_selfheal.surfaces.notebook.read import Document, build_document
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings


def heal_in_memory(nb: Any, path: Path, *, approve: str, offline: bool, timeout: float) -> tuple[NotebookReport, Any]:
    """Run and heal a notebook of nbformat's, whose file would be ``path``: the report, and the cells with which it is healed and run.

    No model is asked.
    """
    import nbformat
    from nbformat.v4.rwbase import rejoin_lines

    document = build_document(path, json.loads(json.dumps(nb)))
    report, seen = heal_document(document, approve=approve, offline=offline, timeout=timeout)
    from_dict: Any = nbformat.from_dict
    rejoin: Any = rejoin_lines  # in memory texts are whole; their lines are apart in files
    return report, rejoin(from_dict(build_executed_notebook(document, report, seen))).cells


def heal_document(
    document: Document, *, approve: str, offline: bool, timeout: float
) -> tuple[NotebookReport, dict[str, CellRun]]:
    """Run and heal a notebook, in a session of its own: the report, and what each cell did. No model is asked."""
    healers = tuple(name for name in HEALERS if name != "language_model")
    settings = Settings(
        HealConfig(offline=offline, healers=healers), approve=approve, cell_seconds=timeout, shows_errors=True
    )
    with Session(settings) as session:
        chosen = session.choose_kernel_for(document)
        return Batch(chosen, session.build_dependencies(chosen), session.limits).run()


def list_failures(report: NotebookReport) -> list[str]:
    """Each cell that fails, with why."""
    return [f"cell {r.number}: {r.headline or r.detail}" for r in report.records if r.status in BROKEN]


def name_failures(report: NotebookReport) -> str:
    """Each cell that fails, with why, on one line."""
    return f"{report.path}: {'; '.join(list_failures(report)) or report.error}"
