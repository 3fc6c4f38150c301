"""How long a trial of a batch may take: as long as a cell may, within bounds."""

from __future__ import annotations

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Failure, FailureKind
from jupyter_selfheal.surfaces.notebook.session import allow_trials

AT_ONCE = Failure("c", "fit(loss='ls')", ename="ValueError", seconds=0.1)
LATE = Failure("c", "fit(loss='ls')", ename="ValueError", seconds=12.0)
CUT = Failure("c", "fit()", FailureKind.TIMED_OUT, seconds=40.0)


@pytest.mark.parametrize(
    ("failure", "cell_seconds", "wanted"),
    [(AT_ONCE, 120.0, 25.0), (AT_ONCE, 18.0, 18.0), (AT_ONCE, 2.0, 10.0), (LATE, 120.0, 36.0), (CUT, 40.0, 40.0)],
)
def test_what_failed_at_once_may_take_long_when_it_is_mended(
    failure: Failure, cell_seconds: float, wanted: float
) -> None:
    config = allow_trials(HealConfig(), failure, cell_seconds)
    assert config.compute_trial_limit(failure.seconds) == pytest.approx(wanted)


def test_a_limit_that_was_given_stays() -> None:
    assert allow_trials(HealConfig(timeout=3.0), LATE, 120.0).timeout == 3.0
