"""Healing from a script: what ``jupyter_selfheal.heal`` and ``jupyter_selfheal.check`` do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.config import HEALERS, HealConfig
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import JSON
from jupyter_selfheal.surfaces.notebook.model_notes import add_model_notes
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.propose_fix import CellProposal, propose_fix
from jupyter_selfheal.surfaces.notebook.provenance import add_provenance
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.save import is_same_file, save_healed
from jupyter_selfheal.surfaces.notebook.session import Session, make_run_id, open_run_fixes
from jupyter_selfheal.surfaces.notebook.settings import CELL_SECONDS, Settings

__all__ = ["CellProposal", "HealedNotebook", "NotebookReport", "heal_notebook", "heal_notebooks", "propose_for_cell"]


@dataclass(frozen=True, slots=True, repr=False)
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

    @property
    def summary(self) -> str:
        """One line for a person."""
        return self.report.summary

    def __repr__(self) -> str:
        return f"<HealedNotebook {self.report.path or 'without a file'}: {self.summary}>"

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
    executor: Executor | None = None,
) -> HealedNotebook:
    """Heal a notebook; see :func:`jupyter_selfheal.heal`."""
    settings = _build_settings(config, approve, kernel, timeout)
    if executor is not None:
        from jupyter_selfheal.surfaces.cluster.executors import call_on_executor

        healed: HealedNotebook = call_on_executor(executor, _heal_with, notebook, output, settings)
        return healed
    return _heal_with(notebook, output, settings, progress)


def heal_notebooks(
    notebooks: Iterable[str | os.PathLike[str]],
    *,
    executor: Executor,
    output_dir: str | os.PathLike[str] | None = None,
    config: HealConfig | None = None,
    approve: str = "all",
    kernel: str = "",
    timeout: float = CELL_SECONDS,
) -> Iterator[NotebookReport]:
    """Heal several notebooks; see :func:`jupyter_selfheal.heal_all`."""
    from jupyter_selfheal.surfaces.cli.one import Job
    from jupyter_selfheal.surfaces.cluster.executors import heal_on_executor

    paths = list(dict.fromkeys(Path(notebook) for notebook in notebooks))
    names = Counter(path.name for path in paths)
    if output_dir is not None and (twice := [name for name, count in names.items() if count > 1]):
        raise UsageError(f"two of the notebooks are named {twice[0]}: heal them into different folders")
    jobs = [
        Job(path, Path(output_dir) / path.name if output_dir is not None else None, part)
        for part, path in enumerate(paths, start=1)
    ]
    settings = replace(_build_settings(config, approve, kernel, timeout), share_fixes=len(jobs) > 1)
    run = make_run_id()
    try:
        with closing(heal_on_executor(jobs, executor, settings, run, resuming=False)) as pairs:
            yield from (report for _, report in pairs)
    finally:
        open_run_fixes(run).forget()  # nobody goes on with this run


def propose_for_cell(
    cell: str,
    state: Mapping[str, object] | Sequence[str],
    folder: str | os.PathLike[str],
    config: HealConfig | None,
    kernel: str,
    timeout: float,
) -> CellProposal:
    """Prove a fix for one cell; see :func:`jupyter_selfheal.propose`."""
    return propose_fix(cell, state, folder, _build_settings(config, "none", kernel, timeout))


def _build_settings(config: HealConfig | None, approve: str, kernel: str, timeout: float) -> Settings:
    chosen = config or HealConfig(healers=tuple(name for name in HEALERS if name != "language_model"))
    return Settings(chosen, approve=approve, cell_seconds=timeout, kernelspec=kernel)


def _heal_with(
    notebook: str | os.PathLike[str],
    output: str | os.PathLike[str] | None,
    settings: Settings,
    progress: Callable[[int, int, str], None] | None = None,
) -> HealedNotebook:
    with Session(settings) as session:
        document = add_model_notes(session.choose_kernel_for(read(Path(notebook))), settings)
        report, seen = Batch(document, session.build_dependencies(document, progress), session.limits).run()
        target = Path(output) if output is not None else None
        raw = build_healed_notebook(
            document, report, seen, in_place=target is not None and is_same_file(target, document.path)
        )
        if report.fixes:
            add_provenance(raw, document, report)
        if target is not None:
            report = save_healed(document, report, seen, target, provenance=True)
        return HealedNotebook(report, raw)
