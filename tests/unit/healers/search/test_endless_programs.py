"""Programs whose loops do not end: counted by rounds, and mended."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.count_steps import ROUND
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit
from tests.unit.healers.search.searching import find, list_texts

ENDLESS = """\
def count_digits(n):
    digits = 0
    while n > 0:
        digits += 1
    return digits

def is_long(n):
    return count_digits(n) < 3
"""


DEDENTED = """\
def drain(queue):
    served = []
    while queue:
        longest = queue[0]
        for one in queue:
            if one > longest:
                longest = one
    queue.remove(longest)
    served.append(longest)
    return served
"""


def test_what_a_loop_never_comes_to_is_moved_into_it_early() -> None:
    answer = find(DEDENTED, "assert drain([3, 5, 4]) == [5, 4, 3]")
    best = answer["patches"][0]
    assert (
        best["texts"]["0"]
        == DEDENTED.replace("\n    queue.r", "\n        queue.r")
        .replace("\n    served.a", "\n        served.a")
        .rstrip()
    )
    assert best["rank"] < 50, "the statements below never run, and stand where the fault is all the same"
    assert list_texts(DEDENTED.replace("while queue:", "while False:"), "into the loop"), (
        "a loop may be too short otherwise, too"
    )


@pytest.mark.parametrize("body", ["while n > 0:\n        n -= 1\n    n = 7", "for n in xs:\n        t += n\n    t = 0"])
def test_one_statement_below_a_loop_that_ends_is_not_called_a_part_of_it(body: str) -> None:
    assert not list_texts(f"def f(xs, n, t):\n    {body}\n    return t\n", "into the loop")


@pytest.mark.slow
def test_an_endless_loop_is_told_by_its_rounds_and_gets_on() -> None:
    checks = "assert count_digits(407) == 3\nassert count_digits(5) == 1\nassert is_long(40725)\nassert not is_long(7)\nassert count_digits(0) == 0\n"
    best = find(ENDLESS, checks)["patches"][0]
    assert "n //= 10" in best["texts"]["0"]
    assert "count_digits(n) >= 3" in best["texts"]["1"] or "count_digits(n) > " in best["texts"]["1"]


def names_of(text: str) -> str:
    code = compile_unit(Program((Unit(text, "define"), Unit("f", "check"))), 0, text)
    return repr([*code.co_names, *(name for c in code.co_consts if hasattr(c, "co_names") for name in c.co_names)])


def test_rounds_are_counted_in_loops_and_in_nothing_that_looks_like_one() -> None:
    for text in (
        "while n > 3 or n:\n    n -= 1\n",
        "for n in 1, 2:  # so: many\n    pass\n",
        "def f(n):\n    # why\n    return n\n",
        "async def f(n: int = 3) -> int:\n    if n or 2:\n        return n\n",
    ):
        assert ROUND in names_of(text)
    for text in (
        'def f(n): return """\n    while n:\n    for n in n:\n    """\n',
        "def f(n): return [while_ for while_ in n]\n",
        'text = """\ndef f(n):\n    return n\n"""\n',
        "n = 3\nwhile n := next(n):\n    pass\n",
    ):
        assert ROUND not in names_of(text)
