"""Readings that never come to an end cost little, and hide none that passes."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import try_readings
from tests.unit.healers.syntax.readings import run


def _count_up(rounds: int, step: int = 1) -> str:
    return f"n = 0\nwhile n < {rounds}:\n    n += {step}\nprint('done')\n"


def test_readings_without_an_end_hide_none_that_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_readings, "FIRST_STEPS", 2000)
    monkeypatch.setattr(try_readings, "STEPS", 10**9)
    endless = [_count_up(5, step) for step in range(-6, 0)]
    reply = run([*endless, _count_up(5)], "done\n")
    assert [p["reading"] for p in reply["passing"]] == [len(endless)]


@pytest.mark.parametrize("rounds", [(1500, 2600), (2600, 3000)])
def test_what_takes_longer_than_one_that_passes_is_still_its_rival(
    monkeypatch: pytest.MonkeyPatch, rounds: tuple[int, int]
) -> None:
    monkeypatch.setattr(try_readings, "FIRST_STEPS", 2000)
    monkeypatch.setattr(try_readings, "LONGER", 1)
    reply = run([_count_up(r) for r in rounds], "done\n")
    assert [p["reading"] for p in reply["passing"]] == [0, 1]
