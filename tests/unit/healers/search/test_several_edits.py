"""Several edits, and the same slip in all its places: programs of our own, and near misses."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.inside.search import patience
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.combine_changes import Frontier
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several
from tests.unit.healers.search.searching import find

THREE_FUNCTIONS = """\
def count_late(trains):
    late = 1
    for name, minutes in trains:
        if minutes > 5:
            late += 1
    return late

def find_slowest(trains):
    slowest = trains[0]
    for train in trains:
        if train[1] < slowest[1]:
            slowest = train
    return slowest[0]

def wait(trains):
    total = 0
    for name, minutes in trains:
        total -= minutes
    return total
"""
THREE_CHECKS = """\
trains = [("a", 7), ("b", 2), ("c", 31), ("d", 1), ("e", 12), ("f", 9)]
assert count_late(trains) == 4
assert count_late([("a", 9)]) == 1
assert count_late([("a", 1), ("b", 0)]) == 0
assert find_slowest(trains) == "c"
assert find_slowest([("x", 3), ("y", 1)]) == "x"
assert wait(trains) == 62
"""


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that tries no more than a small program needs."""
    for name, number in {"LIKELIEST": 300, "PER_LINE": 1, "FURTHER": 300, "GO_ON": 50}.items():
        monkeypatch.setattr(patience, name, number)


@pytest.mark.usefixtures("few")
def test_slips_in_three_functions_are_mended_together_as_each_makes_other_checks_pass() -> None:
    best = find(THREE_FUNCTIONS, THREE_CHECKS, seconds=20.0)["patches"][0]
    text = "\n".join(best["texts"].values())
    assert "late = 0" in text
    assert "train[1] > slowest[1]" in text or "slowest[1] < train[1]" in text
    assert "total += minutes" in text
    assert best["edits"] == 3


SAME_SLIP = """\
def count_even(numbers):
    found = 0
    for n in numbers:
        if n % 2 == 1:
            found += 1
    return found

def keep_even(numbers):
    kept = []
    for n in numbers:
        if n % 2 == 1:
            kept.append(n)
    return kept
"""


def test_the_same_slip_is_mended_in_all_its_places_at_once() -> None:
    checks = (
        "assert count_even([1, 2, 4]) == 2\nassert keep_even([1, 2, 4, 6]) == [2, 4, 6]\nassert count_even([3]) == 0\n"
    )
    best = find(SAME_SLIP, checks)["patches"][0]
    assert len(best["texts"]) == 2
    assert "in all 2 places" in best["words"]


@pytest.mark.parametrize(
    ("new", "places", "is_slip"),
    [
        ("sorted(xs)", 2, True),
        ("sorted(xs)", 3, False),
        ("ys", 3, True),
        ("ys", 6, True),
        ("ys", 7, False),
        ("ys", 1, False),
        ("max(ys)", 3, True),
    ],
)
def test_a_call_around_a_name_in_three_places_is_no_slip(new: str, places: int, is_slip: bool) -> None:
    text = "print(" + ", ".join(["xs"] * places) + ")"
    maker = Maker(Program((Unit(text, "cell", mutable=True),)), {}, {}, Sight(Result(1, 0)))
    starts = (m.start() for m in re.finditer("xs", text))
    maker.changes = [(0.5, 0, Change(((at, at + 2, new),), 0.5, 1, "")) for at in starts]
    slips = [{c.edits for _, c in group} for _, group in maker._group_slips()]
    assert slips == ([{c.edits for _, _, c in maker.changes}] if is_slip else [])


def test_where_one_of_two_equal_conditions_is_right_only_the_other_is_changed() -> None:
    checks = "assert count_even([1, 2, 4]) == 2\nassert keep_even([1, 3]) == [1, 3]\nassert count_even([3]) == 0\n"
    best = find(SAME_SLIP, checks)["patches"][0]
    assert best["edits"] == 1
    assert len(best["texts"]) == 1


LONG = "def total(a, b, c, d):\n    s = 0\n" + "".join(
    f"    if a * {n} + b > c - {n} and d != {n}:\n        s += a * {n} - b * c + d // {n}\n" for n in range(1, 4)
) + "    return s\n"  # fmt: skip


def test_where_nothing_comes_near_the_search_stops_and_says_what_it_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LIKELIEST", 60)
    monkeypatch.setattr(patience, "PER_LINE", 1)
    report = find(LONG, "assert total(1, 2, 3, 4) == 'banana'\n", seconds=20.0)
    assert report["tried"] == 60
    assert report["why"].endswith("less likely changes were not tried")


def test_what_it_left_is_said_though_the_last_it_tried_used_up_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LIKELIEST", 60)
    monkeypatch.setattr(patience, "PER_LINE", 1)
    monkeypatch.setattr(patience, "LAST_SECONDS", 0.1)
    report = find(LONG, "assert total(1, 2, 3, 4) == 'banana'\nassert total(2, 2, 3, 4) == 'cherry'\n", seconds=20.0)
    assert 60 < report["tried"] < 2_000
    assert report["why"].endswith("less likely changes were not tried")


def test_more_is_tried_the_less_the_suspicion_points_and_the_longer_the_search_may_take() -> None:
    few, many = {0: {1: 1.0, 2: 0.1}}, {0: dict.fromkeys(range(50), 1.0)}
    assert patience.count_singles(few, 10.0) == patience.count_singles(few, 20.0) == patience.LIKELIEST
    assert patience.count_singles(many, 20.0) == 5_000
    assert patience.count_singles({0: dict.fromkeys(range(900), 1.0)}, 20.0) == patience.MOST
    assert patience.count_singles(few, 100.0) == 5 * patience.LIKELIEST
    assert patience.count_singles({}, 20.0) == patience.LIKELIEST


def test_where_nothing_passes_all_checks_the_search_ends_by_what_it_can_still_gain() -> None:
    report = find(
        "def half(n):\n    return n // 2\n", "assert half(4) == 2\nassert half(3) == 1.5\nassert half(3) == 7\n"
    )
    assert report["patches"] == []
    assert report["why"].startswith("no candidate passes")
    assert report["tried"] < 30_000


def describe(edits: int, weight: float, units: int, failed: int, is_slip: bool = False, checks: int = 0) -> str:
    texts = dict.fromkeys(range(units), "x")
    made = Candidate(texts, "words", 1, weight, 0, 1, edits, is_slip=is_slip)
    return describe_doubt_of_several(made, failed, checks)


def test_several_edits_are_applied_where_each_is_likely_or_has_checks_of_its_own() -> None:
    assert not describe(1, 0.001, 1, 1)
    assert not describe(2, 0.16, 1, 4)
    assert not describe(2, 0.01, 2, 4)
    assert not describe(2, 0.01, 1, 3, is_slip=True)
    assert describe(2, 0.16, 1, 3)  # two edits of one function need checks as two of different ones do
    assert describe(2, 0.03, 1, 4)
    assert describe(3, 0.5, 1, 9)
    assert describe(2, 0.5, 2, 3)


def test_where_many_checks_pass_one_for_each_edit_need_have_failed() -> None:
    assert not describe(2, 0.16, 1, 2, checks=10)
    assert not describe(2, 0.01, 2, 2, checks=17)
    assert not describe(2, 0.01, 2, 2, is_slip=True, checks=10)
    assert describe(2, 0.16, 1, 2, checks=9)
    assert describe(2, 0.16, 1, 1, checks=17)
    assert not describe(2, 0.04, 1, 2, checks=17)
    assert describe(2, 0.03, 1, 2, checks=17)  # neither is likely


@pytest.mark.usefixtures("few")
def test_a_check_that_repeats_an_example_is_no_second_one_for_two_edits() -> None:
    told = {"[7, 3]": 1, "[7, 9, 8]": 3, "[5]": 0}
    others = {"[2, 6, 8]": 2, "[5, 6, 7, 9]": 3, "[2, 5]": 0}
    definition = (
        "def count_late(delays):\n    '''\n"
        + "".join(f"    >>> count_late({delays})\n    {count}\n" for delays, count in told.items())
        + "    '''\n    late = 1\n    for minutes in delays:\n        if minutes < 5:\n            late += 1\n    return late"
    )
    for checks, is_doubted in ((told, True), (told | others, False)):
        lines = (f"assert count_late({delays}) == {count}" for delays, count in checks.items())
        patches = find(definition, "\n".join(lines), seconds=20.0)["patches"]
        assert patches
        assert min(patch["edits"] for patch in patches) == 2
        assert all(bool(patch["rival"]) is is_doubted for patch in patches)


def test_what_a_for_counts_is_not_counted_once_more() -> None:
    """``i -= 1`` in a loop over ``i`` may meet a check as ``edges[i]`` does, and nobody writes that."""
    definition = (
        "def score(edges):\n    n = 0\n    for i in range(len(edges)):\n        n += edges[i + 1]\n    return n"
    )
    priors: dict[str, float] = {}
    for change in list_changes(Scope(definition)):
        priors[change.words] = max(change.prior, priors.get(change.words, 0.0))
    inside = [c.prior for c in list_changes(Scope(definition)) if c.words == "`i -= 1` is missing" and c.line == 4]
    assert inside
    assert max(inside) < 0.05
    assert priors["`n -= 1` is missing"] == 0.25


def test_what_the_failing_cell_imports_is_loaded_once_for_all_candidates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "loads.txt"
    slowly = (
        "def step():\n    pass\nfor _ in range(2_500_000):\n    step()\n"  # more than a look at the program may take
    )
    (tmp_path / "loaded_slowly.py").write_text(f"print('x', end='', file=open({str(log)!r}, 'a'))\n{slowly}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "loaded_slowly", raising=False)
    report = find("def half(n):\n    return n // 3\n", "import loaded_slowly\nassert half(8) == 4\n", seconds=20.0)
    assert report["patches"]
    assert log.read_text() == "x"


CRASHES = """\
def first_over(limit, row):
    for at in len(range(row)):
        if row[at] < limit:
            return at
"""


def test_a_change_after_which_nothing_raises_is_gone_on_from_though_no_check_passes_yet() -> None:
    checks = (
        "assert first_over(3, [1, 4, 9]) == 1\nassert first_over(8, [1, 4, 9]) == 2\nassert first_over(9, [1, 4, 9]) == 2\n"
        "assert first_over(2, [2]) == 0\nassert first_over(6, [7, 9]) == 0\nassert first_over(10, [1, 4, 11]) == 2\n"
    )
    best = find(CRASHES, checks)["patches"][0]
    text = next(iter(best["texts"].values()))
    assert "in range(len(row))" in text
    assert ">= limit" in text or "not" in text


def make_state(rank: int, new: str, mask: int, failed: int, raised: int = 0) -> Candidate:
    state = Candidate({0: "x"}, "", 1, 0.5, 0, 1, result=Result(failed, 8 - failed, mask=mask, raised=raised))
    state.rank, state.spliced = rank, {0: ((0, 0, new),)}
    return state


def take(states: list[Candidate]) -> list[int]:
    maker = Maker(Program((Unit("x = 1", "cell", mutable=True),)), {}, {}, Sight(Result(1, 0)))
    return [s.rank for s in Frontier(maker, 0, lambda states: []).take_states(states)]


def test_few_states_are_gone_on_from_that_answer_some_inputs_with_a_constant() -> None:
    cases = [make_state(n, f"    if x > {n}:\n        return 1\n", 1 << n, 2) for n in range(6)]
    others = [make_state(n + 6, "x - 1", 1 << n, 5) for n in range(3)]
    guards = [make_state(9, "    if not xs:\n        return 0\n", 1 << 7, 6)]
    assert take([*cases, *others, *guards]) == [0, 1, 6, 7, 8, 9]


def test_room_is_kept_for_states_that_no_longer_raise_and_none_where_there_are_none() -> None:
    gains = [make_state(n, "x - 1", 1 << n, 5) for n in range(8)]
    moved = [make_state(n + 8, "xs", 0, 8) for n in range(4)]
    assert take(gains) == list(range(8))
    assert take([*gains, *moved]) == [0, 1, 2, 3, 4, 8, 9, 10]
    assert take([*gains, make_state(8, "    return 1\n", 0, 8)]) == list(range(8))


def test_three_likely_edits_of_one_function_are_applied_where_each_brings_three_checks() -> None:
    three = Candidate({0: "x"}, "", 1, 0.3**3, 0, 1, edits=3)
    assert describe_doubt_of_several(three, 10, 11) == ""
    assert "3 changes together" in describe_doubt_of_several(three, 9, 11)
    three.weight = 0.2**3
    assert "none of them likely" in describe_doubt_of_several(three, 10, 11)
    three.weight, three.edits = 0.3**4, 4
    assert "4 changes together" in describe_doubt_of_several(three, 14, 14)
