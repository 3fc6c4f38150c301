"""Cases, patches and their trials, for tests of scoring: the trials really run, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from jupyter_selfheal.inside.search import untold_parts
from jupyter_selfheal.model import (
    BASELINE,
    Case,
    Cell,
    Failure,
    FailureKind,
    Notebook,
    Oracle,
    Patch,
    Replace,
    Run,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.testing.fake_kernel import FakeKernel


def try_patch(case: Case, patch: Patch = BASELINE, scorer: EvidenceScorer | None = None) -> Trial:
    """The trial of a patch from the state before the cell, oracle steps included."""
    above = [patch.source_of(c.id, c.source) for c in case.notebook.list_code_before(case.failure.cell_id)]
    cell = Run(patch.source_of(case.failure.cell_id, case.failure.source), case.failure.cell_id)
    steps = (cell, *(scorer or EvidenceScorer()).list_oracle_steps(case, patch))
    return FakeKernel(above).run(TrialRequest(steps, patch.id))[0]


def case_of(
    sources: Sequence[str | Cell],
    failing: int = 0,
    line: int = 1,
    kind: FailureKind = FailureKind.RAISED,
    ename: str = "NameError",
    evalue: str = "boom",
    oracle: Oracle | None = None,
    **more: Any,
) -> Case:
    """A case whose failing cell is cell ``c<failing>``."""
    cells = tuple(s if isinstance(s, Cell) else Cell(f"c{n}", s) for n, s in enumerate(sources))
    failure = Failure(cells[failing].id, cells[failing].source, kind, ename, evalue, line, **more)
    return Case(failure, Notebook(cells), oracle or Oracle())


def patch_of(case: Case, source: str, cell_id: str = "", title: str = "change it", **more: Any) -> Patch:
    """A patch that replaces one cell."""
    where = cell_id or case.failure.cell_id
    old = case.failure.source if where == case.failure.cell_id else case.notebook.cell(where).source
    return Patch((Replace(where, old, source),), title, **{"healer": "language_model", **more})


def ask_untold(
    definition: str,
    checks: Sequence[str],
    *,
    unrun: bool = False,
    added: tuple[str, ...] = (),
    unread: Sequence[str] = (),
) -> str:
    """What the checks of a definition leave untold, in words."""
    space: dict[str, Any] = {}
    exec(definition, space)
    units = [{"text": definition, "role": "define", "mutable": True}]
    units += [{"text": text, "role": "check", "mutable": False} for text in checks]
    return untold_parts.probe(
        SimpleNamespace(user_ns=space), None, {"units": units, "unrun": unrun, "added": added, "unread": unread}
    )
