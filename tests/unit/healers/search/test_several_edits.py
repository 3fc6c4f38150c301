"""Several edits, the same slip in all its places, and whole statements: programs of our own, and near misses."""

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
from jupyter_selfheal.inside.search.run_candidate import Result
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several
from tests.unit.healers.search.searching import find, list_texts

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


def test_slips_in_three_functions_are_mended_together_as_each_makes_other_checks_pass() -> None:
    best = find(THREE_FUNCTIONS, THREE_CHECKS)["patches"][0]
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


def test_more_is_tried_the_less_the_suspicion_points_and_the_longer_the_search_may_take() -> None:
    few, many = {0: {1: 1.0, 2: 0.1}}, {0: dict.fromkeys(range(70), 1.0)}
    assert patience.count_singles(few, 10.0) == patience.count_singles(few, 20.0) == patience.LIKELIEST
    assert patience.count_singles(many, 20.0) == 7_000
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


EARLY = """\
def has_fever(readings):
    for reading in readings:
        if reading > 38:
            return True
        else:
            return False
"""


def test_a_result_in_the_first_round_is_put_after_the_loop() -> None:
    checks = "assert has_fever([36, 39])\nassert not has_fever([36, 37])\nassert has_fever([40, 36]) is True\nassert has_fever([]) is False\n"
    best = find(EARLY, checks)["patches"][0]
    assert best["texts"]["0"] == EARLY.replace(
        "        else:\n            return False\n", "    return False\n"
    ).rstrip("\n")


def test_an_else_that_does_not_return_an_else_of_a_loop_and_a_nested_function_stay() -> None:
    for source in (
        EARLY.replace("            return False", "            print(reading)"),
        EARLY.replace("        else:\n            return False\n", "    else:\n        return False\n"),
        "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
    ):
        assert not list_texts(source, "belongs after the loop")


PRIMES = """\
def primes(n):
    result = []
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
            else:
                result.append(k)
    return result
"""


def test_an_else_below_a_break_is_given_to_the_loop() -> None:
    best = find(PRIMES, "assert primes(12) == [2, 3, 5, 7, 11]\n")["patches"][0]
    assert best["texts"]["0"] == PRIMES.replace(
        "            else:\n                result.append(k)\n", "        else:\n            result.append(k)\n"
    ).rstrip("\n")
    assert not list_texts(PRIMES.replace("break", "print(d)"), "belongs to the loop")


def test_a_difference_is_taken_before_a_whole_product() -> None:
    source = "def to_celsius(f):\n    return f - 32 * 5 / 9\n"
    best = find(source, "assert to_celsius(212) == 100\nassert to_celsius(32) == 0\n")["patches"][0]
    assert best["texts"]["0"].endswith("return (f - 32) * 5 / 9")


PLACE = """\
def find_place(x, queue):
    for i, y in enumerate(queue):
        if x <= y:
            return i
"""


def test_a_missing_last_result_is_found_in_what_the_arguments_are() -> None:
    checks = "assert find_place(3, [1, 5]) == 1\nassert find_place(9, [1, 5]) == 2\nassert find_place(9, []) == 0\nassert find_place(0, [1]) == 0\n"
    assert find(PLACE, checks)["patches"][0]["texts"]["0"].endswith("            return i\n    return len(queue)")


def test_a_function_that_ends_with_a_result_gets_no_other_one() -> None:
    ends = ("    return i\n", "    return None\n", "    return\n")
    assert not any(t.count("return len(queue)") for e in ends for t in list_texts(PLACE + e, "is missing"))


COUNTS = """\
def count_letters(text):
    counts = {}
    for letter in text:
        counts[letter] += 1
    return counts
"""


def test_a_missing_key_starts_with_nothing() -> None:
    best = find(COUNTS, "assert count_letters('noon') == {'n': 2, 'o': 2}\nassert count_letters('') == {}\n")[
        "patches"
    ][0]
    assert "counts.get(letter, 0) + 1" in best["texts"]["0"]


def test_a_missing_list_of_a_key_is_made() -> None:
    source = "def group(words):\n    by = {}\n    for w in words:\n        by[w[0]].append(w)\n    return by\n"
    best = find(source, "assert group(['ab', 'b', 'ac']) == {'a': ['ab', 'ac'], 'b': ['b']}\nassert group([]) == {}\n")[
        "patches"
    ][0]
    assert "by.setdefault(w[0], []).append(w)" in best["texts"]["0"]


def test_slices_attributes_and_plain_names_are_no_missing_keys() -> None:
    for line in ("a[1:] += b", "a.n += 1", "a += 1", "a.append(b)", "a[1:].copy()", "a[0].strip()"):
        assert not list_texts(f"def f(a, b):\n    {line}\n    return a\n", "may have no")


def test_what_is_printed_is_returned_in_all_places_or_in_one() -> None:
    source = "def sign(n):\n    if n < 0:\n        return print(-1)\n    return print(1)\n"
    texts = list_texts(source, "should be returned")
    assert "def sign(n):\n    if n < 0:\n        return -1\n    return 1\n" in texts
    assert len(texts) == 3
    for near in (
        "    print(n)\n    return n\n",
        "    return print()\n",
        "    return print(n, end='')\n",
        "    log(n)\n",
    ):
        assert not list_texts("def f(n):\n" + near, "should be returned")


def test_one_item_is_added_as_an_item_to_what_is_known_to_hold_items() -> None:
    assert list_texts("def f(x):\n    return (1, 2) + x\n", "should be `(x,)`")
    for line in ("x + 1", "(1, 2) + (x,)", "(1, 2) * x", "'a' + x"):
        assert not list_texts(f"def f(x):\n    return {line}\n", "`x` should be `(x,)")


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


def test_a_check_that_repeats_an_example_is_no_second_one_for_two_edits() -> None:
    definition = (
        "def steps(n):\n    '''\n    >>> steps(1)\n    0\n    >>> steps(5)\n    4\n    >>> steps(8)\n    24\n    '''\n"
        "    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n    if n == 2:\n        return 2\n"
        "    return steps(n - 1) + steps(n - 2) + steps(n - 3)"
    )
    found = find(definition, "assert steps(1) == 0\nassert steps(5) == 4\nassert steps(8) == 24")
    assert found["patches"]
    assert all(patch["rival"] for patch in found["patches"])


def test_two_assignments_that_are_meant_at_once_are_made_one() -> None:
    definition = "def gcd(a, b):\n    while b != 0:\n        a = b\n        b = a % b\n    return a\n"
    assert any("a, b = b, a % b" in text for text in list_texts(definition, "at once"))
    turned = "def turn(a, b):\n    kept = a\n    a = b\n    b = kept\n    return a, b\n"
    assert not list_texts(turned, "at once")


def test_a_missing_comma_between_texts_is_put_and_what_is_written_down_stays() -> None:
    written = 'def names():\n    shown = []\n    return ["Ann" "Bob", "Cid"]\n'
    assert [t for t in list_texts(written, "comma") if '["Ann", "Bob", "Cid"]' in t]
    assert not list_texts('def names():\n    return ["Ann", "Bob"]\n', "a comma")
    assert not list_texts("""def names():\n    return ["say 'no' 'no'"]\n""", "a comma")
    assert not [t for t in list_texts(written, "should be `shown`") if "return shown" in t]


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
    return [s.rank for s in Frontier(maker, 0, lambda state: {}).take_states(states)]


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
