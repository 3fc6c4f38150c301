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


DEFINED = "def fit(x):\n    return x"


def compute_limit_of_patched_definition(failure: Failure, patched: str, cell_seconds: float) -> float:
    notebook = Notebook((Cell("d", DEFINED), Cell("c", OLD)))
    case = Case(failure, notebook, patience=compute_patience(USUAL, cell_seconds, 600.0) if cell_seconds else 0.0)
    patch = Patch((Replace("d", DEFINED, patched),), "Change it", healer="search")
    return build_request(case, patch, Start.BEFORE_CELL, EvidenceScorer(), USUAL).timeout


@pytest.mark.parametrize(
    ("failure", "patched", "cell_seconds", "wanted"),
    [
        (AT_ONCE, "def fit(x):\n    return 2", 8.0, 10.0),
        (CUT, "def fit(x):\n    return 2", 40.0, 40.0),
        (CUT, "class Fit:\n    pass", 0.0, 40.0),
        (AT_ONCE, "def fit(x):\n    return 2", 120.0, 20.0),
        (AT_ONCE, "def fit(x):\n    return 2", 0.0, 20.0),
        (CUT, "from slow import fit", 40.0, 80.0),
        (CUT, "fit = train(2)", 40.0, 80.0),
    ],
)
def test_what_is_only_defined_adds_no_time_where_more_could_not_help(
    failure: Failure, patched: str, cell_seconds: float, wanted: float
) -> None:
    assert compute_limit_of_patched_definition(failure, patched, cell_seconds) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("seconds", "cell_seconds", "wanted"),
    [(9.0, 8.0, 10.0), (14.0, 8.0, 14.0), (14.0, 30.0, 30.0), (14.0, 120.0, 42.0)],
)
def test_a_cell_that_died_is_given_no_more_than_a_cell_may_run(
    seconds: float, cell_seconds: float, wanted: float
) -> None:
    died = Failure("c", OLD, FailureKind.DIED, seconds=seconds)
    assert compute_limit(died, BASELINE, cell_seconds) == pytest.approx(wanted)


def test_where_nobody_set_a_limit_to_cells_one_that_died_has_three_times_its_time() -> None:
    case = Case(Failure("c", OLD, FailureKind.DIED, seconds=14.0), Notebook((Cell("c", OLD),)))
    assert build_request(case, BASELINE, Start.BEFORE_CELL, EvidenceScorer(), USUAL).timeout == pytest.approx(42.0)


SCRIPT = "n = 12\nwhile n > 0:\n    print(n)\n    n {sign} 10\n"
UNPARSED = Failure("c", "n = 12\nwhile n > 0\n", FailureKind.SYNTAX, ename="SyntaxError")


@pytest.mark.parametrize(
    ("healer", "sign", "config", "wanted"),
    [
        ("rules", "/", USUAL, 3.0),
        ("search", "/", USUAL, 3.0),
        ("rules", "/", HealConfig(timeout=60.0), 60.0),
        ("rules", "//=", USUAL, 120.0),
        ("search", "//=", USUAL, 10.0),
    ],
)
def test_of_a_cell_that_did_not_parse_a_loop_that_cannot_end_is_cut_at_once(
    healer: str, sign: str, config: HealConfig, wanted: float
) -> None:
    patch = replace(SAFE, edits=(Replace("c", OLD, SCRIPT.format(sign=sign)),), healer=healer)
    assert compute_limit(UNPARSED, patch, 120.0, config) == wanted


def test_of_a_cell_that_ran_such_a_loop_has_the_usual_seconds() -> None:
    patch = replace(SAFE, edits=(Replace("c", OLD, SCRIPT.format(sign="/")),))
    assert compute_limit(AT_ONCE, patch, 120.0) == 10.0


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("    if m % a == 0:\n        print(m)\n        break\n    m = + 1\n", 3.0),  # `m += 1` is meant
        ("    d = n // 10\n    if d == 0:\n        break\n", 3.0),
        ("    if m % a == 0:\n        print(m)\n        break\n    m = m + 1\n", 10.0),
        ("    m += 1\n    if m % a == 0:\n        break\n", 10.0),
        ("    m = int(input())\n    if m == a:\n        break\n", 10.0),
        ("    m = queue.pop()\n    if m == a:\n        break\n", 10.0),
        ("    rows[0] = 1\n    if rows[0] == a:\n        break\n", 10.0),
        ("    if (m := step()) == a:\n        break\n", 10.0),
    ],
)
def test_a_loop_whose_rounds_are_all_alike_is_cut_at_once(body: str, wanted: float) -> None:
    patch = replace(SAFE, edits=(Replace("c", OLD, "a, m, n = 3, 4, 50\nwhile True:\n" + body),), healer="search")
    assert compute_limit(UNPARSED, patch, 120.0) == wanted
