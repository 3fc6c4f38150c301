"""Triage names the table that is missing, and the date that does not exist."""

from __future__ import annotations

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose


def test_a_table_that_no_cell_makes_is_missing_data(bench: Bench) -> None:
    opened = "import sqlite3\nrows = sqlite3.connect(':memory:')"
    found = diagnose(bench.fail(opened, "rows.execute('select * from orders')"))
    assert found.skip_reason == "missing data"
    assert "no table `orders`" in found.cause
    made = bench.fail(opened, "rows.execute('create table order_items (id)')", "rows.execute('select * from orders')")
    assert diagnose(made).skip_reason is None


@pytest.mark.parametrize("kind", ["temp table", "TEMPORARY TABLE", "virtual table"])
def test_a_table_of_another_kind_is_made_too(bench: Bench, kind: str) -> None:
    opened = "import sqlite3\nrows = sqlite3.connect(':memory:')"
    made = f"def make():\n    rows.execute('create {kind} orders (id)')"
    assert diagnose(bench.fail(opened, made, "rows.execute('select * from orders')")).skip_reason is None


def test_a_missing_table_is_named_without_its_schema_and_with_what_is_there(bench: Bench) -> None:
    opened = "import sqlite3\nrows = sqlite3.connect(':memory:')"
    empty = diagnose(bench.fail(opened, "rows.execute('select * from main.users')"))
    assert "no table `users`" in empty.cause
    assert "SQLite makes an empty one" in empty.advice
    filled = f"{opened}\nverb = 'create'\nrows.execute(f'{{verb}} table flights (id)')"
    found = diagnose(bench.fail(filled, "rows.execute('select * from main.users')"))
    assert "no table `users`" in found.cause
    assert found.advice == "What is open has `flights`: open the database that has `users`, or make the table first."


@pytest.mark.parametrize(
    ("above", "cell", "named"),
    [
        ("days = ['2021-02-30']\nother = 1", "[read(d) for d in days]", "2021-02-30"),
        ("days = ['2021-03-01']\nother = 1", "[read(d) for d in ['2021-02-31']]", "2021-02-31"),
        ("days = ['2021-02-30']\nother = 1", "[read(d) for d in ['30.2.2021']]", ""),
    ],
)
def test_a_date_is_named_where_the_failing_cell_comes_to_it(bench: Bench, above: str, cell: str, named: str) -> None:
    read = "def read(day):\n    raise ValueError('day is out of range for month')"
    cause = diagnose(bench.fail(read, above, cell)).cause
    assert cause == f"The data hold a date that does not exist{f', `{named}`' if named else ''}."
