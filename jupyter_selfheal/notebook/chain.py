"""The states of a notebook, one after each cell, each a fork of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jupyter_selfheal.errors import ForkRefused
from jupyter_selfheal.model import (
    BASELINE,
    OPEN,
    Case,
    Cell,
    Failure,
    FailureKind,
    Keep,
    Notebook,
    Role,
    Run,
    Sandbox,
    Step,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.notebook.failures import failure_of
from jupyter_selfheal.notebook.tools import Replay
from jupyter_selfheal.ports import Scorer, TrialKernel


class Chain:
    """Runs cells on from a state. At most two states live at once: the present one, and that after the cell just run."""

    def __init__(
        self, first: TrialKernel, replay: Replay, scorer: Scorer, *, limit: float, sandbox: Sandbox = OPEN
    ) -> None:
        self.state = first
        self.notes: list[str] = []
        self._replay = replay
        self._scorer = scorer
        self._limit = limit
        self._sandbox = sandbox
        self._ran: list[Run] = []
        self._paths: tuple[str, ...] = ()

    def run(self, cell: Cell, notebook: Notebook) -> tuple[Trial, Failure | None, TrialKernel | None]:
        """Run a cell from the present state, which stays as it is.

        Returns its trial, its failure if it has one, and the state after it (None where its process ended, or where the
        state cannot be kept). The caller passes that state to :meth:`advance` or closes it.
        """
        steps = (Run(cell.source, cell.id), *self._questions(cell, notebook))
        trial, after = self._try(steps)
        failure = failure_of(cell, trial)
        if failure is None and cell.oracle:
            trial = self._with_checks(trial, after, cell, notebook)
            failure = failure_of(cell, trial, self._scorer.missed(_case(cell, notebook), trial))
        return trial, failure, after

    def run_steps(self, runs: Sequence[Run], paths: Sequence[str] = ()) -> tuple[Trial, TrialKernel | None]:
        """Run several pieces of code from the present state; keep the state only where all of them ran."""
        self._paths = tuple(dict.fromkeys((*paths, *self._paths)))
        return self._try(tuple(runs), keep=Keep.ON_SUCCESS)

    def advance(self, after: TrialKernel | None, ran: Sequence[Run], *, alive: bool = True) -> None:
        """Go on from the state after ``ran``. ``alive``: its process did not end, so there should be such a state."""
        if after is not None:
            self.state.close()
            self.state = after
            self._ran += ran
        elif alive:
            self._ran += ran
            self._reconstruct()

    def close(self) -> None:
        self.state.close()

    def _try(self, steps: Sequence[Step], keep: Keep = Keep.ALWAYS) -> tuple[Trial, TrialKernel | None]:
        request = TrialRequest(tuple(steps), timeout=self._limit, keep=keep, sandbox=self._sandbox, paths=self._paths)
        try:
            return self.state.run(request)
        except ForkRefused as refused:
            self._note(refused.reason)
            self._reconstruct()
            return self.state.run(request)

    def _reconstruct(self) -> None:
        """The present state cannot be forked on: from here every trial replays the cells run so far in a real kernel."""
        self.state.close()
        self.state = self._replay(tuple(self._ran))

    def _note(self, reason: str) -> None:
        note = f"from cell {len(self._ran) + 1} on states are reconstructed by replay, not forked: {reason}"
        if not any("reconstructed by replay" in n for n in self.notes):
            self.notes.append(note)

    def _questions(self, cell: Cell, notebook: Notebook) -> tuple[Step, ...]:
        """What the cell's own oracle asks of the state; statements that check it run apart, in a throw-away trial."""
        if not cell.oracle:
            return ()
        steps = self._scorer.oracle_steps(_case(cell, notebook), BASELINE)
        return tuple(s for s in steps if not isinstance(s, Run))

    def _with_checks(self, trial: Trial, after: TrialKernel | None, cell: Cell, notebook: Notebook) -> Trial:
        steps = self._scorer.oracle_steps(_case(cell, notebook), BASELINE)
        checks = tuple(s for s in steps if isinstance(s, Run) and s.role is Role.CHECK)
        if not checks or after is None:
            return trial
        checked, _ = after.run(
            TrialRequest(checks, timeout=self._limit, sandbox=replace(self._sandbox, writes="discard"))
        )
        return replace(trial, steps=(*trial.steps, *checked.steps))


def _case(cell: Cell, notebook: Notebook) -> Case:
    """The case of a cell that ran, with nothing below it: only its own oracle counts."""
    upto = replace(notebook, cells=notebook.cells[: notebook.index(cell.id) + 1])
    return Case(Failure(cell.id, cell.source, FailureKind.MISSED), upto, cell.oracle)
