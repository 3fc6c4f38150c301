"""Healing where Python has no processes, as in a browser (Pyodide): the engine itself, with replay in place of forks.

A trial runs the cells above again in a new namespace of the same interpreter. So there is no sandbox and no language model, and the search
tries one change after the other; a trial is ended by tracing, so that a loop in Python is cut and a call into C is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Case, Cell, Notebook, Outcome
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.testing.failing import find_first_failure
from jupyter_selfheal.testing.fixtures import apply_and_run
from jupyter_selfheal.testing.scripted import ListJournal

CONFIG = HealConfig(healers=("rules", "search"), offline=True, parallel=1, memory=False)


def heal_sources(sources: Sequence[str]) -> dict[str, Any]:
    """Heal a notebook, given as the sources of its code cells.

    Returns what JSON can hold: ``cells``, the sources as they are now, and ``failures``, one for each cell that failed: its number
    from 1, the message, the cause, and of a fix its title, score, evidence and whether it was applied. It ends at the first cell
    that stays broken, as the cells below it may need what it makes.
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
        if not outcome.applied:
            break
        notebook = apply_and_run(broken.case.notebook, outcome.applied[0].patch)
    return {"cells": [c.source for c in notebook.cells], "failures": failures}


def describe_failure(case: Case, outcome: Outcome) -> dict[str, Any]:
    """One failure and what came of it."""
    shown = (*outcome.applied, *(c for p in outcome.proposal for c in p.candidates))
    row: dict[str, Any] = {
        "cell": case.notebook.index(case.failure.cell_id) + 1,
        "failure": case.failure.headline,
        "cause": outcome.diagnosis.cause,
        "applied": bool(outcome.applied),
        "detail": outcome.detail,
    }
    if shown:
        best = shown[0]
        row |= {
            "cause": best.patch.cause,
            "fix": best.patch.title,
            "score": best.verdict.score,
            "evidence": [*best.verdict.reasons],
        }
    return row
