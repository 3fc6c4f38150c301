"""A client for those who run notebooks by nbclient and can name another class: it heals where nbclient would stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traitlets import Bool, Enum

from jupyter_selfheal.errors import explain_import_error
from jupyter_selfheal.surfaces.notebook.executed import heal_in_memory, name_failures
from jupyter_selfheal.surfaces.notebook.records import BROKEN
from jupyter_selfheal.surfaces.notebook.settings import CELL_SECONDS

try:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
except ImportError as error:
    raise explain_import_error(error, "nbclient", "the client") from None


class SelfHealClient(NotebookClient):
    """Runs a notebook as ``nbclient.NotebookClient`` does, with the healed cells and all outputs in ``nb``. No model is asked.

    ``timeout`` and ``allow_errors`` are nbclient's own; the folder is that of ``resources["metadata"]["path"]``.
    """

    approve = Enum(("all", "safe", "none"), "safe", help="which proven fixes are applied").tag(config=True)
    offline = Bool(True, help="no network for the notebook's cells").tag(config=True)

    def execute(self, reset_kc: bool = False, **kwargs: Any) -> Any:
        """Heal the notebook, and return it. Raises nbclient's ``CellExecutionError`` that names the cells where some still fail."""
        metadata = (self.resources or {}).get("metadata", {})
        path = Path(metadata.get("path") or ".") / f"{metadata.get('name') or 'notebook'}.ipynb"
        report, self.nb.cells = heal_in_memory(
            self.nb, path, approve=self.approve, offline=self.offline, timeout=float(self.timeout or CELL_SECONDS)
        )
        if report.exit_code and not self.allow_errors:
            failure = next((f for r in report.records if r.status in BROKEN for f in r.failure), None)
            ename = failure.ename if failure is not None else "NotebookError"
            evalue = failure.evalue if failure is not None else report.error
            raise CellExecutionError(name_failures(report), ename, evalue)
        return self.nb

    async def async_execute(self, reset_kc: bool = False, **kwargs: Any) -> Any:
        """The same, for those who wait for it in an event loop: it is not given back before the notebook is done."""
        return self.execute(reset_kc, **kwargs)
