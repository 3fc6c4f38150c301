"""What is read of a trial that was cut off."""

from __future__ import annotations

from jupyter_selfheal.kernels.trial_results import ResultReader
from jupyter_selfheal.model import Run


def test_a_step_that_was_killed_has_the_time_that_it_took_and_one_that_never_began_has_none() -> None:
    reading = ResultReader([Run("stuck_in_a_library()", "c1"), Run("1", "c2")])
    reading.take_frame(["begin", 0])
    cut, skipped = reading.build_results(timed_out=True, died="")
    assert cut.status == "timeout"
    assert cut.seconds > 0, "killed, it never said how long it took: that is no time-out after 0 s"
    assert (skipped.status, skipped.seconds) == ("skipped", 0.0)
