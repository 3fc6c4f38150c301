"""Healing from a script: what ``jupyter_selfheal.heal`` and ``jupyter_selfheal.check`` do."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.config import HEALERS, HealConfig
from jupyter_selfheal.model import JSON
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.provenance import add_provenance
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.save import save_healed
from jupyter_selfheal.surfaces.notebook.session import CELL_SECONDS, Session, Settings


@dataclass(frozen=True, slots=True)
class HealedNotebook:
    """What became of a notebook: the report, and the healed notebook as nbformat's JSON. Nothing of it is on the disk
    unless a place was named."""

    report: NotebookReport
    notebook: dict[str, JSON]

    @property
    def runs(self) -> bool:
        """Whether every cell runs, healed or healthy."""
        return self.report.exit_code == 0

    @property
    def fixes(self) -> tuple[str, ...]:
        """What was done, in order, in a few words each."""
        return self.report.fixes

    def to_json(self) -> dict[str, JSON]:
        """The report as ``--report FILE.json`` has it."""
        from jupyter_selfheal.surfaces.notebook.report import to_json

        return to_json([self.report])


def heal_notebook(
    notebook: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    config: HealConfig | None = None,
    approve: str = "all",
    kernel: str = "",
    timeout: float = CELL_SECONDS,
    progress: Callable[[int, int, str], None] | None = None,
) -> HealedNotebook:
    """Heal a notebook; see :func:`jupyter_selfheal.heal`."""
    chosen = config or HealConfig(healers=tuple(name for name in HEALERS if name != "language_model"))
    with Session(Settings(chosen, approve=approve, cell_seconds=timeout, kernelspec=kernel)) as session:
        document = session.choose_kernel_for(read(Path(notebook)))
        report, seen = Batch(document, session.build_dependencies(document, progress), session.limits).run()
        target = Path(output) if output is not None else None
        raw = build_healed_notebook(document, report, seen, in_place=target == document.path)
        if report.fixes:
            add_provenance(raw, document, report)
        if target is not None:
            report = save_healed(document, report, seen, target, provenance=True)
        return HealedNotebook(report, raw)
