"""A small stage for the loop: a notebook whose cells ran up to the failing one, in a fake kernel that really runs code."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from jupyter_selfheal.loop.progress import failure_of
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
from jupyter_selfheal.ports import Starts
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
        base: str = "",
    ) -> Patch:
        """A patch of the failing cell that puts ``new`` for ``old``."""
        source = base or self.source
        assert old in source
        edit = Replace(self.case.failure.cell_id, source, source.replace(old, new, 1))
        return Patch((edit,), f"{old} → {new}", healer=healer, applicability=applicability)


def staged(*sources: str, oracle: Oracle = NO_ORACLE) -> Stage:
    """Run all cells but the last, which must fail."""
    cells = tuple(Cell(f"c{n}", source, oracle=oracle) for n, source in enumerate(sources))
    before = FakeKernel([Run(c.source, c.id) for c in cells[:-1]])
    trial, after = before.run(TrialRequest((Run(cells[-1].source, cells[-1].id),), keep=Keep.ALWAYS))
    draft = Case(Failure(cells[-1].id, cells[-1].source), Notebook(cells), oracle)
    failure = failure_of(draft, cells[-1].source, trial)
    assert failure is not None
    case = Case(failure, draft.notebook, oracle)
    return Stage(case, Starts((before,), (after,) if after else ()))


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    with contextlib.ExitStack() as stack:

        def make(*sources: str, oracle: Oracle = NO_ORACLE) -> Stage:
            made = staged(*sources, oracle=oracle)
            for kernel in (*made.starts.before, *made.starts.after):
                stack.callback(kernel.close)
            return made

        yield make


def titles(patches: Sequence[Patch]) -> list[str]:
    return [p.title for p in patches]
