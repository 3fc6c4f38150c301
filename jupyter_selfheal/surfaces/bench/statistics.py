"""Statistics of success and cost over tasks, by statsmodels and SciPy (extra ``[bench]``).

A task that was run several times is one unit: its runs are not independent of each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.errors import UsageError

LEVEL = 0.95
"""Of every interval; differences are called shown from p < 1 - LEVEL, after Holm's correction."""
RESAMPLES = 9999
"""Of the bootstrap."""
PERMUTATIONS = 2**15
"""Of the permutation test at most: with up to fifteen tasks it tries every one, and is exact."""
BATCH = 1024
"""Permutations that are held in memory at once."""
SEED = 1
"""Of both, so that the same rows give the same figures."""


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share (or mean) with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How the second of two configurations differs from the first, on the tasks that both have.

    ``effect`` is Cohen's h of the two shares; ``p`` is exact McNemar's where each task is all right or all wrong, else of a permutation test
    that swaps tasks' means; the interval is Newcombe's there, else the bootstrap's. ``gained`` and ``lost`` count tasks whose mean rose and fell.
    """

    value: float
    low: float
    high: float
    p: float
    effect: float
    tasks: int
    gained: int
    lost: int


def load_statsmodels() -> Any:
    """statsmodels' ``api``; raises UsageError where the extra is not installed."""
    try:
        import statsmodels.stats.api as found
    except ImportError as error:
        raise UsageError("statistics need statsmodels: pip install 'jupyter-selfheal[bench]'") from error
    return found


def estimate_share(per_task: Sequence[float]) -> Share:
    """The mean of the tasks' success rates (0 to 1), with Wilson's interval where each is 0 or 1, else the bootstrap's over tasks.

    Wilson 1927, as in ``statsmodels.stats.proportion.proportion_confint``. Raises UsageError for no task.
    """
    if not per_task:
        raise UsageError("there is no row to count")
    if set(per_task) <= {0.0, 1.0}:
        low, high = load_statsmodels().proportion_confint(sum(per_task), len(per_task), 1 - LEVEL, method="wilson")
        share = sum(per_task) / len(per_task)
        return Share(share, min(float(low), share), max(float(high), share))  # rounding may put a bound past 0 or 1
    return estimate_mean(per_task)


def estimate_mean(per_task: Sequence[float]) -> Share:
    """A mean over tasks with its bootstrap interval (percentiles of 9,999 resamples of whole tasks)."""
    mean = math.fsum(per_task) / len(per_task)
    if len(set(per_task)) == 1:
        return Share(mean, mean, mean)
    import numpy as np
    from scipy.stats import bootstrap

    found = bootstrap(
        (np.asarray(per_task, float),), np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval  # fmt: skip
    return Share(mean, float(found.low), float(found.high))


def pass_at_k(runs: int, right: int, k: int) -> float:
    """The chance that at least one of ``k`` of a task's runs is right, without bias, from ``right`` of ``runs``.

    Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1. Raises UsageError for fewer runs than k.
    """
    if runs < k:
        raise UsageError(f"pass@{k} needs {k} runs of each task, and there is one with {runs}")
    return 1.0 - math.comb(runs - right, k) / math.comb(runs, k)


def compare_pairs(first: Sequence[float], second: Sequence[float]) -> Difference:
    """The difference of two configurations' rates on the same tasks, in the same order."""
    differences = [b - a for a, b in zip(first, second, strict=True)]
    gained, lost = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    mean_first, mean_second = (math.fsum(rates) / len(rates) for rates in (first, second))
    effect = 2 * math.asin(math.sqrt(mean_second)) - 2 * math.asin(math.sqrt(mean_first))
    if {*first, *second} <= {0.0, 1.0}:
        span, p = _estimate_paired_difference(first, second), _test_mcnemar(gained, lost)
    else:
        span, p = estimate_mean(differences), _test_permutations(differences)
    return Difference(span.value, span.low, span.high, p, effect, len(differences), gained, lost)


def _estimate_paired_difference(first: Sequence[float], second: Sequence[float]) -> Share:
    """The difference of two shares of the same tasks, each 0 or 1, with an interval that has a width for few tasks, even where they all agree.

    Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions based on paired data", method 10: Wilson's
    intervals of both shares, put together by their correlation (continuity corrected).
    """
    a, b, tasks = estimate_share(first), estimate_share(second), len(first)
    both = sum(x * y for x, y in zip(first, second, strict=True))
    right_first, right_second = sum(first), sum(second)
    covariance = tasks * both - right_first * right_second
    spread = right_first * (tasks - right_first) * right_second * (tasks - right_second)
    correlation = (
        (max(covariance - tasks / 2, 0.0) if covariance > 0 else covariance) / math.sqrt(spread) if spread else 0.0
    )
    value = b.value - a.value

    def combine(below: float, above: float) -> float:
        return math.sqrt(max(below**2 - 2 * correlation * below * above + above**2, 0.0))

    return Share(
        value, value - combine(b.value - b.low, a.high - a.value), value + combine(b.high - b.value, a.value - a.low)
    )


def _test_mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact test (1947): whether more tasks changed one way than the other."""
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, gained], [lost, 0]], exact=True).pvalue) if gained + lost else 1.0


def _test_permutations(differences: Sequence[float]) -> float:
    if not any(differences):
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    found = permutation_test(
        (np.asarray(differences, float),), np.mean, permutation_type="samples", n_resamples=PERMUTATIONS, batch=BATCH,
        rng=np.random.default_rng(SEED),
    )  # fmt: skip
    return float(found.pvalue)


def correct_for_many(values: Sequence[float]) -> list[float]:
    """p-values of several comparisons after Holm's correction (1979)."""
    if not values:
        return []
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(list(values), method="holm")[1]]
