"""A preprocessor for nbconvert that heals where ``ExecutePreprocessor`` would stop at the first error.

``jupyter nbconvert --to html --Exporter.preprocessors=jupyter_selfheal.surfaces.notebook.preprocessor.SelfHealPreprocessor``
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from traitlets import Bool, Enum, Float

from jupyter_selfheal.errors import NotebookError, explain_import_error
from jupyter_selfheal.surfaces.notebook.executed import heal_in_memory, name_failures
from jupyter_selfheal.surfaces.notebook.settings import CELL_SECONDS

try:
    from nbconvert.preprocessors import Preprocessor
except ImportError as error:
    raise explain_import_error(error, "nbconvert", "the preprocessor") from None


class SelfHealPreprocessor(Preprocessor):
    """Runs a notebook, heals its root failures, and hands on the healed notebook with its outputs. No model is asked."""

    approve = Enum(("all", "safe", "none"), "safe", help="which proven fixes are applied").tag(config=True)
    offline = Bool(True, help="no network for the notebook's cells").tag(config=True)
    timeout = Float(CELL_SECONDS, help="seconds that a cell may run").tag(config=True)
    allow_errors = Bool(False, help="go on where cells still fail; else they are named in an error").tag(config=True)
    enabled = Bool(True).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Called by nbconvert. Raises :class:`NotebookError`, which names the cells, where some still fail."""
        report, cells = heal_in_memory(
            nb, _find_path(resources), approve=self.approve, offline=self.offline, timeout=self.timeout
        )
        if report.exit_code and not self.allow_errors:
            raise NotebookError(name_failures(report))
        nb.cells = cells
        return nb, resources


def _find_path(resources: Mapping[str, Any]) -> Path:
    metadata = resources.get("metadata", {})
    return Path(metadata.get("path") or ".") / f"{metadata.get('name') or 'notebook'}.ipynb"
