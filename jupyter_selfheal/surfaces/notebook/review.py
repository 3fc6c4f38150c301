"""The review of a batch run: each cell that ran is looked at before the next one runs."""

from __future__ import annotations

from jupyter_selfheal.model import Cell, Notebook, Role, Trial
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.scoring.review.context import ReviewedCell
from jupyter_selfheal.scoring.review.reviewer import Reviewer
from jupyter_selfheal.surfaces.notebook.chain import Chain
from jupyter_selfheal.surfaces.notebook.records import Review


class BatchReview:
    """Collects the doubts about one notebook."""

    def __init__(self) -> None:
        self._reviewer = Reviewer()
        self._cells: set[str] = set()

    def add_cell(self, cell: Cell, notebook: Notebook, trial: Trial, chain: Chain, after: TrialKernel | None) -> None:
        """Look at a cell that ran from the present state to ``after``."""
        self._add(cell, notebook, trial, chain, chain.state, after)

    def add_healed_cell(self, cell: Cell, notebook: Notebook, trial: Trial, chain: Chain) -> None:
        """Look at a healed cell, behind which the chain stands already."""
        self._add(cell, notebook, trial, chain, None, chain.state)

    def settle(self, chain: Chain) -> Review:
        """The review, once the last cell has run."""
        return Review(len(self._cells), self._reviewer.settle(chain.state))

    def _add(
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
        self._cells.add(cell.id)
        self._reviewer.review_cell(ReviewedCell(cell, notebook, step.outputs, step.seconds, before, after))
