"""Signs that were meant as texts, quotes in the wrong place, what stands on the wrong side of `=`, and near misses of each."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax import parser, reading_patches
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.propose import _list_likely
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.healers.syntax.touching_values import list_completions
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.value_changes import list_value_changes


@pytest.fixture(autouse=True)
def _search_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """The likeliest readings come first: the product's whole budget would only take longer."""
    monkeypatch.setattr(parser, "COMPILES", 300)


READ = {
    "a sign that is printed": ("n = 3\nprint(n, =, n)", 'n = 3\nprint(n, "=", n)'),
    "a sign to compare with": ("op = input()\nif op == +:\n    print(1)", 'op = input()\nif op == "+":\n    print(1)'),
    "a line of signs": ("print(---)", 'print("---")'),
    "an x for times": ("price = 2\ncost = price x 4", "price = 2\ncost = price * 4"),
    "every x for times": ("a = b = c = 2\nd = (a x b x c)/3", "a = b = c = 2\nd = (a * b * c)/3"),
    "a word for the sign of unequal": ("a = 2\nif a not = 3:\n    print(a)", "a = 2\nif a != 3:\n    print(a)"),
    "two roofs": ("a = 2\nb = a ^^ 3", "a = 2\nb = a ** 3"),
    "a quote and commas of one line": (
        "n = 2\nprint('with',n 'it is',n 'cups)",
        "n = 2\nprint('with',n, 'it is',n, 'cups')",
    ),
    "a quote before values": (
        'tea = 2\nmilk = 1\nprint("Drinks: tea, milk)',
        'tea = 2\nmilk = 1\nprint("Drinks:", tea, milk)',
    ),
    "a quote before a sum": (
        'a = b = 2\nprint("Both a and b make a + b)',
        'a = b = 2\nprint("Both a and b make", a + b)',
    ),
    "quotes within a text": ('print("She said "yes" at once")', "print('She said \"yes\" at once')"),
    "words before a value": ("bill = 4\nprint(You pay bill)", 'bill = 4\nprint("You pay", bill)'),
    "a sum on the left": ("a = b = 2\na + b = c\nprint(c)", "a = b = 2\nc = a + b\nprint(c)"),
    "a conversion on the left": ("int(n) = input()\nprint(n)", "n = int(input())\nprint(n)"),
    "an else on the line": ("a = 2\nif a: print(a) else: print(0)", "a = 2\nif a: print(a)\nelse: print(0)"),
    "pairs without colons": ('ages = {"Bo" 3, "Al" 4}', 'ages = {"Bo": 3, "Al": 4}'),
    "two signs for one": ("n = 7\nlast == (n % 10\nprint(last)", "n = 7\nlast = (n % 10)\nprint(last)"),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_what_was_meant_is_among_the_first_readings(case: str) -> None:
    broken, meant = READ[case]
    squeezed = ["".join(r.source.split(" ")) for r in find_readings(broken)[:6]]
    assert "".join(meant.split(" ")) in squeezed


@pytest.mark.parametrize(
    ("broken", "never"),
    [
        ("x = 2\ny = 3\nprint(y x 4", "y * 4"),  # a variable of that name
        ('print("a"b"c", "d"', "'a\"b\"c'"),  # the comma between two texts stays
        ("n = 2\nprint(n, *[1], -n", '"*"'),  # signs with a value behind them
        ("a = 2\nint(a, b) = input()", "a = int("),
    ],
)
def test_no_reading_takes_a_near_miss_for_the_slip(broken: str, never: str) -> None:
    assert not any(never in r.source for r in find_readings(broken)[:12])


@pytest.mark.parametrize("source", ["n = 3\nn == 3", "n = 3\nn == 3 or print(n)\n", "n = 3\nassert n == 3\nprint(n)"])
def test_a_comparison_that_is_shown_or_asked_sets_nothing(source: str) -> None:
    assert list_completions(source, frozenset()) == []


CHANGED = {
    "letters of a list": (
        "for c in 'abe':\n    if c in [a, e]:\n        print(c)",
        'for c in \'abe\':\n    if c in ["a", "e"]:\n        print(c)',
    ),
    "a word to compare with": (
        "op = input()\nif op == add:\n    print(1)",
        'op = input()\nif op == "add":\n    print(1)',
    ),
    "what reads is not called": ("a = int(input)\nb = int(input)", "a = int(input())\nb = int(input())"),
    "digits outside of their bracket": ("t = 2.555\nprint('t', round(t), 2)", "t = 2.555\nprint('t', round(t, 2))"),
    "digits of what is stored": ("t = 2.555\nu = round(t), 2", "t = 2.555\nu = round(t, 2)"),
    "what prints in C": ("n = 4\nprintf('%d of %d', n, 9)", "n = 4\nprint('%d of %d' % ( n, 9))"),
    "what prints in Java": ("n = 4\nSystem.out.println(n)", "n = 4\nprint(n)"),
}


@pytest.mark.parametrize("case", CHANGED)
def test_what_a_reading_lacks_is_changed(case: str) -> None:
    source, meant = CHANGED[case]
    changed = {
        splice(source, c.edits).replace("% (n", "% ( n") for c in list_value_changes(source, "4 2.56", frozenset())
    }
    assert meant in changed


@pytest.mark.parametrize(
    "source",
    [
        "a = e = 1\nprint(a in [a, e])",  # variables
        "input = [2, 3]\nprint(sum(input))",  # a name of its own
        "t = 2.5\nprint(round(t, 1), 2)",  # rounded already
        "t = 2.5\nprint(round(t), 20)",  # no number of digits
        "def printf(x):\n    print(x)\nprintf(4)",
    ],
)
def test_near_misses_are_not_changed_so(source: str) -> None:
    words = [c.words for c in list_value_changes(source, "4 2.56", frozenset())]
    assert not any(w.endswith(("is a text", "is `input()`", "closes too early", "is `print`")) for w in words)


@pytest.mark.parametrize(
    ("likeness", "searched"),
    [
        ([0.5, 0.5, 0.9], [0, 1]),
        ([0.5, 0.4, 0.5], [0]),  # the next one prints less
        ([0.1, 0.9, 0.9], [1, 2]),
        ([0.1, -1.0, 0.2], []),  # nothing of what is expected
    ],
)
def test_the_next_reading_is_searched_where_it_prints_as_much(likeness: list[float], searched: list[int]) -> None:
    readings = [Reading(str(n), float(n), ()) for n in range(3)]
    assert [int(r.source) for r in _list_likely(readings, range(3), likeness)] == searched


def test_a_moved_conversion_is_offered_and_a_moved_name_is_not_doubted_for_it() -> None:
    """``str(rev) = word[::-1]`` is a text already: something else may have been meant."""
    assert reading_patches._MOVED.search("`str` belongs behind the `=`")
    assert not reading_patches._MOVED.search("the name belongs before the `=`")


def test_a_text_of_what_is_left_of_a_list_is_offered() -> None:
    told = ("`[` is too much", "`,` is too much", "the quotes around `a e` are missing")
    assert reading_patches._makes_text_of_less(told)
    assert not reading_patches._makes_text_of_less(told[:2])
    assert not reading_patches._makes_text_of_less(told[2:])
