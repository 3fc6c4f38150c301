"""Batch runs on in-process states, with a loop that tries given patches: what is tested is the batch, not the healing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_selfheal.kernels.replay_plan import PastCell
from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.model import (
    Attempt,
    Candidate,
    Case,
    Diagnosis,
    Outcome,
    Patch,
    Proposal,
    Reason,
    Run,
    SkipReason,
    Start,
    Trial,
    TrialRequest,
    Verdict,
)
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.surfaces.notebook.dependencies import BatchDependencies, Deadline, Limits
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.testing.fake_kernel import FakeKernel

Fixer = Callable[[Case], Sequence[Patch]]


def cell(text: str, **more: Any) -> dict[str, Any]:
    found = {"cell_type": "code", "metadata": {}, "source": text.splitlines(keepends=True), "outputs": []}
    return {**found, "execution_count": None, **more}


def notebook(*cells: dict[str, Any] | str, **metadata: Any) -> dict[str, Any]:
    made = [cell(c) if isinstance(c, str) else c for c in cells]
    for number, one in enumerate(made):
        one.setdefault("id", f"c{number}")
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


@dataclass
class Loop:
    """Applies the first given patch whose trial runs."""

    fixer: Fixer
    skip_reason: SkipReason | None = None
    cases: list[Case] = field(default_factory=list)
    starts: list[Starts] = field(default_factory=list)

    def __call__(self, case: Case, starts: Starts, seen: Trial, deadline: Deadline) -> tuple[Outcome, str]:
        self.cases.append(case)
        self.starts.append(starts)
        self.deadline = deadline
        return self._outcome(case, starts), f"run-{len(self.cases)}"

    def _outcome(self, case: Case, starts: Starts) -> Outcome:
        if self.skip_reason:
            diagnosis = Diagnosis("it is so", skip_reason=self.skip_reason, advice="see to it")
            return Outcome(Reason.ENVIRONMENT, case.failure, diagnosis)
        attempts = []
        for patch in self.fixer(case):
            trial, _ = starts.best.run(TrialRequest(build_trial_steps(case, patch, Start.BEFORE_CELL), patch.id))
            attempts.append(Attempt(patch, trial))
            if trial.ran:
                best = Candidate(patch, trial, Verdict(patch.id, 8.0, True, reasons=("it runs",)))
                proposal = Proposal(case.failure, Diagnosis("a typo"), (best,), (Start.BEFORE_CELL,))
                return Outcome(Reason.HEALED, case.failure, applied=(best,), proposal=(proposal,), seconds=0.1)
        return Outcome(Reason.EXHAUSTED, case.failure, Diagnosis("nobody knows"), attempts=tuple(attempts))


def batch(
    document: Document,
    fixer: Fixer = lambda case: (),
    *,
    seconds: float = 10.0,
    skip_reason: SkipReason | None = None,
    allowed: bool = True,
) -> Batch:
    """A batch over a document on fake kernels."""

    def replay(past: Sequence[PastCell], paths: Sequence[str] = ()) -> FakeKernel:
        return FakeKernel(tuple(Run(p.code, p.cell_id, go_on=True) for p in past))

    loop, asked = Loop(fixer, skip_reason), Loop(fixer, skip_reason)
    made = Batch(
        document,
        BatchDependencies(
            FakeKernel, replay, loop, asked, lambda case, shown: allowed, EvidenceScorer(), lambda requirement: ""
        ),
        Limits(cell=seconds),
    )
    made.loop = loop  # type: ignore[attr-defined]
    return made
