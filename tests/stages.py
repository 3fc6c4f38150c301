"""A small stage for the loop: a notebook whose cells ran up to the failing one, in a fake kernel that really runs code."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_selfheal.loop.progress import find_failure
from jupyter_selfheal.model import (
    Applicability,
    Case,
    Cell,
    Failure,
    Keep,
    Notebook,
    Oracle,
    Patch,
    Replace,
    Run,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel

NO_ORACLE = Oracle()


@dataclass(frozen=True)
class Stage:
    """A failure, and the states before and after it."""

    case: Case
    starts: Starts

    @property
    def source(self) -> str:
        return self.case.failure.source

    def replaced(
        self,
        old: str,
        new: str,
        applicability: Applicability = Applicability.SAFE,
        healer: str = "rules",
        source: str = "",
    ) -> Patch:
        """A patch of the failing cell that puts ``new`` for ``old``."""
        return replacement(self.case.failure.cell_id, source or self.source, old, new, applicability, healer)


def replacement(
    cell_id: str,
    source: str,
    old: str,
    new: str,
    applicability: Applicability = Applicability.SAFE,
    healer: str = "rules",
) -> Patch:
    assert old in source
    edit = Replace(cell_id, source, source.replace(old, new, 1))
    return Patch((edit,), f"{old} → {new}", healer=healer, applicability=applicability)


def staged(*sources: str, oracle: Oracle = NO_ORACLE) -> Stage:
    """Run all cells but the last, which must fail (or have an oracle that it misses)."""
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate(sources))
    before = FakeKernel([Run(c.source, c.id) for c in cells[:-1]])
    trial, after = before.run(TrialRequest((Run(cells[-1].source, cells[-1].id),), keep=Keep.ALWAYS))
    draft = Case(Failure(cells[-1].id, cells[-1].source), Notebook(cells), oracle)
    failure = find_failure(draft, cells[-1].source, trial, "missed" if oracle else "")
    assert failure is not None, "the last cell must fail"
    return Stage(Case(failure, draft.notebook, oracle), Starts((before,), (after,) if after else ()))


def answer(*patches: Patch, exhausted: bool = True) -> Answer:
    return Answer(patches, exhausted=exhausted)
