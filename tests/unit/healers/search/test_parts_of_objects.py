"""What a missing attribute, an argument and a star may have been; and near misses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.scope import Hints
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Output
from tests.unit.healers.search.searching import list_texts

ITEM = "class Item:\n    def __init__(self, name, price, size):\n        self.name, self.price, self.size = name, price, size\n"
STOCK = "stock = [Item('bolt', 3, 9), Item('nut', 1, 8), Item('tape', 7, 7)]"


def heal_attribute(source: str, stored: str, *, ename: str = "AttributeError") -> list[dict[str, Any]]:
    """What the search says of a cell below the class, by the output that is stored for it."""
    outputs = (Output("execute_result", data={"text/plain": stored}),)
    cells = (Cell("a", ITEM), Cell("b", STOCK), Cell("c", source, outputs=outputs))
    plan = build_plan(Case(Failure("c", source, FailureKind.RAISED, ename, line=1, statement=0), Notebook(cells)))
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(f"{ITEM}\n{STOCK}", space)
    return search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(300.0, 1))["patches"]


def test_a_missing_attribute_may_be_another_one_of_the_object_which_is_offered() -> None:
    found = heal_attribute("best = min(stock, key=lambda i: i.cost)\nbest.name", "'nut'")
    assert "i.price" in str(found[0])
    assert "nothing tells which was meant" in found[0]["rival"]


@pytest.mark.parametrize(
    ("source", "stored", "ename"),
    [
        ("best = min(stock, key=lambda i: i.cost)\nbest.name", "'screw'", "AttributeError"),  # no item is called so
        ("best = min(stock, key=lambda i: i.cost())\nbest.name", "'nut'", "AttributeError"),  # called, and none is
        ("best = min(stock, key=lambda i: i.cost)\nbest.name", "'nut'", "ValueError"),  # nothing was missing
    ],
)
def test_none_is_made_up(source: str, stored: str, ename: str) -> None:
    assert "i.price" not in str(heal_attribute(source, stored, ename=ename))


@pytest.mark.parametrize(
    ("old", "words", "new"),
    [
        ("a, b = zip(pairs)", "parts of", ["a, b = zip(*pairs)"]),
        ("a, b = zip(*pairs)", "parts of", []),
        ("a = zip(xs, ys)", "parts of", []),
        ("a = zap(pairs)", "parts of", []),
        ("p = reduce(mul, xs, initial=1)", "by its place", ["p = reduce(mul, xs, 1)"]),
        ("p = f(xs, **more)", "by its place", []),
        ("p = f(key=1, reverse=True)", "by its place", ["p = f(1, reverse=True)"]),
        ("p = f(xs)", "by its place", []),
    ],
)
def test_a_star_and_a_value_by_its_place(old: str, words: str, new: list[str]) -> None:
    assert list_texts(old, words) == new


def test_what_is_worked_out_is_no_variable_of_another_cell() -> None:
    hints = Hints(outside=frozenset({"sold"}), nearby=("stock",))
    made = list_texts("sold.most_common(1)[0].name", "should be `stock`", hints)
    assert "stock.most_common(1)[0].name" in made
    assert not {"stock[0].name", "stock.name", "stock"} & {*made}
    assert "name = stock[0]" in list_texts("name = stok[0]", "should be `stock`", hints)
