"""How long a run still takes is said once there is something to go by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jupyter_selfheal.surfaces.cli.progress import TimeLeft, format_seconds


def clock(*times: float) -> Iterator[float]:
    yield from times


def test_what_is_left_takes_as_long_as_what_is_done_took() -> None:
    times = clock(100.0, 160.0, 220.0)
    left = TimeLeft(500, lambda: next(times))
    assert left.describe(2) == "", "two notebooks say nothing of five hundred"
    assert left.describe(10) == "about 49 min left"  # 60 s for 10
    assert left.describe(499) == "about 1 s left"
    assert left.describe(500) == ""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "1 s"),
        (59, "59 s"),
        (59.7, "1 min"),
        (3_590, "1 h"),
        (3_600, "1 h"),
        (7_830, "2 h 10 min"),
        (7_199, "2 h"),
    ],
)
def test_a_time_is_said_as_a_person_says_it(seconds: float, said: str) -> None:
    assert format_seconds(seconds) == said
