"""Of a long cell only that is changed which a check depends on; what is tried does not grow with what none asks about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.healers.search.plan import Plan, build_plan
from jupyter_selfheal.healers.search.unasked import MOST
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook

TOTAL = "def total(values):\n    result = 0\n    for v in values[1:]:\n        result += v\n    return result\n"
CHECK = "assert total([1, 2, 3]) == 6\n"


def list_assignments(count: int) -> str:
    """So many plain statements on which nothing depends."""
    return "".join(f"a{n} = {n} + {n % 7}\n" for n in range(count))


def plan_cell(text: str) -> Plan:
    """What the search is given of one cell whose assert fails."""
    plan = build_plan(Case(Failure("c", text, FailureKind.RAISED, "AssertionError"), Notebook((Cell("c", text),))))
    assert plan is not None
    return plan


def search_cell(text: str) -> dict[str, Any]:
    return search.probe(SimpleNamespace(user_ns={"__name__": "__main__"}), None, plan_cell(text).to_argument(16.0, 1))


@pytest.mark.parametrize("found", [True, False])
def test_what_is_tried_does_not_grow_with_what_no_check_asks_about(found: bool) -> None:
    check = CHECK if found else CHECK.replace("6", "6941")
    replies = [search_cell(TOTAL + list_assignments(n) + check) for n in (100, 1_000)]
    assert replies[0]["tried"] == replies[1]["tried"] < 4_000
    assert replies[0]["patches"] == replies[1]["patches"]
    assert bool(replies[0]["patches"]) is found
    assert "less likely" not in replies[0]["why"]


def test_a_row_of_unasked_statements_is_one_unit() -> None:
    pieces = plan_cell(TOTAL + list_assignments(900) + "first = total([1, 2])\n" + list_assignments(900) + CHECK).pieces
    assert [p.text.count("\n") for p in pieces if p.text.startswith("a0")] == [899, 899]
    assert len(pieces) == 5


def test_a_patch_is_spliced_where_its_statement_stands() -> None:
    text = list_assignments(60) + TOTAL + list_assignments(60) + CHECK
    plan = plan_cell(text)
    assert [text[p.start : p.end] for p in plan.pieces] == [p.text for p in plan.pieces]


def test_a_short_cell_is_searched_as_a_whole() -> None:
    pieces = plan_cell(TOTAL + list_assignments(MOST) + CHECK).pieces
    assert len(pieces) == MOST + 2
    assert [p.mutable for p in pieces] == [True] * (MOST + 1) + [False]


@pytest.mark.parametrize(
    "statement",
    [
        "rows = data",  # an alias that is changed below
        "rows.append(4)",
        "shown = bump(data)",
        "bump(data)",
        "data.sort()",
        "data += [1]",
        "del data[0]",
        "for n in range(3):\n    data.append(n)",
        "set_data()",
        "datta = data + [3]",  # a slip for a name that is read
        "data_ = [3]",
    ],
)
def test_what_may_change_what_a_check_reads_may_be_changed(statement: str) -> None:
    head = "def bump(xs):\n    xs.append(1)\ndef set_data():\n    global data\n    data = [5]\ndata = [1]\n"
    tail = "rows.append(9)\n" if statement == "rows = data" else ""
    alias = "rows = data\n" if statement == "rows.append(4)" else ""
    text = head + alias + statement + "\n" + tail + list_assignments(60) + "assert data == [1, 2]\n"
    assert [p.mutable for p in plan_cell(text).pieces if p.text == statement] == [True]


@pytest.mark.parametrize("statement", ["shown = len(data)", "print(data)", "other = data[0] + 1", "z = math.sqrt(4)"])
def test_what_only_reads_what_a_check_reads_is_left_alone(statement: str) -> None:
    text = f"import math\ndata = [math.pi]\n{statement}\n{list_assignments(60)}assert data == [1, 2]\n"
    assert not any(p.mutable for p in plan_cell(text).pieces if statement in p.text)
