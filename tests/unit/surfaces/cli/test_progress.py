"""How long a run still takes is said once there is something to go by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jupyter_selfheal.surfaces.cli.progress import TimeLeft, format_seconds, show_progress


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


def test_a_line_that_is_printed_does_not_stand_behind_the_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(True, "notebooks", "notebook") as progress:
        progress(9, 40, "about 2 min left, n07.ipynb")
        progress.clear()
        said = capsys.readouterr().err
        assert "9/40, about 2 min left, n07.ipynb" in said
        assert said.endswith("\r")
        assert not said.rstrip("\r").rpartition("\r")[2].strip(), "the line is empty"
        progress(9, 40, "about 2 min left, n07.ipynb")
        assert "9/40" in capsys.readouterr().err, "and the bar comes again"
