"""How records are put in order, and which bits of two numbers are meant."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.several_faults import list_readings
from jupyter_selfheal.inside.search.lost_names import find_exchanged_call
from jupyter_selfheal.inside.search.program import Unit
from tests.unit.healers.search.searching import find, list_texts

RANK = "def rank(items):\n    return sorted(items, key=lambda t: (t[1], t[0]), reverse=True)"


def test_the_greatest_first_and_equal_ones_from_a_to_z() -> None:
    checks = "assert rank([('pen', 3), ('ink', 10), ('cap', 3)]) == [('ink', 10), ('cap', 3), ('pen', 3)]"
    first = find(RANK, checks)["patches"][0]
    assert "key=lambda t: (-t[1], t[0]))" in first["texts"]["0"]


@pytest.mark.parametrize(
    "definition",
    [
        "ys = sorted(xs, key=lambda t: (t[1], t[0]))",
        "ys = sorted(xs, key=lambda t: t[1], reverse=True)",
        "ys = sorted(xs, key=lambda t: (t[1], t[0]), reverse=down)",
    ],
)
def test_a_key_that_is_not_turned_round_in_several_parts_stays(definition: str) -> None:
    assert list_texts(definition, "turns round every part") == []


@pytest.mark.parametrize(
    ("definition", "is_tried"),
    [
        ("READ, WRITE = 1, 2\nperm = READ and WRITE", True),
        ("has = state and FLAG", True),
        ("if a and b:\n    x = 1", False),
        ("ok = a > 1 and b", False),
        ("name = given or 'nobody'", False),
    ],
)
def test_bits_are_joined_where_two_names_are(definition: str, is_tried: bool) -> None:
    assert bool(list_texts(definition, "should be `|`")) is is_tried


def test_the_values_of_a_key_get_their_brackets() -> None:
    (first, *_) = list_readings("xs.sort(key=lambda t: t[1], t[0])")
    assert first.source == "xs.sort(key=lambda t: (t[1], t[0]))"
    (first, *_) = list_readings("ys = sorted(xs, key=lambda t: -t[1], t[0], reverse=True)")
    assert first.source == "ys = sorted(xs, key=lambda t: (-t[1], t[0]), reverse=True)"


@pytest.mark.parametrize("source", ["f(key=lambda t: t[1], xs)", "f(key=lambda: 1, xs)", "f(key=g, xs)"])
def test_another_argument_stays_out_of_the_key(source: str) -> None:
    assert all("lambda t: (" not in r.source and "lambda: (" not in r.source for r in list_readings(source)[:2])


POWER = "def power(base, exp):\n    return base ** exp"


def find_exchanged(changed: str, call: str) -> str:
    units = (Unit(POWER, "cell", True), Unit(call, "cell", True))
    return find_exchanged_call({0: POWER.replace("base ** exp", changed)}, units, ())


def test_what_a_partial_gives_first_may_be_meant_by_its_name() -> None:
    """Either meets ``square(5) == 25``: the function, exchanged, or ``partial(power, exp=2)``."""
    assert find_exchanged("exp ** base", "square = partial(power, 2)") == "partial(power, 2)"
    assert find_exchanged("exp ** base", "square = functools.partial(power, 2)") == "functools.partial(power, 2)"


@pytest.mark.parametrize(
    ("changed", "call"),
    [
        ("base * exp", "square = partial(power, 2)"),
        ("exp ** base", "square = partial(power, exp=2)"),
        ("exp ** base", "square = partial(other, 2)"),
        ("exp ** base", "print(power(5, 2))"),
    ],
)
def test_other_changes_and_other_calls_say_nothing_of_the_order(changed: str, call: str) -> None:
    assert find_exchanged(changed, call) == ""
