"""When a search ends because little more is to be expected, and what it says then."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import time_net
from jupyter_selfheal.inside.search.patience import CUT, GO_ON, describe_failure, find_last
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.time_net import TimeNet


@pytest.mark.parametrize(
    ("spent", "seconds", "is_found", "is_caught"),
    [
        (7.5, 20.0, False, False),
        (8.5, 20.0, False, True),
        (8.5, 20.0, True, False),  # what is found is ranked and compared
        (16.5, 20.0, True, True),
        (6.0, 10.0, False, True),
        (4.5, 4.0, False, False),  # the least that each search has
    ],
)
def test_a_search_that_found_nothing_ends_sooner(
    monkeypatch: pytest.MonkeyPatch, spent: float, seconds: float, is_found: bool, is_caught: bool
) -> None:
    net = TimeNet(seconds)
    net.began = 0.0
    monkeypatch.setattr(time_net, "read_cpu_time", lambda: spent)
    assert net.has_caught(is_found) == is_caught


def test_it_says_after_how_long_it_ended() -> None:
    told = describe_failure(Result(2, 3), [], 10, 11.2)
    assert told.endswith(
        "; 10 less likely changes were not tried; ended after 11 s, as nearly all that is found comes in the first 5"
    )
    assert "ended" not in describe_failure(Result(2, 3), [], 10)


def test_after_the_first_that_passes_so_many_are_tried_and_more_for_those_that_were_cut_among_them() -> None:
    last = 10 + GO_ON
    assert find_last([12, 10], []) == last
    assert find_last([10], [9, last + 1, 10 * last]) == last, "cut before it, or behind the last"
    assert find_last([10], [last]) == last
    assert find_last([10], [11]) == max(last - CUT + 1, 11)
