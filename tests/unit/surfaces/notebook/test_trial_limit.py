"""How long a trial of a batch may take: what a rule is sure of as long as a cell may, within bounds; a guess no longer than elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.trials import build_request
from jupyter_selfheal.model import (
    BASELINE,
    Applicability,
    Case,
    Cell,
    Failure,
    FailureKind,
    Notebook,
    Patch,
    Replace,
    Start,
)
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.surfaces.notebook.session import compute_patience

USUAL = HealConfig()
OLD = "fit(loss='ls')"
AT_ONCE = Failure("c", OLD, ename="ValueError", seconds=0.1)
LATE = Failure("c", OLD, ename="ValueError", seconds=12.0)
CUT = Failure("c", OLD, FailureKind.TIMED_OUT, seconds=40.0)
SAFE = Patch((Replace("c", OLD, "fit()"),), "Change it", applicability=Applicability.SAFE)
UNSAFE = replace(SAFE, applicability=Applicability.UNSAFE)
GUESS = replace(SAFE, healer="search")


def compute_limit(
    failure: Failure, patch: Patch, cell_seconds: float, config: HealConfig = USUAL, left: float = 600.0
) -> float:
    notebook = Notebook((Cell("c", OLD),))
    case = Case(failure, notebook, patience=compute_patience(config, cell_seconds, left))
    return build_request(case, patch, Start.BEFORE_CELL, EvidenceScorer(), config).timeout


@pytest.mark.parametrize(
    ("failure", "patch", "cell_seconds", "wanted"),
    [
        (AT_ONCE, SAFE, 120.0, 120.0),
        (AT_ONCE, SAFE, 18.0, 18.0),
        (AT_ONCE, SAFE, 2.0, 10.0),
        (LATE, SAFE, 120.0, 120.0),
        (CUT, SAFE, 40.0, 40.0),
        (AT_ONCE, UNSAFE, 120.0, 10.0),
        (AT_ONCE, GUESS, 120.0, 10.0),
        (AT_ONCE, BASELINE, 120.0, 10.0),
        (LATE, GUESS, 120.0, 36.0),
    ],
)
def test_only_what_a_rule_is_sure_of_may_take_long(
    failure: Failure, patch: Patch, cell_seconds: float, wanted: float
) -> None:
    assert compute_limit(failure, patch, cell_seconds) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("patched", "wanted"),
    [
        ("while x < 3:\n    pass", 10.0),
        ("while x < 3:\n    x += 1", 120.0),
        ("while x < 3:\n    if turn():\n        break", 120.0),
        ("while waiting:\n    pass", 120.0),
        ("for x in rows:\n    pass", 120.0),
    ],
)
def test_of_a_loop_that_cannot_end_nobody_waits_for_the_end(patched: str, wanted: float) -> None:
    patch = replace(SAFE, edits=(Replace("c", OLD, patched),))
    assert compute_limit(AT_ONCE, patch, 120.0) == pytest.approx(wanted)


def test_a_limit_that_was_given_stays() -> None:
    assert compute_limit(LATE, SAFE, 120.0, HealConfig(timeout=3.0)) == pytest.approx(3.0)


@pytest.mark.parametrize(("left", "wanted"), [(300.0, 100.0), (60.0, 25.0), (1.0, 25.0)])
def test_a_trial_takes_a_part_of_what_the_notebook_has_left(left: float, wanted: float) -> None:
    assert compute_limit(AT_ONCE, SAFE, 120.0, left=left) == pytest.approx(wanted)
