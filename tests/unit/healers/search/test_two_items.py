"""Two items do not tell one order from another; one check is met by some text, and by what is shifted in whatever way."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.oracle_strength import describe_constant_shift, describe_doubt_of_text
from jupyter_selfheal.inside.search.shallow_changes import describe_shallow_change
from jupyter_selfheal.inside.search.two_items import (
    DOUBT,
    OTHER_END,
    OTHER_ITEM,
    RANKED,
    TIES,
    count_items,
    describe_doubt_of_end,
    describe_doubt_of_order,
)
from tests.unit.healers.search.searching import find

ONCE = "a condition that is asked a single time may as well not be there"


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("best = max(rows, key=f)", "best = min(rows, key=f)", DOUBT),
        ("ys = sorted(xs)", "ys = sorted(xs, reverse=True)", DOUBT),
        ("ys = xs", "ys = xs[::-1]", DOUBT),
        ("ys = sorted(xs, key=f)", "ys = sorted(xs, key=g)", DOUBT),
        ("y = max(xs) + 1", "y = max(xs) + 2", ""),
        ("y = xs[0]", "y = xs[1]", ""),
        ("y = max(a, b)", "y = max(a, c)", ""),
    ],
)
def test_an_order_of_two_items_is_doubted(old: str, new: str, doubt: str) -> None:
    assert describe_doubt_of_order(old, new, [([3, 1],)], {}) == doubt


def test_three_items_tell_an_order() -> None:
    change = "ys = sorted(xs)", "ys = sorted(xs, reverse=True)"
    assert describe_doubt_of_order(*change, [([3, 1],), ([3, 1, 2],)], {}) == ""
    assert describe_doubt_of_order(*change, [], {"xs": [3, 1, 2]}) == ""
    assert describe_doubt_of_order(*change, [], {"xs": [3, 1]}) == DOUBT
    assert describe_doubt_of_order(*change, [], {}) == ""


def test_lists_in_order_do_not_tell_places_from_values() -> None:
    change = "ps = [(a, b) for a in xs for b in xs if a != b]", "ps = [(a, b) for a in xs for b in xs if a < b]"
    assert describe_doubt_of_order(*change, [([1, 2, 3],)], {}) == RANKED
    assert describe_doubt_of_order(*change, [([1, 2, 3],), ([5, 4, 6],)], {}) == ""
    assert describe_doubt_of_order("y = a != b", "y = a < b", [([1, 2, 3],)], {}) == ""
    places = "ps = [j for i in range(n) for j in range(n) if {}]"
    assert describe_doubt_of_order(places.format("i != j"), places.format("i < j"), [([1, 2, 3],)], {}) == ""


def test_two_items_in_both_orders_tell_one_from_another() -> None:
    change = "y = a[-1]", "y = max(a)"
    assert describe_doubt_of_order(*change, [([2, 1],), ([1, 2],)], {}) == ""
    assert describe_doubt_of_order(*change, [([2, 1],), ([4, 3],)], {}) == DOUBT
    assert describe_doubt_of_order(*change, [([2, "a"],), ([1, 2],)], {}) == DOUBT


def test_one_number_does_not_tell_which_way_round_items_are_sorted() -> None:
    change = "xs = sorted(xs)", "xs = sorted(xs, reverse=True)"
    assert describe_doubt_of_end(*change, frozenset({"int"})) == OTHER_END
    assert describe_doubt_of_end(*change, frozenset({"list"})) == ""
    assert describe_doubt_of_end(*change, frozenset()) == ""
    assert describe_doubt_of_end("xs = sorted(xs)", "xs = sorted(set(xs))", frozenset({"int"})) == ""
    assert describe_doubt_of_end("y = int(s)", "y = int(s[::-1])", frozenset({"int"})) == ""


def test_one_label_does_not_tell_the_greatest_from_the_smallest() -> None:
    change = "best = sums.idxmax()", "best = sums.idxmin()"
    assert describe_doubt_of_end(*change, frozenset({"str"})) == OTHER_ITEM
    assert describe_doubt_of_end(*change, frozenset({"list"})) == ""
    assert describe_doubt_of_end("best = sums.idxmax()", "best = counts.idxmax()", frozenset({"str"})) == ""
    assert describe_doubt_of_end("df.loc[df.n.idxmax, 'a']", "df.loc[df.n.idxmax(), 'a']", frozenset({"str"})) == ""
    assert (
        describe_doubt_of_end("df.loc[df.n.idxmax, 'a']", "df.loc[df.n.idxmin(), 'a']", frozenset({"str"}))
        == OTHER_ITEM
    )


def test_the_second_largest_is_not_the_second_of_the_smallest() -> None:
    reply = find(
        "def second_largest(xs):\n    xs = sorted(xs)\n    return xs[-2]",
        "assert second_largest([1, 5, 3]) == 3\nassert second_largest([4, 9, 9, 2]) == 4",
    )
    turned = [p for p in reply["patches"] if any("reverse=True" in text for text in p["texts"].values())]
    assert turned
    assert all(p["rival"] for p in turned)


def test_a_word_counts_by_its_letters_and_a_text_by_its_words() -> None:
    change = "ys = s.split()", "ys = s.split()[::-1]"
    assert describe_doubt_of_order(*change, [("one two",)], {}) == DOUBT
    assert describe_doubt_of_order(*change, [("abba",)], {}) == ""


def doubt_text(old: str, new: str, checks: int = 1, items: int = 1) -> str:
    changed = Candidate({0: "x"}, "words", 1, 0.9, 0, 1)
    changed.spliced = {0: ((8, 8 + len(old), new),)}
    return describe_doubt_of_text(changed, {0: f"s.split({old})"}, checks, items)


def test_a_separator_or_a_pattern_that_one_check_decides_is_doubted() -> None:
    assert doubt_text("','", "', '")
    assert doubt_text("'<(.*)>'", "'<(.)>'")
    assert not doubt_text("','", "', '", checks=2)
    assert not doubt_text("','", "', '", items=3)
    assert not doubt_text("'pric'", "'price'")
    assert not doubt_text("'<(.*)>'", "'<(.*?)>'")


def test_a_pattern_that_takes_as_much_as_it_can_is_made_to_take_as_little() -> None:
    reply = find("import re\ndef tags(s):\n    return re.findall('<(.*)>', s)", "assert tags('<a><b>') == ['a', 'b']")
    assert "'<(.*?)>'" in reply["patches"][0]["words"]
    assert not reply["patches"][0]["rival"]


def doubt_shift(new: str, shown: list[str]) -> str:
    changed = Candidate({0: "x"}, "words", 1, 0.9, 0, 1)
    changed.spliced = {0: ((7, 8, new),)}
    return describe_constant_shift(changed, {0: "return n // k"}, shown, ["1", "2", "!Error", "3", "4"])


def test_what_moves_every_result_by_one_number_is_doubted() -> None:
    assert doubt_shift("(n + k)", ["2", "3", "!Error", "4", "5"])
    assert not doubt_shift("m", ["2", "3", "!Error", "4", "5"])
    assert not doubt_shift("(n + k)", ["2", "3", "!Error", "4", "6"])
    assert not doubt_shift("(n + k)", ["2", "3", "!Error", "!Error", "5"])
    assert not doubt_shift("(n + k)", ["1", "2", "!Error", "3", "4"])


def test_a_shift_in_a_roundabout_way_is_only_offered() -> None:
    reply = find("def pages(n, per):\n    return n // per", "assert pages(21, 10) == 3")
    assert reply["patches"]
    assert all(patch["rival"] for patch in reply["patches"])


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("m = a.merge(b)", "m = a.merge(b) if a is None else b", ONCE),
        ("m = d.get(k)", "m = d.get(k) or 0", ONCE),
        ("m = [f(x) for x in xs]", "m = [f(x) if x else 0 for x in xs]", ""),
        ("def f(x):\n    return g(x)", "def f(x):\n    return g(x) if x else 0", ""),
        ("for x in xs:\n    t += g(x)", "for x in xs:\n    t += g(x) if x else 0", ""),
    ],
)
def test_a_condition_that_is_asked_once_is_doubted(old: str, new: str, doubt: str) -> None:
    assert describe_shallow_change(old, new, 1) == doubt


BONUS = "def pay(hours):\n    if hours > 40:\n        return 40 + (hours - 40) * 2\n    return hours"


def test_checks_that_do_not_come_to_a_number_say_nothing_of_it() -> None:
    reply = find(BONUS, "assert pay(42) == 43\nassert pay(10) == 10\nassert pay(12) == 12")
    numbers = [p for p in reply["patches"] if p["words"].startswith("`40` should be")]
    assert numbers
    assert all(p["rival"] for p in reply["patches"] if p in numbers)


def test_a_second_check_that_comes_to_a_number_speaks_for_it() -> None:
    reply = find(
        "def total(n):\n    return n * 3 + 2", "assert total(1) == 4\nassert total(0) == 2\nassert total(5) == 12"
    )
    assert reply["patches"][0]["words"] == "`3` should be `2`"
    assert not reply["patches"][0]["rival"]


@pytest.mark.parametrize(
    ("definition", "check"),
    [
        ("def hyp(a, b):\n    return (a + b) ** 0.5", "assert hyp(3, 4) == 5"),
        ("def diff(a, b):\n    return a - b", "assert diff(2, 5) == 3"),
    ],
    ids=["written parentheses", "the other sign"],
)  # fmt: skip
def test_what_meets_one_check_by_chance_is_only_offered(definition: str, check: str) -> None:
    reply = find(definition, check)
    assert reply["patches"]
    assert reply["patches"][0]["rival"]


def test_what_is_handed_back_as_it_was_given_comes_behind_what_gathers() -> None:
    by_length = "def by_len(ws):\n    d = {}\n    for w in ws:\n        d[len(w)] = [w]\n    return d"
    gathers, hands_back = find(by_length, "assert by_len(['a', 'b']) == {1: ['a', 'b']}")["patches"][:2]
    assert (gathers["words"], gathers["rival"]) == ("`d[len(w)] = [w]` forgets what was there for the same key", "")
    assert hands_back["words"] == "`[w]` should be `ws`"
    assert hands_back["rival"]


def test_a_sign_that_moves_each_result_otherwise_is_still_applied() -> None:
    assert not find("def mid(a, b):\n    return (a - b) / 2", "assert mid(2, 4) == 3")["patches"][0]["rival"]


def test_a_negative_number_that_is_expected_rules_out_what_has_no_sign() -> None:
    assert not find("def diff(a, b):\n    return a - b", "assert [diff(2, 5), diff(5, 2)] == [3, -3]")["patches"][0][
        "rival"
    ]


def test_of_two_places_the_one_whose_names_differ_is_mended() -> None:
    reply = find("class R:\n    def __init__(self, w, h):\n        self.w = w\n        self.h = w\n\n    def area(self):\n        return self.w * self.h", "assert R(2, 3).area() == 6")  # fmt: skip
    assert "self.h = h" in next(iter(reply["patches"][0]["texts"].values()))


class Lazy:
    """A table that is computed to be counted."""

    __module__ = "dask.dataframe"

    def __len__(self) -> int:
        raise AssertionError("counted")


@pytest.mark.parametrize(
    ("value", "items"),
    [([3, 4], 2), ({"a": 1}, 1), ("red tea", 2), (range(10**9), 10**9), (Lazy(), 0), (7, 0), (len, 0)],
)
def test_only_what_knows_its_length_is_counted(value: object, items: int) -> None:
    assert count_items(value) == items


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("ys = sorted(xs, key=f)", "ys = sorted(xs[::-1], key=f)", TIES),
        ("y = max(xs, key=f)", "y = max(reversed(xs), key=f)", TIES),
        ("ys = sorted(xs, key=f)", "ys = sorted(xs, key=f)[::-1]", ""),
        ("ys = sorted(xs[::-1], key=f)", "ys = sorted(xs[::-1], key=g)", ""),
    ],
)
def test_what_only_exchanges_equal_items_is_doubted_however_many_there_are(old: str, new: str, doubt: str) -> None:
    assert describe_doubt_of_order(old, new, [([3, 1, 2],)], {}) == doubt
