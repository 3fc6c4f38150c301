"""The review of a notebook: every check on every cell that ran, while it runs and once it has."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import Cell, Doubt, Isolation, Notebook, Start, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell, ReviewedNotebook

log = logging.getLogger(__name__)

DOUBTS_OF_A_CHECK = 5
"""Doubts of one check about one cell that are shown."""


@cache
def load_checks() -> tuple[Check, ...]:
    """Every check by its code: a module of this folder holds one, in a class with a ``code``. No list names them."""
    modules = [
        import_module(f"{__package__}.{m.name}") for m in iter_modules([str(Path(__file__).parent)]) if not m.ispkg
    ]
    kinds = [k for m in modules for k in vars(m).values() if isinstance(k, type) and k.__module__ == m.__name__]
    checks = [kind() for kind in kinds if issubclass(kind, Check) and "code" in vars(kind)]
    return tuple(sorted(checks, key=lambda check: check.code))


class Reviewer:
    """Collects the doubts about one notebook: :meth:`review_cell` after each cell that ran, :meth:`settle` at the end."""

    def __init__(self, checks: Sequence[Check] | None = None) -> None:
        self._checks = tuple(checks) if checks is not None else load_checks()
        self._cells: list[ReviewedCell] = []
        self._doubts: list[Doubt] = []

    def asks_state(self, cell: Cell, notebook: Notebook) -> bool:
        """Whether a check has a question about the values around a cell: it is to be run by itself then."""
        state = _AskedState()
        reviewed = ReviewedCell(cell, notebook, before=state, after=state)
        for check in self._checks:
            _take_doubts(check, lambda check=check: check.review_cell(reviewed))  # type: ignore[misc]
        return state.is_asked

    def review_cell(self, cell: ReviewedCell) -> None:
        """Look at a cell that has just run. A cell that is run again is looked at anew."""
        self._doubts = [d for d in self._doubts if d.cell_id != cell.cell.id]
        self._cells = [c for c in self._cells if c.cell.id != cell.cell.id]
        self._cells.append(replace(cell, before=None, after=None))
        for check in self._checks:
            self._doubts += _take_doubts(check, lambda check=check: check.review_cell(cell))  # type: ignore[misc]

    def settle(self, state: TrialKernel | None) -> tuple[Doubt, ...]:
        """All doubts, by cell and line, once the last cell has run."""
        doubts = [d for d in self._doubts if d.code not in {c.code for c in self._checks if c.must_last}]
        for check in (c for c in self._checks if c.must_last):
            open_ = [d for d in self._doubts if d.code == check.code]
            doubts += [d for d in open_ if d in self._review_again(check, d.cell_id, state)]
        notebook = ReviewedNotebook(tuple(c.cell for c in self._cells), state)
        for check in self._checks:
            doubts += _take_doubts(check, lambda check=check: check.review_notebook(notebook))  # type: ignore[misc]
        order = {c.cell.id: n for n, c in enumerate(self._cells)}
        return tuple(sorted(dict.fromkeys(doubts), key=lambda d: (order.get(d.cell_id, -1), d.line, d.code)))

    def _review_again(self, check: Check, cell_id: str, state: TrialKernel | None) -> list[Doubt]:
        at = next(n for n, c in enumerate(self._cells) if c.cell.id == cell_id)
        later = frozenset(name for c in self._cells[at + 1 :] for name in src.find_names(c.cell.source).binds)
        return _take_doubts(check, lambda: check.review_cell(replace(self._cells[at], after=state, rebound=later)))


class _AskedState:
    """A :class:`~jupyter_selfheal.ports.TrialKernel` that only notes whether something is asked of it."""

    start = Start.BEFORE_CELL
    isolation = Isolation("none")
    is_exact = True
    is_asked = False

    def run(self, request: TrialRequest) -> tuple[Trial, TrialKernel | None]:
        self.is_asked = True
        raise KernelError("this state is none")

    def close(self) -> None:
        """There is nothing to let go."""


def review_session(notebook: Notebook, state: TrialKernel | None) -> tuple[Doubt, ...]:
    """The doubts about the cells that ran in a kernel, in the order in which they did, from its state as it is now."""
    ran = sorted((c for c in notebook.cells if c.kind == "code" and c.runs), key=lambda c: c.runs)
    failed = _list_bound(c for c in notebook.cells if c.unfinished)  # when they did what they did nobody knows
    reviewer = Reviewer()
    for at, cell in enumerate(ran):
        rebound = failed | _list_bound(ran[at + 1 :])
        reviewer.review_cell(ReviewedCell(cell, notebook, after=state, rebound=rebound))
    return reviewer.settle(state)


def _list_bound(cells: Iterable[Cell]) -> frozenset[str]:
    return frozenset(name for cell in cells for name in src.find_names(cell.source).binds)


def _take_doubts(check: Check, review: Callable[[], Iterator[Doubt]]) -> list[Doubt]:
    """What a check says; one that raises is a bug of ours, and the others go on."""
    try:
        return [doubt for _, doubt in zip(range(DOUBTS_OF_A_CHECK), review(), strict=False)]
    except Exception:
        log.exception("the check %s failed", check.code)
        return []
