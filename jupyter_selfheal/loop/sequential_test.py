"""Does a patch cure a failure that comes by chance? A sequential test of two rates. Pure.

After every pair of runs (one of the cell as it is, one with the patch) the likelihood of what was seen, where the patched cell has a
rate of its own, is held against that where both have the same rate. The patch is a cure once the ratio reaches
:data:`RATIO`, and none as soon as the patched cell fails once: what fails a little less often is not healed.

What that amounts to, whatever the rate is, computed exactly in ``tests/unit/loop/test_sequential_test.py``: a patch that changes nothing
passes for a cure in less than 0.2 % of cases, and one that cures a cell which fails in half of its runs is
recognised in more than 99 %, after some 16 pairs; one that fails always, after five.
"""

from __future__ import annotations

import math

RATIO = 1000.0
"""How much likelier what was seen must be where the patch cures: five pairs of "fails, passes" reach it."""

MOST_PAIRS = 40
"""Pairs of runs after which nothing is decided any more: the failure is too rare."""


def is_cure(failures: int, runs: int, patched_runs: int) -> bool:
    """Whether the cell with the patch, which never failed in its runs, fails less often than as it is."""
    if not failures or not patched_runs:
        return False
    own = _compute_log_likelihood(failures, runs - failures)
    same = _compute_log_likelihood(failures, runs - failures + patched_runs)
    return own - same >= math.log(RATIO) - 1e-9


def _compute_log_likelihood(failures: int, passes: int) -> float:
    """Of so many failures and passes, at the rate that makes them likeliest."""
    runs = failures + passes
    return sum(n * math.log(n / runs) for n in (failures, passes) if n)
