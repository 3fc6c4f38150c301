"""When a trial must end: what it waits for a processor is none of its own time."""

from __future__ import annotations

import os
import time

from jupyter_selfheal.inside.fork.guard import Limit, measure_waiting

NO_PROCESS = 0


def test_what_a_trial_waited_for_a_processor_puts_its_limit_off_by_as_much_and_at_most_by_as_much_again() -> None:
    now, own = time.monotonic(), os.getpid()
    limit = Limit(now + 10, measure_waiting(own) - 4)
    assert not limit.is_reached(now + 10, own)
    assert now + 14 <= limit.at < now + 20
    limit = Limit(now + 10, measure_waiting(own) - 99)
    assert not limit.is_reached(now + 19, own)
    assert limit.is_reached(now + 20.1, own)


def test_where_nothing_is_known_of_waiting_a_limit_is_what_it_says() -> None:
    now = time.monotonic()
    assert measure_waiting(NO_PROCESS) == 0
    assert Limit(now + 10, 0).is_reached(now + 10, NO_PROCESS)
    assert not Limit(float("inf"), 0).is_reached(now + 1e9, NO_PROCESS)
