"""``papermill --engine selfheal``: papermill's own engine stops at the first error; this one heals it and goes on."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import explain_import_error
from jupyter_selfheal.setting_sources import resolve_settings
from jupyter_selfheal.surfaces.notebook.executed import list_failures
from jupyter_selfheal.surfaces.notebook.kernel_choice import DEFAULT
from jupyter_selfheal.surfaces.notebook.model_notes import add_model_notes, list_model_notes
from jupyter_selfheal.surfaces.notebook.outputs import build_executed_notebook
from jupyter_selfheal.surfaces.notebook.provenance import add_provenance
from jupyter_selfheal.surfaces.notebook.read import Document, build_document
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import CELL_SECONDS, Settings

try:
    from papermill.engines import Engine
except ImportError as error:
    raise explain_import_error(error, "papermill", "the papermill engine", "'jupyter-selfheal[papermill]'") from None

log = logging.getLogger(__name__)


class SelfHealEngine(Engine):  # type: ignore[misc]
    """Runs a parametrised notebook, heals its root failures, and leaves the healed notebook as papermill's output.

    Engine arguments: ``approve`` (``all``, ``safe``, ``none``; default ``safe``), ``offline`` (default True), and any setting
    of :class:`~jupyter_selfheal.config.HealConfig`. Cells that still fail keep their error, so that papermill raises as ever.
    """

    @classmethod
    def nb_kernel_name(cls, nb: Any, name: str | None = None) -> str:
        """The kernel that was named, or the notebook's own; where it names none the default one, as for ``heal``."""
        return name or str(nb.metadata.get("kernelspec", {}).get("name") or DEFAULT)

    @classmethod
    def nb_language(cls, nb: Any, language: str | None = None) -> str:
        """Only Python is healed: a notebook that does not say what it is in is in Python."""
        spec, info = (nb.metadata.get(key, {}) for key in ("kernelspec", "language_info"))
        return language or str(info.get("name") or spec.get("language") or "python")

    @classmethod
    def execute_managed_notebook(
        cls,
        nb_man: Any,
        kernel_name: str,
        log_output: bool = False,
        stdout_file: Any = None,
        stderr_file: Any = None,
        start_timeout: int = 60,
        execution_timeout: float | None = None,
        approve: str = "safe",
        **kwargs: Any,
    ) -> None:
        """Called by papermill with its notebook manager, in the folder that the notebook is to run in."""
        settings = _build_settings(kwargs, approve, execution_timeout or CELL_SECONDS, kernel_name)
        for note in list_model_notes(settings):
            log.warning(note)
        session = Session(settings)
        try:
            document = add_model_notes(session.choose_kernel_for(_build_document(nb_man.nb)), settings)
            report, seen = Batch(document, session.build_dependencies(document), session.limits).run()
        finally:
            session.close()
        executed = build_executed_notebook(document, report, seen)
        add_provenance(executed, document, report)
        _hand_back(nb_man, executed)
        told: dict[str, Any] = {"summary": report.summary, "fixes": list(report.fixes)}
        if failing := list_failures(report):
            told["failing"] = failing
        if report.paused_cells:
            told["waiting"] = [f"cell {r.number}: {r.detail}" for r in report.paused_cells]
            log.warning("; ".join(told["waiting"]))
        if report.notes:
            told["notes"] = list(report.notes)
        nb_man.nb.metadata["papermill"]["selfheal"] = told
        for said in (report.summary, *report.fixes):
            log.info("selfheal: %s", said)


PAPERMILLS_OWN = ("input_path", "output_path")
"""What papermill hands to every engine, and this one has no use for."""


def _build_settings(given: Mapping[str, Any], approve: str, cell_seconds: float, kernel_name: str) -> Settings:
    """The engine arguments as settings. Raises :class:`ConfigError` for one that is unknown or cannot be read."""
    named = {name: value for name, value in given.items() if name not in PAPERMILLS_OWN}
    config = resolve_settings(named, given_by="engine argument", base=HealConfig(offline=True)).config
    return Settings(
        config,
        approve=approve,
        cell_seconds=cell_seconds,
        writes="allow",
        kernelspec=kernel_name,
        shows_errors=True,
    )


def _build_document(nb: Any) -> Document:
    return build_document(Path(os.getcwd()) / "papermill.ipynb", json.loads(json.dumps(nb)))


def _hand_back(nb_man: Any, raw: Mapping[str, Any]) -> None:
    """Put the healed cells into papermill's notebook, and tell it of each cell so that its metadata is complete."""
    import nbformat
    from nbformat.v4.rwbase import rejoin_lines

    read: Any = nbformat.from_dict
    rejoin: Any = rejoin_lines
    nb_man.nb.cells = rejoin(read(dict(raw))).cells
    stopped = False
    for index, cell in enumerate(nb_man.nb.cells):
        # papermill stops at the first failing cell, and would name the last that has an error
        if stopped and "outputs" in cell:
            cell.outputs = [o for o in cell.outputs if o.output_type != "error"]
        cell.metadata.setdefault("tags", [])
        cell.metadata.setdefault("papermill", read({}))
        nb_man.cell_start(cell, index)
        failed = any(o.output_type == "error" for o in cell.get("outputs", []))
        (nb_man.cell_exception if failed else nb_man.cell_complete)(cell, index)
        stopped = stopped or (failed and "raises-exception" not in cell.metadata.tags)
