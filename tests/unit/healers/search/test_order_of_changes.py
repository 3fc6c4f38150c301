"""Which changes are made, in which order, and what is tried again."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import propose_mutations
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.confined_forks import DEEPEST, limit_recursion, run_in_fork
from jupyter_selfheal.inside.search.cut_candidates import ALMOST, LONGEST
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.mutations.conditions import OTHER_BOUND
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.run_result import TIME, Result
from jupyter_selfheal.inside.search.scope import Scope
from jupyter_selfheal.inside.search.search import Search
from tests.unit.healers.search.searching import find

MANY_MEND = Program(
    (
        Unit("def f(a):\n    t = 0\n    for x in a:\n        if x > 1:\n            t += x\n    return t + 1", "define", True, "c0"),
        Unit("assert f([1, 2, 3]) == 7", "check", cell="c1"),
    )
)  # fmt: skip


def test_what_a_method_changes_in_place_is_not_replaced_by_a_copy() -> None:
    changes = list(propose_mutations.list_changes(Scope("def f(xs, ys):\n    xs.append(1)\n    return xs\n")))
    texts = [new.strip("()") for c in changes for _, _, new in c.edits if c.line == 2]
    assert "ys" in texts
    assert not any(text.startswith(("sorted(xs", "list(xs", "xs[1:]", "xs.copy")) for text in texts)
    assert any("sorted(xs" in new for c in changes for _, _, new in c.edits if c.line == 3)


def test_a_key_of_a_dictionary_is_not_made_one_that_it_has() -> None:
    text = "days = {'mon': 20, 'tue': None, 'wed': 24}\nfirst = days['mon']\n"
    results = {re.sub("[()]", "", splice(text, c.edits)) for c in propose_mutations.list_changes(Scope(text))}
    assert not any(r.count("'wed':") > 1 or r.count("'mon':") > 1 for r in results)
    assert text.replace("days['mon']", "days['wed']") in results


def test_what_was_cut_is_tried_again_only_where_more_time_may_help() -> None:
    over = Search(MANY_MEND, {"__name__": "__main__"}, 60.0, 1, {})
    over.sight = Sight(Result(1, 0))

    def cut(weight: float, **more: Any) -> Candidate:
        return Candidate({}, "", 1, weight, 0, 1, **more)

    often, likely, other, last = cut(0.9, given=LONGEST), cut(0.8), cut(0.7), cut(0.6)
    over.screen.late = [often, last, likely, other]
    assert over._select_late(ALMOST) == [
        likely,
        other,
    ]  # nothing passed: two guesses; the first had all the time there is
    over.screen.late = [near := cut(0.1, result=Result(1, 1, TIME)), far := cut(0.9, result=Result(9, 1, TIME))]
    assert over._select_late(ALMOST) == [far, near]
    over.screen.counts_all, over.screen.late = True, [near, far]
    assert over._select_late(ALMOST) == [near]  # what failed before it was cut fails with more time, too


def test_what_compares_is_changed_last() -> None:
    source = (
        "class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n"
        "    def __add__(self, other):\n        return Point(self.x + other.x, self.y + other.x)\n"
        "    def __eq__(self, other):\n        return self.x == other.x and self.y == other.y\n"
    )
    ranked = propose_mutations.rank_changes(Scope(source), dict.fromkeys(range(1, 9), 1.0))
    lines = [change.line for _, change in ranked]
    assert lines.index(7) > lines.index(5)
    weights = {change.words: weight for weight, change in ranked if change.line == 7}
    alone = propose_mutations.rank_changes(Scope(source.replace("__eq__", "is_at")), dict.fromkeys(range(1, 9), 1.0))
    plain = {change.words: weight for weight, change in alone if change.line == 7}
    word = "`and` should be `or`"
    assert weights[word] == pytest.approx(plain[word] * propose_mutations.IN_COMPARISON)


def test_a_reduction_may_lack_its_axis() -> None:
    ranked = propose_mutations.rank_changes(Scope("best = scores[['a', 'b']].idxmax()\n"), {1: 1.0})
    assert any(change.edits[0][2] == "axis=1" for _, change in ranked)


def test_endless_recursion_through_c_code_ends_with_an_error_whatever_limit_the_notebook_set() -> None:
    def recurse(n: int = 0) -> int:
        return max(map(recurse, [n + 1]))

    def work() -> str:
        try:
            return str(recurse())
        except RecursionError:
            return "too deep"

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        assert run_in_fork(work, 30) == "too deep"
        with limit_recursion():
            assert sys.getrecursionlimit() == DEEPEST
        assert sys.getrecursionlimit() == 100_000
    finally:
        sys.setrecursionlimit(before)


def _weigh_lines(line: str) -> dict[str, float]:
    """The second lines that changes make of a function's, without parentheses, with their weights."""
    text = f"def f(a, b, c):\n    {line}\n"
    ranked = propose_mutations.rank_changes(Scope(text), {2: 1.0})
    return {re.sub(r"[()\s]", "", splice(text, c.edits).splitlines()[1]): w for w, c in reversed(ranked)}


def _weigh_results(test: str) -> dict[str, float]:
    """By what replaces the last ``True``, the weight of each change of a function that ends with it."""
    text = f"def f(n):\n    if {test}:\n        return False\n    return True\n"
    ranked = propose_mutations.rank_changes(Scope(text), {4: 1.0})
    return {new.strip("()"): w for w, c in reversed(ranked) for _, _, new in c.edits if c.line == 4}


def test_a_number_is_likelier_compared_with_what_it_is_compared_with_elsewhere() -> None:
    plain, nought = _weigh_results("n"), _weigh_results("n < 0")
    assert nought["n <= 1"] == pytest.approx(plain["n <= 1"] * OTHER_BOUND)
    assert nought["n == 0"] == plain["n == 0"]
    assert _weigh_results("n < 1")["n <= 1"] == plain["n <= 1"]


@pytest.mark.parametrize(
    ("line", "is_meant"),
    [
        ("a[b][1], a[c][1] = a[c][1], a[b][1]", True),
        ("a[b], a[c] = a[c], a[b]", False),
        ("a[b][0], a[c][1] = a[c][1], a[b][0]", False),
        ("a[b][1], c = c, a[b][1]", False),
    ],
)
def test_whole_items_may_be_exchanged_for_a_part_of_each(line: str, is_meant: bool) -> None:
    ranked = propose_mutations.rank_changes(Scope(f"def f(a, b, c):\n    {line}\n"), {2: 1.0})
    made = [splice(f"def f(a, b, c):\n    {line}\n", c.edits) for _, c in ranked if "whole items" in c.words]
    assert made == (["def f(a, b, c):\n    a[b], a[c] = a[c], a[b]\n"] if is_meant else [])


def test_an_operand_in_the_middle_may_be_too_many() -> None:
    assert "return-1**a+b" in _weigh_lines("return (-1) ** 2 * (a + b)")
    assert "returna*c" in _weigh_lines("return a * b + c")
    grouped = _weigh_lines("return (a + b) * c")
    assert "returna+c" not in grouped


def test_a_power_of_minus_one_gets_no_other_number_as_readily_as_another_power() -> None:
    one, two = (
        _weigh_lines(f"return {base} ** 2 * len(a)")[f"return{base.strip('()')}**3*lena"] for base in ("(-1)", "10")
    )
    assert one < two


@pytest.mark.parametrize("value", ["[c for c in a]", "{c for c in a}", "(b, c)", "a if b else c", 'f"{a}"', "a and b"])
def test_whatever_is_computed_last_may_be_what_is_returned(value: str) -> None:
    assert f"return{re.sub(r'[() ]', '', value)}" in _weigh_lines(value)


def test_a_name_that_only_a_comprehension_binds_is_not_returned() -> None:
    ranked = propose_mutations.rank_changes(Scope("def f(a):\n    [k for k in a]\n"), {2: 1.0})
    words = {c.words for _, c in ranked}
    assert "`f` does not return `a`" in words
    assert "`f` does not return `k`" not in words


def test_a_base_case_beside_one_that_is_there_comes_before_a_guard() -> None:
    fib = "def fib(n):\n    if n == 0:\n        return 0\n    return fib(n - 1) + fib(n - 2)\n"
    cases = [c for c in propose_mutations.list_changes(Scope(fib)) if "lacks the case" in c.words]
    priors = {re.search(r"if (.+?): return", c.words)[1]: c.prior for c in reversed(cases)}  # type: ignore[index]
    assert priors["n == 1"] > 2 * max(priors["n < 0"], priors["not n"])


def test_what_is_equal_is_not_turned_to_meet_a_check() -> None:
    pair = "class Pair:\n    def __eq__(self, o):\n        return self.a == o.a\n    def is_at(self, o):\n        return self.a == o.a\n"
    turned = [c.line for c in propose_mutations.list_changes(Scope(pair)) if c.words == "`==` should be `!=`"]
    assert turned == [5]


def test_what_is_told_in_parts_of_a_hundred_is_divided() -> None:
    report = find(
        "def off(amount, percent):\n    return amount - amount * percent\n",
        "assert off(100, 20) == 80\nassert off(50, 10) == 45\n",
    )
    assert report["patches"][0]["words"] == "`percent` should be `percent / 100`"


def test_digits_that_are_exchanged_come_before_a_number_that_is_added() -> None:
    report = find("def warm(c):\n    return c * 9 / 5 + 23\n", "assert warm(0) == 32\nassert warm(100) == 212\n")
    assert report["patches"][0]["words"] == "`23` should be `32`"


def read_prior(source: str, text: str) -> float:
    """The greatest weight of a change of a source to this text; 0 where none is made."""
    changes = ((c.prior, splice(source, c.edits)) for c in propose_mutations.list_changes(Scope(source)))
    return max(
        (prior for prior, made in changes if made.replace("(n)", "n").replace("(n - 1)", "n - 1") == text), default=0.0
    )


def test_the_end_of_a_range_is_one_off_sooner_than_two() -> None:
    old = "for i in range(1, n + 1):\n    print(i)\n"
    one, two = (read_prior(old, old.replace("n + 1", new)) for new in ("n", "n - 1"))
    assert one > two > 0


@pytest.mark.parametrize(
    "old", ["x = n + 1\n", "for i in range(n + 2):\n    print(i)\n", "for i in span(n + 1):\n    print(i)\n"]
)
def test_elsewhere_a_sign_is_turned_sooner_than_left_out(old: str) -> None:
    priors = [c.prior for c in propose_mutations.list_changes(Scope(old)) if c.words == "`+` should be `-`"]
    assert priors == [0.85]


def test_a_place_is_counted_from_the_other_end() -> None:
    assert read_prior("x = sorted(xs)[1]\n", "x = sorted(xs)[(-2)]\n") == pytest.approx(0.4)


@pytest.mark.parametrize("old", ["x = sorted(xs)[1:]\n", "x = f(1)\n", "x = y + 1\n"])
def test_what_is_no_place_is_not_counted_from_the_other_end(old: str) -> None:
    assert read_prior(old, old.replace("-1", "1").replace("1", "(-2)", 1)) == 0.0
