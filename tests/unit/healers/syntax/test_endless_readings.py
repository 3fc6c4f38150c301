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


def test_what_prints_without_an_end_is_cut_by_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_readings, "FIRST_STEPS", 10**9)  # nothing else would end it
    reply = run(["n = 0\nwhile n < 3:\n    print(n)\n", "for n in range(3):\n    print(n)\n"], "0\n1\n2\n")
    assert [p["reading"] for p in reply["passing"]] == [1]


def test_a_choice_that_always_holds_is_mended_where_it_did_not_run() -> None:
    reading = "m = 2\nif m == 2:\n    print(28)\nelif m == 4 or 6:\n    print(30)\nelse:\n    print(31)\n"
    found = run([reading], "28\n")["passing"][0]
    assert "elif m == 4 or m == 6:" in found["text"]
    assert found["rival"]
