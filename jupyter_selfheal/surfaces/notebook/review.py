"""The review of a batch run: each cell that ran is looked at before the next one runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_selfheal.model import Cell, Doubt, Notebook, Role, Trial
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.scoring.review.context import ReviewedCell
from jupyter_selfheal.scoring.review.reviewer import Reviewer
from jupyter_selfheal.surfaces.notebook.chain import Chain
from jupyter_selfheal.surfaces.notebook.records import Review

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.model_review import ModelReview


class BatchReview:
    """Collects the doubts about one notebook."""

    def __init__(self, model: ModelReview | None = None) -> None:
        self._reviewer = Reviewer()
        self._model = model
        self._read: dict[str, Doubt] = {}
        self._cells: list[str] = []

    def asks_state(self, cell: Cell, notebook: Notebook) -> bool:
        """Whether the values around a cell are asked for: it is run by itself then."""
        return self._reviewer.asks_state(cell, notebook)

    def add_cell(self, cell: Cell, notebook: Notebook, trial: Trial, chain: Chain, after: TrialKernel | None) -> None:
        """Look at a cell that ran from the present state to ``after``."""
        self._add_doubts(cell, notebook, trial, chain, chain.state, after)

    def add_healed_cell(self, cell: Cell, notebook: Notebook, trial: Trial, chain: Chain) -> None:
        """Look at a healed cell, behind which the chain stands already."""
        self._add_doubts(cell, notebook, trial, chain, None, chain.state)

    def settle(self, chain: Chain) -> Review:
        """The review, once the last cell has run."""
        doubts = sorted(
            (*self._reviewer.settle(chain.state), *self._read.values()), key=lambda d: self._cells.index(d.cell_id)
        )
        unseen = (
            ""
            if chain.state.is_exact
            else "the kernel could not be copied to the end, so that values were not looked at"
        )
        if self._model is None:
            return Review(len(self._cells), tuple(doubts), unseen)
        note = "; ".join(filter(None, (unseen, self._model.note)))
        return Review(len(self._cells), tuple(doubts), note, self._model.spent)

    def _add_doubts(
        self,
        cell: Cell,
        notebook: Notebook,
        trial: Trial,
        chain: Chain,
        before: TrialKernel | None,
        after: TrialKernel | None,
    ) -> None:
        step = trial.step(Role.CELL)
        if step is None or chain.deadline.is_over:
            return
        self._cells = [*(c for c in self._cells if c != cell.id), cell.id]
        doubt = self._model.review(cell, notebook, trial) if self._model is not None else None
        if doubt is not None:
            self._read[cell.id] = doubt
        self._reviewer.review_cell(ReviewedCell(cell, notebook, step.outputs, step.seconds, before, after))
