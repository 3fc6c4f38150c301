"""Asserts are run in another order, those that fail first, but for those that may change what the next one asks."""

from __future__ import annotations

import math

import pytest

from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner

TILL = """\
class Till:
    def __init__(self, coins):
        self.coins = coins

    def take(self, n):
        if n >= self.coins:
            return False
        self.coins -= n
        return True
"""


def order_of(checks: str, definition: str = TILL, failing: int = 2) -> list[int]:
    """The order in which a definition (0) and its checks (1, 2, …) run, of which one fails."""
    units = [
        {"text": definition, "role": "define", "mutable": True},
        *({"text": line, "role": "check"} for line in checks.splitlines()),
    ]
    space: dict[str, object] = {"__name__": "__main__", "till": None, "math": math}
    exec(definition, space)
    runner = Runner(read_program({"units": units}), space)
    runner.sort_checks({}, {failing})
    return runner.order


@pytest.mark.parametrize(
    "checks",
    [
        "assert Till(3).take(4) is False\nassert Till(3).take(3) is True",
        "assert math.isclose(Till(3).coins, 3)\nassert isinstance(Till(3).coins, int)",
        "assert all(Till(n).take(1) for n in (2, 3))\nassert Till(1).take(1)",
    ],
)
def test_what_fails_runs_first_where_nothing_is_kept(checks: str) -> None:
    assert order_of(checks) == [0, 2, 1]


@pytest.mark.parametrize(
    ("checks", "definition"),
    [
        ("assert till.take(4) is False\nassert till.take(3) is True", TILL),
        ("assert Till(3).take(2)\nassert till.coins == 1", TILL),
        ("assert step() == 1\nassert step() == 2", "n = 0\ndef step():\n    global n\n    n += 1\n    return n\n"),
    ],
)
def test_what_asks_an_object_stays_in_its_place(checks: str, definition: str) -> None:
    assert order_of(checks, definition) == [0, 1, 2]
