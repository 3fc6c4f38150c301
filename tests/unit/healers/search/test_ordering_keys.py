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
        ("import heapq\ndef least(tasks):\n    return tasks.pop()", True),
        ("import heapq\ndef least(tasks):\n    return tasks.pop(0)", True),
        ("import heapq\ndef least(tasks):\n    return tasks.pop('a')", False),
        ("import heapq\ndef least(self):\n    return self.tasks.last()", False),
        ("import queue\ndef least(tasks):\n    return tasks.pop()", False),
    ],
)
def test_a_heap_gives_its_least(definition: str, is_tried: bool) -> None:
    assert bool(list_texts(definition, "is a heap")) is is_tried


def test_the_other_side_of_equal_items_is_tried() -> None:
    program = "import bisect\ndef letter(score):\n    return 'FDCBA'[bisect.bisect_left([60, 70, 80, 90], score)]"
    assert any("bisect_right" in text for text in list_texts(program, "should be `.bisect_right`"))


def test_what_a_module_holds_is_not_set() -> None:
    program = "import string\ndef f():\n    table = str.maketrans('', '', string.punctuation)\n    return table"
    assert not [t for t in list_texts(program, "`table` should be") if "string.punctuation = " in t]


AROUND = "def around(xs, i):\n    return [xs[k] for k in range(i - 1, i + 1)], [xs[k] for k in range(i - 1, i + 1)]"


def test_one_less_and_one_more_are_no_same_slip() -> None:
    texts = list_texts(AROUND, "every `1` should be `2`")
    assert texts
    assert all("i - 1" in t or "i + 1" in t for t in texts)
    assert any(t.count("i - 1, i + 2") == 2 for t in texts)
    assert not any("i - 2, i + 2" in t for t in texts)


@pytest.mark.parametrize(
    "program", ["def f(n):\n    return n * 1 + (n + 2) * 1", "def f(n):\n    return max(n, 1) + min(n, 1)"]
)
def test_the_same_number_without_a_sign_is_one_slip(program: str) -> None:
    assert any(t.count("2") > program.count("2") + 1 for t in list_texts(program, "every `1` should be `2`"))


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


@pytest.mark.parametrize(
    ("line", "given", "new"),
    [
        ("return sorted(xs)", "descending=False", "return sorted(xs, reverse=descending)"),
        ("return sorted(xs, key=len)", "*, reverse", "return sorted(xs, key=len, reverse=reverse)"),
        ("xs.sort()", "ascending=True", "xs.sort(reverse=not ascending)"),
        ("return sorted(xs)", "loud=False", ""),
        ("return sorted(xs, reverse=True)", "descending=False", ""),
        ("return sorted(xs) if descending else xs", "descending=False", ""),
        ("return sorted(xs, **options)", "descending, options", ""),
        ("return max(xs)", "descending=False", ""),
        ("return sorted(xs)", "description=''", ""),
    ],
)
def test_an_order_is_as_a_parameter_says_that_nothing_reads(line: str, given: str, new: str) -> None:
    made = list_texts(f"def order(xs, {given}):\n    {line}\n", "is given and never read")
    assert [text.splitlines()[1].strip() for text in made] == ([new] if new else [])
