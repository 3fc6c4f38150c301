"""A fault above a cell that fails and stays so: the fix is tried, applied and proven past it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

ACCOUNT = (
    "class Account:\n    def __init__(self, owner):\n        self.ownr = owner\n        self.balance = 0\n"
    "    def deposit(self, amount):\n        self.balance += amount"
)
DEPOSITS = "acc = Account('ann')\nacc.deposit(50)\nextra = open('rates_2019.txt').read()\nacc.deposit(int(extra))"


def test_a_class_is_mended_above_a_cell_that_fails_with_it_and_without(place: Path) -> None:
    given = write(place / "n.ipynb", ACCOUNT, DEPOSITS, "assert (acc.owner, acc.balance) == ('ann', 50)")
    done = heal(given, "-o", "out.ipynb", "--offline", "--json", ends=1)
    assert sources(place / "out.ipynb") == [
        ACCOUNT.replace("ownr", "owner"),
        DEPOSITS,
        "assert (acc.owner, acc.balance) == ('ann', 50)",
    ]
    assert [c["status"] for c in done.notebook["cells"]] == ["ran", "left alone", "healed"]


def test_a_class_is_not_changed_where_a_cell_that_failed_would_then_fail_of_that(place: Path) -> None:
    between = "acc = Account('ann')\nprint(acc.ownr, extra)"
    given = write(place / "n.ipynb", ACCOUNT, between, "assert acc.owner == 'ann'")
    heal(given, "-o", "out.ipynb", "--offline", "--json", ends=1)
    assert sources(place / "out.ipynb")[0] == ACCOUNT
