"""Healing where Python has no processes, as in a browser (Pyodide): the engine itself, with replay in place of forks.

A trial runs the cells above again in a new namespace of the same interpreter. So there is no sandbox and no language model, and the search
tries one change after the other; a trial is ended by tracing, so that a loop in Python is cut and a call into C is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Case, Cell, Notebook, Outcome, Run, TrialRequest
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.testing.failing import SECONDS, find_first_failure
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fixtures import apply_and_run
from jupyter_selfheal.testing.scripted import ListJournal

CONFIG = HealConfig(healers=("rules", "search"), offline=True, parallel=1, memory=False)


def heal_sources(
    sources: Sequence[str], report: Callable[[dict[str, Any]], object] = lambda _failure: None
) -> dict[str, Any]:
    """Heal a notebook, given as the sources of its code cells.

    Returns what JSON can hold: ``cells``, the sources as they are now, ``outputs``, what each of them gives as text, and ``failures``, one for
    each cell that failed: its number from 1, the message, the cause, and of a fix its title, score, evidence, changes and whether it was applied.
    ``report`` is told of each failure as soon as it is known what comes of it. It ends at the first cell that stays broken, as the cells below it
    may need what it makes.
    """
    notebook = Notebook(tuple(Cell(f"c{n}", source) for n, source in enumerate(sources, 1)))
    failures: list[dict[str, Any]] = []
    while (broken := find_first_failure(notebook)) is not None and len(failures) < 2 * len(sources):
        outcome = engine.heal(
            broken.case,
            broken.starts,
            config=CONFIG,
            approver=PolicyApprover("all", CONFIG.accept),
            journal=ListJournal(),
        )
        failures.append(describe_failure(broken.case, outcome))
        report(failures[-1])
        if not outcome.applied:
            break
        notebook = apply_and_run(broken.case.notebook, outcome.applied[0].patch)
    return {"cells": [c.source for c in notebook.cells], "outputs": list_outputs(notebook), "failures": failures}


def list_outputs(notebook: Notebook) -> list[str]:
    """What each cell gives, as text, when all run from the top; cells behind one that fails give nothing."""
    steps = tuple(Run(c.source, c.id) for c in notebook.cells)
    trial, _ = FakeKernel().run(TrialRequest(steps, timeout=SECONDS))
    texts = ["".join(o.text or o.data.get("text/plain", "") for o in step.outputs) for step in trial.steps]
    return [*texts, *[""] * (len(steps) - len(texts))]


def describe_failure(case: Case, outcome: Outcome) -> dict[str, Any]:
    """One failure and what came of it."""
    shown = (*outcome.applied, *(c for p in outcome.proposal for c in p.candidates))
    row: dict[str, Any] = {
        "cell": case.notebook.index(case.failure.cell_id) + 1,
        "failure": re.sub(r"<fake cell \d+>, ", "", case.failure.headline),
        "cause": outcome.diagnosis.cause,
        "applied": bool(outcome.applied),
        "detail": outcome.detail,
    }
    if shown:
        best = shown[0]
        healed = {c.id: c.source for c in case.notebook.apply(best.patch).cells}
        given = {c.id: c.source for c in case.notebook.cells}
        number = {cell_id: n for n, cell_id in enumerate(healed, 1)}
        row |= {
            "cause": best.patch.cause,
            "fix": best.patch.title,
            "score": best.verdict.score,
            "evidence": [*best.verdict.reasons],
            "changes": [
                {"cell": number[cell_id], "old": given.get(cell_id, ""), "new": source}
                for cell_id, source in healed.items()
                if given.get(cell_id) != source
            ],
        }
    return row
