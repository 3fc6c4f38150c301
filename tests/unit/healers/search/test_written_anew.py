"""A function is written anew where no change of it was found: with its own names and questions, and applied only for many checks."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import patience
from jupyter_selfheal.inside.search.program import Doctest, Program, Unit
from jupyter_selfheal.inside.search.scope import Hints, Scope
from jupyter_selfheal.inside.search.written_anew import (
    describe_doubt_of_new_body,
    list_expected_values,
    list_new_bodies,
)
from tests.unit.healers.search.searching import find


def _list_bodies(text: str, kinds: dict[str, frozenset[str]], calls: dict[str, list[tuple[object, ...]]]) -> list[str]:
    changes = list_new_bodies(Scope(text, Hints(kinds=kinds, calls=calls)))
    return [text[:start] + new + text[end:] for c in changes for start, end, new in c.edits]


def test_a_body_asks_what_the_old_one_asked() -> None:
    old = "def loud(songs):\n    for song in songs:\n        if song.isupper():\n            return songs\n"
    new = "def loud(songs):\n    out = []\n    for song in songs:\n        if song.isupper():\n            out.append(song)\n    return out\n"
    assert new in _list_bodies(old, {"songs": frozenset({"items"})}, {})


def test_a_body_orders_by_a_part_of_each_item() -> None:
    old = 'def tallest(trees, n):\n    """The n tallest."""\n    trees.sort()\n    return n\n'
    new = 'def tallest(trees, n):\n    """The n tallest."""\n    return sorted(trees, reverse=True, key=lambda item: item[1])[:n]\n'
    kinds = {"trees": frozenset({"items"}), "n": frozenset({"number"})}
    assert new in _list_bodies(old, kinds, {"tallest": [([("oak", 20), ("fir", 30)], 1)]})


TURN = "def turn(line, steps):\n    while steps:\n        line = line[steps:]\n        steps = 0\n        return line + line\n"


def test_what_no_small_change_mends_is_offered() -> None:
    checks = "".join(
        f"assert turn({line!r}, {steps}) == {line[-(steps % len(line)) :] + line[: -(steps % len(line))]!r}\n"
        for line, steps in (([1, 2, 3, 4], 1), ([5, 6, 7], 2), ([8, 9], 1), ([1, 2, 3], 4))
    )
    patches = find(TURN, checks)["patches"]
    assert patches
    assert all(p["rival"] for p in patches)  # four checks say too little to apply it


NUMBERS = [str(n) for n in range(8)]
TRUTHS = ["True", "False"] * 8


@pytest.mark.parametrize(
    ("mended", "checks", "expected"),
    [
        (3, 20, NUMBERS),
        (4, 7, NUMBERS),
        (1, 1, NUMBERS[:1]),
        (4, 8, NUMBERS[:7]),
        (8, 8, TRUTHS[:8]),
        (8, 20, TRUTHS[:14]),
        (8, 20, ["True"] * 20),
        (8, 20, ["1", "2", "3"] * 5),
        (8, 20, []),
    ],
)
def test_few_checks_or_few_values_do_not_speak_for_a_new_body(mended: int, checks: int, expected: list[str]) -> None:
    assert describe_doubt_of_new_body(mended, checks, expected)


def test_many_checks_for_several_values_do() -> None:
    assert not describe_doubt_of_new_body(4, 8, NUMBERS)
    assert not describe_doubt_of_new_body(4, 8, [*NUMBERS[:4], *NUMBERS[:4]])
    assert not describe_doubt_of_new_body(4, 15, TRUTHS[:15])


def test_only_what_is_said_of_the_function_itself_counts() -> None:
    checks = (
        "assert wet([1]) == 1\nassert 0 == wet([])\nassert wet([2, 0]) is None\nassert wet([1]) == 1",
        "assert wet([3])\nassert not wet([0])",
        "assert dry([1]) == 5\nassert isclose(wet([4]), 6)\nassert wet([5]) == limit\nassert wet([6]) > 7\nassert wet([7]) == wet([8])",
    )
    program = Program(
        tuple(Unit(c, "check") for c in checks), doctests=(Doctest("wet([9, 9])", "[9]\n"), Doctest("dry(2)", "3"))
    )
    assert list_expected_values(program, "wet") == ["1", "0", "None", "True", "False", "[9]"]


def test_what_is_rare_is_tried_only_while_the_search_stays_within_its_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = "".join(f"assert turn({[n, n + 1, n + 2]}, 1) == {n * n}\n" for n in (3, 5, 8, 9))
    whole = find(TURN, checks, 20.0)
    monkeypatch.setattr(patience, "LAST_SECONDS", 0.0)
    without = find(TURN, checks, 20.0)
    assert whole["tried"] > without["tried"] + 50


def test_no_body_is_written_for_a_method_or_a_generator() -> None:
    for text in (
        "class A:\n    def f(self, xs):\n        return xs\n",
        "def f(xs):\n    for x in xs:\n        yield x\n",
        "@cache\ndef f(xs):\n    return xs\n",
    ):
        assert not _list_bodies(text, {"xs": frozenset({"items"})}, {})
