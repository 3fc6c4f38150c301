"""Values of another shape than what they are put beside."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations import shapes_of_results
from jupyter_selfheal.inside.search.mutations.leap_years import propose_leap_year
from jupyter_selfheal.inside.search.mutations.parts_of_amounts import propose_kept_amount, propose_percent
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, TEXT, Hints, Scope

OPERATORS = (*shapes_of_results.OPERATORS, propose_percent, propose_kept_amount, propose_leap_year)


def list_texts(source: str, **kinds: str) -> list[str]:
    """What becomes of a source by these operators."""
    scope = Scope(source, Hints(kinds={name: frozenset({kind}) for name, kind in kinds.items()}))
    changes = [c for node in scope.order for propose in OPERATORS for c in propose(scope, node)]
    return [write_anew(splice(source, c.edits)) for c in changes]


def write_anew(source: str) -> str:
    """Without brackets that are not needed."""
    return ast.unparse(ast.parse(source))


MOVES = "def moves(n):\n    if n == 1:\n        return (0, 1)\n    return moves(n - 1) + [(0, 1)]\n"
PLACES = (
    "def find(x, xs):\n    for i, y in enumerate(xs):\n        if y > x:\n            return i\n    return [len(xs)]\n"
)
LINES = "def write(xs):\n    out = []\n    for x in xs:\n        out.append(str(x))\n    return out\n"
CLOCK = "def clock(n):\n    m = n // 60\n    s = n % 60\n    return str(m) + ':' + str(s)\n"
TOTAL = "def mean(xs):\n    # rounded to cents\n    return sum(xs) / len(xs)\n"
TWICE = (
    "def once(xs):\n    out = []\n    for x in xs:\n        if x not in out:\n            out.append(x)\n"
    "        else:\n            out.remove(x)\n    return out\n"
)


@pytest.mark.parametrize(
    ("source", "kinds", "mended"),
    [
        (MOVES, {}, MOVES.replace("return (0, 1)", "return [(0, 1)]")),
        (PLACES, {"i": NUMBER}, PLACES.replace("return i", "return [i]")),
        (LINES, {}, LINES.replace("return out", 'return "\\n".join(out)')),
        ("if text[i] == part:\n    n += 1\n", {"text": TEXT, "part": TEXT}, "if text[i:i + len(part)] == part:\n    n += 1\n"),
        (CLOCK, {}, CLOCK.replace("str(s)", "str(s).zfill(2)")),
        ("s = n % 60\nt = f'{n // 60}:{s}'\n", {}, "s = n % 60\nt = f'{n // 60}:{s:02d}'\n"),
        ("s = f'{day}.{month}.{year}'\n", {}, "s = f'{day:02d}.{month:02d}.{year}'\n"),
        ("s = f'{h}:{m}:{n}'\n", {}, "s = f'{h:02d}:{m:02d}:{n:02d}'\n"),
        ("s = f'{tea}: {round(cost, 2)} EUR'\n", {}, "s = f'{tea}: {cost:.2f} EUR'\n"),
        (TOTAL, {}, TOTAL.replace("sum(xs) / len(xs)", "round(sum(xs) / len(xs), 2)")),
        (TWICE, {}, TWICE.replace("        else:\n            out.remove(x)\n", "")),
        ("fee = amount * rate\n", {}, "fee = amount * (1 + rate)\n"),
        ("amount = amount * rate / 100\n", {}, "amount = amount + amount * rate / 100\n"),
        ("price = price * discount\n", {}, "price = price * (1 - discount / 100)\n"),
        ("b = y % 400 == 0 or (y % 4 == 0 and y % 100 == 0)\n", {}, "b = y % 400 == 0 or (y % 4 == 0 and y % 100 != 0)\n"),
    ],
)  # fmt: skip
def test_what_is_beside_it_says_which_shape_is_meant(source: str, kinds: dict[str, str], mended: str) -> None:
    assert write_anew(mended) in list_texts(source, **kinds)


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("def f(xs):\n    if not xs:\n        return None\n    return [1]\n", {}),
        ("def f(xs):\n    return xs\n", {"xs": ITEMS}),
        ("if words[i] == part:\n    n += 1\n", {"words": ITEMS, "part": TEXT}),
        ("s = n * 60\nt = f'{n}:{s}'\n", {}),
        ("s = f'{one}.{two}.{three} of {all}'\n", {}),
        ("s = f'{day}.{month}-{year}'\n", {}),
        ("s = f'{day:02d}.{month:02d}.{year}'\n", {}),
        ("s = f'{round(cost)} EUR'\n", {}),
        ("fee = amount * count\n", {}),
        ("fee = amount * rate / 100\n", {}),
    ],
)
def test_where_nothing_says_so_nothing_is_changed(source: str, kinds: dict[str, str]) -> None:
    assert list_texts(source, **kinds) == []


def test_a_formatted_text_within_a_statement_is_come_to() -> None:
    """Its parts are not changed by themselves: before Python 3.12 nothing says where they stand."""
    found = list_changes(Scope("s = f'{tea}: {round(cost, 2)} EUR'\n"))
    assert any(c.words == "`round(cost, 2)` drops zeros at the end" for c in found)
