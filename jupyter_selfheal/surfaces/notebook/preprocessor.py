"""A preprocessor for nbconvert that heals where ``ExecutePreprocessor`` would stop at the first error.

``jupyter nbconvert --to html --Exporter.preprocessors=jupyter_selfheal.surfaces.notebook.preprocessor.SelfHealPreprocessor``
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from traitlets import Bool, Enum, Float

from jupyter_selfheal.config import HEALERS, HealConfig
from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook.outputs import build_executed_notebook
from jupyter_selfheal.surfaces.notebook.read import build_document
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import CELL_SECONDS, Session, Settings


class SelfHealPreprocessor(Preprocessor):
    """Runs a notebook, heals its root failures, and hands on the healed notebook with its outputs. No model is asked."""

    approve = Enum(("all", "safe", "none"), "safe", help="which proven fixes are applied").tag(config=True)
    offline = Bool(True, help="no network for the notebook's cells").tag(config=True)
    timeout = Float(CELL_SECONDS, help="seconds that a cell may run").tag(config=True)
    allow_errors = Bool(False, help="go on where cells still fail; else they are named in an error").tag(config=True)
    enabled = Bool(True).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Called by nbconvert. Raises :class:`NotebookError`, which names the cells, where some still fail."""
        import nbformat

        healers = tuple(name for name in HEALERS if name != "language_model")
        settings = Settings(
            HealConfig(offline=self.offline, healers=healers), approve=self.approve, cell_seconds=self.timeout
        )
        with Session(settings) as session:
            document = session.choose_kernel_for(build_document(_find_path(resources), json.loads(json.dumps(nb))))
            report, seen = Batch(document, session.build_dependencies(document), session.limits).run()
        if report.exit_code and not self.allow_errors:
            raise NotebookError(_name_failures(report))
        from_dict: Any = nbformat.from_dict
        nb.cells = from_dict(build_executed_notebook(document, report, seen)).cells
        return nb, resources


def _find_path(resources: Mapping[str, Any]) -> Path:
    metadata = resources.get("metadata", {})
    return Path(metadata.get("path") or ".") / f"{metadata.get('name') or 'notebook'}.ipynb"


def _name_failures(report: NotebookReport) -> str:
    """Each cell that fails, with why, on one line."""
    failing = [f"cell {r.number}: {r.headline or r.detail}" for r in report.records if r.status in BROKEN]
    return f"{report.path}: {'; '.join(failing) or report.error}"
