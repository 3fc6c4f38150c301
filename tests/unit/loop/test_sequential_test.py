"""The error rates of the sequential test: exactly, and by simulation."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from jupyter_selfheal.loop.sequential_test import MOST_PAIRS, is_cure


def probability_of_cure(before: float, after: float) -> float:
    """That a patch passes for a cure, where the cell fails at the rate ``before``, and with it at the rate ``after``.

    Exact: over the number of failures of the cell as it is, among the ways in which the patched one never failed.
    """
    ways, cured = {0: 1.0}, 0.0
    for runs in range(1, MOST_PAIRS + 1):
        following: dict[int, float] = defaultdict(float)
        for failures, weight in ways.items():
            following[failures + 1] += weight * before * (1 - after)
            following[failures] += weight * (1 - before) * (1 - after)
        cured += sum(w for failures, w in following.items() if is_cure(failures, runs, runs))
        ways = {failures: w for failures, w in following.items() if not is_cure(failures, runs, runs)}
    return cured


def test_a_patch_that_changes_nothing_hardly_ever_passes_for_a_cure() -> None:
    assert max(probability_of_cure(rate / 200, rate / 200) for rate in range(201)) < 0.002


def test_a_patch_that_makes_it_worse_passes_even_less_often() -> None:
    assert all(
        probability_of_cure(p / 10, q / 10) <= probability_of_cure(p / 10, p / 10) + 1e-12
        for p in range(1, 10)
        for q in range(p, 10)
    )


@pytest.mark.parametrize(("rate", "power"), [(1.0, 1.0), (0.75, 0.999), (0.5, 0.99), (0.3, 0.8)])
def test_a_patch_that_cures_is_recognised(rate: float, power: float) -> None:
    assert probability_of_cure(rate, 0.0) >= power


def test_the_simulated_rate_is_the_computed_one() -> None:
    draw = random.Random(20)

    def passes_for_a_cure(rate: float) -> bool:
        failures = 0
        for runs in range(1, MOST_PAIRS + 1):
            failures += draw.random() < rate
            if draw.random() < rate:
                return False
            if is_cure(failures, runs, runs):
                return True
        return False

    simulated = sum(passes_for_a_cure(0.43) for _ in range(40_000)) / 40_000
    assert simulated == pytest.approx(probability_of_cure(0.43, 0.43), abs=0.0006)


@pytest.mark.parametrize("counts", [(0, 5, 40), (5, 5, 0), (0, 0, 0), (4, 4, 4), (1, 40, 40)])
def test_too_little_was_seen(counts: tuple[int, int, int]) -> None:
    assert not is_cure(*counts)


@pytest.mark.parametrize("counts", [(5, 5, 5), (8, 16, 17), (40, 40, 40)])
def test_enough_was_seen(counts: tuple[int, int, int]) -> None:
    assert is_cure(*counts)
