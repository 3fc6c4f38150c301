"""``else: print("No")`` behind ``if …: print("Yes")``."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import list_texts

CHAIN = """\
def judge(a, b):
    if a == 1:
        print("Yes")
    elif b == 2:
        print("Yes")
"""


def test_the_opposite_of_what_the_branches_say_is_said_elsewhere() -> None:
    assert list_texts(CHAIN, "is left out") == [f'{CHAIN}    else:\n        print("No")\n']


@pytest.mark.parametrize(
    ("said", "opposite"), [('return "odd"', 'return "even"'), ("word = 'VALID'", "word = 'INVALID'")]
)
def test_it_is_written_as_the_branch_is(said: str, opposite: str) -> None:
    text = f"def tell(n):\n    if n % 2:\n        {said}\n    return word\n"
    (new,) = list_texts(text, "is left out")
    assert f"    else:\n        {opposite}\n" in new


@pytest.mark.parametrize(
    "text",
    [
        'def f(n):\n    if n:\n        print("Yes")\n    else:\n        print("Off")\n',
        'def f(n):\n    if n:\n        print("Hello")\n',
        'def f(xs):\n    for x in xs:\n        if x:\n            print("Yes")\n',
        'def f(n):\n    if n: print("Yes")\n',
        'def f(n):\n    if n:\n        print("yes", "no")\n',
    ],
)
def test_nothing_is_said_where_there_is_an_else_no_opposite_or_a_loop(text: str) -> None:
    assert not list_texts(text, "is left out")
