"""What speaks against a reading, results that nothing comes of, and readings that are gone on with though a less likely one passes."""

from __future__ import annotations

import ast
import cProfile
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from jupyter_selfheal.healers.syntax import name_edits
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.branches import list_one_branch_names
from jupyter_selfheal.healers.syntax.doubts import count_doubts
from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.healers.syntax.site import Site, Slip, find_site
from jupyter_selfheal.healers.syntax.slips import find_cost
from tests.unit.healers.syntax.readings import run

DIGITS = "c = str(x)[::-1]\nd = int(c)\nprint('R:', c)"


def test_a_result_that_nothing_reads_is_what_is_printed() -> None:
    found = run([DIGITS], "R: 34", x=43)["passing"][0]
    assert found["text"] == DIGITS.replace("print('R:', c)", "print('R:', d)")
    assert "prints the same here" in found["rival"], "nothing tells that it is not `c`: it is offered"


@pytest.mark.parametrize(
    ("source", "stdout", "x", "used"),
    [
        (DIGITS, "R: 034", 430, ()),  # it prints something else
        (DIGITS, "R: 34", 43, ("d",)),  # a cell below reads it
        (DIGITS + "\nx = d", "R: 34", 43, ()),  # the cell itself does
        ("c = str(x)\nb = 'z'\nd = b.upper()\nprint('R:', c)", "R: 43", 43, ()),  # it is made of another value
    ],
)
def test_a_result_is_not_printed_in_place_of_another(source: str, stdout: str, x: int, used: tuple[str, ...]) -> None:
    assert run([source], stdout, x=x, used=used)["passing"][0]["text"] == source


def test_a_number_that_is_given_nothing_is_read() -> None:
    source = "n = float(())\nprint('Twice:', n * 2)"
    found = run([source], "Twice: 6.0", input=lambda: "3")["passing"][0]
    assert found["text"] == source.replace("float(())", "float(input())")
    assert found["rival"]


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("n = float()\nprint('Twice:', n * 2)", "Twice: 0.0"),  # nothing is what is meant
        ("n = float(2)\nprint('Twice:', n * 2)", "Twice: 4.0"),
        ("n = list()\nprint('Items:', n)", "Items: []"),
    ],
)
def test_what_prints_what_is_expected_reads_nothing(source: str, stdout: str) -> None:
    assert run([source], stdout, input=lambda: "3")["passing"][0]["text"] == source


def test_a_likelier_reading_is_gone_on_with_though_another_one_passes() -> None:
    likely, odd = (
        "if w == w[::-1]:\n    print('yes')\nelse:\n    print('no')",
        "if w:\n    print('yes')\nelse:\n    print('no')",
    )
    reply = run([likely, likely.replace("'no'", "'No'"), odd, odd.replace("w:", "w is w:")], "yes", w="Anna")
    assert reply["passing"][0]["text"] == likely.replace("w == w[::-1]", "w.lower() == w[::-1].lower()")


def test_other_languages_constants_are_no_names() -> None:
    source = "a = x > 2\nif a == true:\n    print('yes')\nelse:\n    print('no')"
    assert run([source], "yes", x=3)["passing"][0]["text"] == source.replace("true", "True")


@pytest.mark.parametrize("name", ["tru", "others", "b"])
def test_nothing_is_compared_with_itself(name: str) -> None:
    source = f"a = x > 2\nif a == {name}:\n    print('yes')\nelse:\n    print('no')"
    assert not any("a == a" in p["text"] for p in run([source], "yes", x=3)["passing"])


@pytest.mark.parametrize(
    ("source", "doubt"),
    [
        ("x = 1\nif (x, 2):\n    x = 2", "asks_nothing"),
        ("x = 1\nif x == x:\n    x = 2", "asks_nothing"),
        ("x = 1\nif x <= x:\n    x = 2", "asks_nothing"),
        ("x = 1\nif x != x:\n    x = 2", ""),  # a missing value
        ("x = iter([1])\nif next(x) == next(x):\n    x = 2", ""),
        ("x = 1\nif x in (1, 2):\n    x = 2", ""),
        ("x = 1\nif (x):\n    x = 2", ""),
        ("x = 1\nwhile []:\n    x = 2", ""),
        ("x = 1\nif x:\n    print(1)\nelse:\n    y = 2\nprint(y)", "one_branch"),
        ("x = 1\nif x:\n    y = 1\nelse:\n    y = 2\nprint(y)", ""),
        ("x = y = 1\nif x:\n    print(1)\nelse:\n    y = 2\nprint(y)", ""),
        ("x = 1\nif x:\n    y = 2\nprint(y)", ""),
        ("x = 1\nif x:\n    print(1)\nelse:\n    y = 2\n    print(y)", ""),
        # the other branch goes no further
        ("def f(x):\n    if x:\n        y = 1\n    else:\n        raise ValueError(x)\n    return y", ""),
        (
            "def f(x):\n    if x:\n        return 1\n    elif x is None:\n        y = 2\n    else:\n        return 3\n    return y",
            "",
        ),
        ("for x in [1]:\n    if x:\n        y = 1\n    else:\n        continue\n    print(y)", ""),
        (
            "def f(x):\n    if x:\n        y = 1\n    else:\n        if x is None:\n            return 1\n        else:\n            exit()\n    return y",
            "",
        ),
        (
            "def f(x):\n    if x:\n        y = 1\n    else:\n        for z in x:\n            return z\n    return y",
            "one_branch",
        ),
        # something above binds it: a block around it, a parameter, a loop, a file, a handler
        ("y = 0\nfor x in [1]:\n    if x:\n        y = x\n    else:\n        print(x)\n    print(y)", ""),
        ("def f(x, y):\n    if x:\n        y = 1\n    else:\n        print(x)\n    return y", ""),
        ("for x in [1]:\n    if x:\n        x = 1\n    else:\n        print(2)\n    print(x)", ""),
        ("with open('a') as x:\n    if len('a'):\n        x = 1\n    else:\n        print(2)\n    print(x)", ""),
        ("def f(x):\n    global y\n    if x:\n        y = 1\n    else:\n        print(x)\n    return y\ny = 1", ""),
        # a function's names are its own, and what one loop binds, another one does not
        ("y = 0\ndef f(x):\n    if x:\n        y = 1\n    else:\n        print(x)\n    return y", "one_branch"),
        ("for x in [1]:\n    if x:\n        y = 1\n    else:\n        print(x)\n    print(y)", "one_branch"),
    ],
)
def test_what_asks_nothing_and_what_one_branch_binds_is_doubted(source: str, doubt: str) -> None:
    assert count_doubts(source, frozenset()) == pytest.approx(find_cost(f"doubt.{doubt}") if doubt else 0.0)


def test_a_name_of_the_notebook_is_bound_whatever_a_branch_does() -> None:
    source = "x = 1\nif x:\n    print(1)\nelse:\n    y = 2\nprint(y)"
    assert count_doubts(source, frozenset({"y"})) == 0.0


@pytest.mark.parametrize(
    ("source", "given", "doubts"),
    [
        ("x = 1\nif x == x:\n    x = 2", "x = 1\nif x==x:\n    x = = 2", 0),  # `x == x` leaves out what is missing
        ("x = 1\nif x == x and x == x:\n    x = 2", "x = 1\nif x == x and x == :\n    x = 2", 1),
        ("x = ax = 1\nif x == x:\n    x = 2", "x = ax = 1\nif ax == x:\n    x = = 2", 1),
    ],
)
def test_a_comparison_that_was_written_is_no_doubt(source: str, given: str, doubts: int) -> None:
    assert count_doubts(source, frozenset(), given) == pytest.approx(find_cost("doubt.asks_nothing") * doubts)


def count_calls(links: int) -> int:
    """The calls that it takes to read a condition of so many links."""
    middle = "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(links))
    tree = ast.parse(f"x = 1\nif x == -1:\n    print(x)\n{middle}else:\n    print(2)\nprint(y)")
    profile = cProfile.Profile()
    assert not profile.runcall(list_one_branch_names, tree, frozenset())
    return sum(entry.callcount for entry in profile.getstats())


def test_a_long_condition_is_gone_through_once() -> None:
    assert count_calls(600) < 7 * count_calls(100), "and no stack is too small for it"


def test_a_deep_condition_in_a_loop_is_no_doubt() -> None:
    middle = "".join(f"    elif x == {n}:\n        y = {n}\n" for n in range(900))
    assert not list_one_branch_names(ast.parse(f"for x in [1]:\n    if x:\n        z = 1\n{middle}"), frozenset())


def test_a_reading_of_a_cell_that_tells_missing_values_is_gone_on_with() -> None:
    source = "if v != v:\n    print('missing')\nn = float(())\nprint('Twice:', n * 2)"
    found = run([source], "Twice: 6.0", input=lambda: "3", v=1.0)["passing"]
    assert [p["text"] for p in found] == [source.replace("float(())", "float(input())")]


def test_words_behind_a_variable_are_a_text_beside_it() -> None:
    sources = [r.source for r in find_readings("total = 3\nprint(total is rather high)")]
    assert 'total = 3\nprint(total, "is rather high")' in sources[:3]


@pytest.mark.parametrize(
    "broken", ["print(total is rather high)", "total = 3\nprint(total 2)", "total = 3\nprint(the total is high)"]
)
def test_words_behind_what_is_no_variable_are_not(broken: str) -> None:
    assert not any("a comma and the quotes" in w for r in find_readings(broken) for w in r.words)


@pytest.mark.parametrize(
    ("broken", "propose"),
    [
        ("total amount = 3", name_edits.join_names),  # once, and no definition
        ("print(not found)\nprint(not found", name_edits.join_names),  # a keyword
        ("print int(3)\nprint int(4)", name_edits.join_names),  # builtins
        ("5 = x + 1", name_edits.turn_assignments),  # no name alone
        ("5 = 6", name_edits.turn_assignments),
        ("f(x) = 5", name_edits.turn_assignments),  # no literal
    ],
)
def test_names_stay_where_they_may_be_meant(broken: str, propose: Callable[[Site], Iterator[Slip]]) -> None:
    fault = find_fault(broken)
    assert fault is not None
    assert not list(propose(find_site(broken, fault, frozenset())))


class CountedText(str):
    """A text that counts how often one is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        CountedText.compared += 1
        return str.__eq__(self, other)


def count_comparisons(lines: int) -> int:
    broken = "\n".join(f"a{n} b{n}" for n in range(lines))
    fault = find_fault(broken)
    assert fault is not None
    site = find_site(broken, fault, frozenset())
    site = replace(site, tokens=tuple(replace(t, text=CountedText(t.text)) for t in site.tokens))
    CountedText.compared = 0
    assert not list(name_edits.join_names(site))
    return CountedText.compared


def test_pairs_of_names_are_gone_through_once() -> None:
    assert count_comparisons(400) < 5 * count_comparisons(100)
