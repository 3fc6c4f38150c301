"""Cases, patches and their trials, for tests of scoring: the trials really run, in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from jupyter_selfheal.model import (
    BASELINE,
    Case,
    Cell,
    Failure,
    FailureKind,
    Notebook,
    Oracle,
    Output,
    Patch,
    Replace,
    Run,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.testing.fake_kernel import FakeKernel

NO_ORACLE = Oracle()


@pytest.fixture
def try_patch() -> Callable[..., Trial]:
    """try_patch(case, patch): the trial of a patch from the state before the cell, oracle steps included."""

    def run(case: Case, patch: Patch = BASELINE, scorer: EvidenceScorer | None = None) -> Trial:
        above = [patch.source_of(c.id, c.source) for c in case.notebook.code_before(case.failure.cell_id)]
        cell = Run(patch.source_of(case.failure.cell_id, case.failure.source), case.failure.cell_id)
        steps = (cell, *(scorer or EvidenceScorer()).oracle_steps(case, patch))
        return FakeKernel(above).run(TrialRequest(steps, patch.id))[0]

    return run


@pytest.fixture
def case_of() -> Callable[..., Case]:
    """case_of([sources], failing=1, line=1, …): a case whose failing cell is cell ``c<failing>``."""

    def make(
        sources: Sequence[str | Cell],
        failing: int = 0,
        line: int = 1,
        kind: FailureKind = FailureKind.RAISED,
        ename: str = "NameError",
        evalue: str = "boom",
        oracle: Oracle = NO_ORACLE,
        frames: tuple[Any, ...] = (),
        outputs: tuple[Output, ...] = (),
    ) -> Case:
        cells = tuple(s if isinstance(s, Cell) else Cell(f"c{n}", s) for n, s in enumerate(sources))
        cell = cells[failing]
        failure = Failure(cell.id, cell.source, kind, ename, evalue, line, frames=frames, outputs=outputs)
        return Case(failure, Notebook(cells), oracle)

    return make


@pytest.fixture
def patch_of() -> Callable[..., Patch]:
    """patch_of(case, new source[, cell id], healer=…): a patch that replaces one cell."""

    def make(case: Case, source: str, cell_id: str = "", **more: Any) -> Patch:
        where = cell_id or case.failure.cell_id
        old = case.failure.source if where == case.failure.cell_id else case.notebook.cell(where).source
        more.setdefault("healer", "language_model")
        return Patch((Replace(where, old, source),), more.pop("title", "change it"), **more)

    return make
