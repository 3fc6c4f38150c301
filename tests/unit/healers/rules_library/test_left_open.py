"""What is restored or given unasked is evident; where another thing may be meant, it is offered."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE

SQL = "import sqlite3\nimport pandas as pd\n"
READ = "pd.read_sql('select 1')"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("conn = sqlite3.connect(':memory:')", SAFE),
        ("dbs = {'sales': sqlite3.connect(':memory:')}\ntest_conn = sqlite3.connect(':memory:')", UNSAFE),
        ("def open_one():\n    return sqlite3.connect(':memory:')\nconn, others = open_one(), [open_one()]", UNSAFE),
        ("dbs = [sqlite3.connect(':memory:') for _ in range(2)]\nconn = dbs[0]", UNSAFE),
    ],
)
def test_a_connection_that_may_not_be_the_only_one_is_offered(bench: Bench, made: str, expected: Applicability) -> None:
    assert [p.applicability for p in bench.propose_patches("PDA165", SQL + made, READ)] == [expected]


def test_a_connection_of_a_class_of_its_own_is_one(bench: Bench) -> None:
    made = "class Db(sqlite3.Connection):\n    pass\nsales = sqlite3.connect(':memory:', factory=Db)"
    assert bench.heal("PDA165", SQL + made, READ)[1] == "pd.read_sql('select 1', sales)"
