"""Lines that print mended as one slip, products of letters, percents, loops in brackets in another order; and what is left as it stands."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import find_readings

READ = {
    "no bracket at all": ('n = 3\nprint"there are" n "left"', 'n = 3\nprint("there are", n ,"left")'),
    "commas and the end": ('a = 2\nprint("twice" a * 2 "of"a', 'a = 2\nprint("twice", a * 2, "of",a)'),
    "a format without its sign": ('n = 3\nprint("%d left" n)', 'n = 3\nprint("%d left" % n)'),
    "a format of two": ('a, b = 1, 2\nprint("%d of %d" a, b)', 'a, b = 1, 2\nprint("%d of %d" % (a, b))'),
    "a comma within the text": ('x = 1\nprint(x",done")', 'x = 1\nprint(x,"done")'),
    "a comma at the text's end": ('x = 1\nprint("got,"x)', 'x = 1\nprint("got",x)'),
    "a product of letters": ("a, c = 1, 2\nd = 4ac", "a, c = 1, 2\nd = 4*a*c"),
    "a product behind a fraction": ("k = 3\nd = 7/2k", "k = 3\nd = 7/2*k"),
    "a percentage": ("price = 50\ntax = price * 20%", "price = 50\ntax = price * 20/100"),
    "a loop behind its items": ("xs = [1]\nys = [x * 2 in xs for x]", "xs = [1]\nys = [x * 2 for x in xs]"),
    "a loop before its value": ("xs = [1]\nys = [for x in xs: x * 2]", "xs = [1]\nys = [x * 2 for x in xs]"),
    "a condition before all": (
        "xs = [1]\nys = [if x > 0 x for x in xs]",
        "xs = [1]\nys = [x for x in xs if x > 0]",
    ),
    "variables among words": (
        "a, b = 1, 1\nprint(a and b are equal)",
        'a, b = 1, 1\nprint(a, "and", b, "are equal")',
    ),
}


def _squeeze(text: str) -> str:
    return text.replace(" ", "")


@pytest.mark.parametrize("case", READ)
def test_it_is_among_the_first_readings(case: str) -> None:
    broken, meant = READ[case]
    assert _squeeze(meant) in [_squeeze(r.source) for r in find_readings(broken)[:4]]


PLAIN = {
    'print("a" "b"': 'print("a" "b")',
    "a, b = 1, 2\nprint(a % b": "a, b = 1, 2\nprint(a % b)",
    "ab, a, b = 1, 1, 1\ny = 3ab": "ab, a, b = 1, 1, 1\ny = 3*ab",
    'a = 1\nprint(", " a)': 'a = 1\nprint(", ", a)',
    "x = 20 % (3": "x = 20 % (3)",
    "xs = [1]\nys = [x for x in xs": "xs = [1]\nys = [x for x in xs]",
    'd = {1: 2}\nprint("k", d[1)': 'd = {1: 2}\nprint("k", d[1])',
}


@pytest.mark.parametrize("broken", PLAIN)
def test_one_sign_is_put_in_where_it_is_all_that_is_missing(broken: str) -> None:
    assert find_readings(broken)[0].source == PLAIN[broken]
