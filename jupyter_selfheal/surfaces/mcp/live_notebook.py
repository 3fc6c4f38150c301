"""A session that a user works in, as the tools ask about it: for one call, with a frozen copy of its state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.loop.observed_calls import CallObserver
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.messages import AgentView
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Oracle
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.surfaces.mcp.asked_notebook import find_code_cell
from jupyter_selfheal.surfaces.mcp.open_notebook import refuse_replay
from jupyter_selfheal.surfaces.mcp.situation import Situation, diagnose_case
from jupyter_selfheal.surfaces.notebook.chain import Chain
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline, Limits
from jupyter_selfheal.surfaces.notebook.heal_lines import merge_oracles
from jupyter_selfheal.surfaces.notebook.read import Document, Form
from jupyter_selfheal.surfaces.notebook.settings import Settings


class LiveNotebook:
    """The cells of a running kernel, and one copy of its state. Whoever gave the state closes it."""

    def __init__(self, view: AgentView, state: TrialKernel, settings: Settings) -> None:
        self._view = view
        self._settings = settings
        self.state = state
        path = Path(view.notebook.folder or ".") / (Path(view.notebook.path).name or "a notebook without a name")
        self.document = Document(path, {}, Form(), view.notebook)

    digest = ""

    @property
    def limits(self) -> Limits:
        """A copy of the user's state is a trial's: what it writes is thrown away."""
        return Limits(self._settings.cell_seconds, build_sandbox(self._settings.config))

    def find_cell(self, cell_id: str) -> Cell:
        """The code cell of that id. Raises :class:`UsageError`."""
        return find_code_cell(self.document.notebook, cell_id)

    def get_source(self, cell: Cell) -> str:
        """What the kernel knows to stand in the cell."""
        return cell.source

    def list_failing(self) -> tuple[str, ...]:
        """Ids of the cells whose last run failed, in the notebook's order."""
        failed = {case.failure.cell_id for case in self._view.cases}
        return tuple(c.id for c in self.document.notebook.cells if c.id in failed)

    def examine(self, cell_id: str, said: Oracle) -> Situation:
        """The cell, run once more in a copy of the present state: what approving a patch of it would meet."""
        cell = self.find_cell(cell_id)
        cell = replace(cell, oracle=merge_oracles(cell.oracle, said))
        notebook = self.document.notebook
        notebook = replace(notebook, cells=tuple(cell if c.id == cell_id else c for c in notebook.cells))
        seen, failure, after = self._open_chain().run(cell, notebook)
        if after is not None:
            after.close()
        config = self._settings.config
        case = Case(
            failure or Failure(cell.id, cell.source, FailureKind.MISSED, seconds=seen.seconds), notebook, cell.oracle
        )
        starts = Starts(before=(self.state,))
        situation = Situation(case, starts, seen, failure is not None, CallObserver(build_sandbox(config)))
        return replace(situation, diagnosis=diagnose_case(case, starts, config)) if failure is not None else situation

    def _open_chain(self) -> Chain:
        from jupyter_selfheal import engine

        scorer = engine.build_free_scorer(self._settings.config)
        return Chain(self.state, refuse_replay, scorer, self.limits, Deadline(2 * self._settings.cell_seconds))
