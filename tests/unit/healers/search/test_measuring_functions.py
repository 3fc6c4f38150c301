"""What the checks only measure with, and stands in a cell further up, is not taken for the fault."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.measuring_functions import find_measures
from jupyter_selfheal.inside.search.program import Unit
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook

SHOW = "def show(pair):\n    first, second = pair\n    return f'{first}-{second}'\n"
SOLVE = "def solve(xs):\n    low = {}(xs)\n    return low, len(xs)\n"


@pytest.mark.parametrize(
    ("cells", "checks", "names"),
    [
        ([SHOW, SOLVE.format("max")], ["assert show(solve([3, 1])) == '1-2'"], ["show"]),
        ([SHOW, SOLVE.format("max")], ["assert show(solve([3, 1])) == '1-2'", "assert show((1, 2)) == '1-2'"], []),
        ([SHOW + SOLVE.format("max")], ["assert show(solve([3, 1])) == '1-2'"], []),
        ([SOLVE.format("max"), SHOW], ["assert show(solve([3, 1])) == '1-2'"], []),
        (
            [SHOW, "class Solution:\n    def solve(self, xs): ..."],
            ["assert show(Solution().solve([3])) == ''"],
            ["show"],
        ),
        ([SHOW, SOLVE.format("max")], ["assert solve(show([3, 1])) == 1"], []),
    ],
)
def test_a_function_above_that_is_only_called_with_results_is_what_checks_measure_with(
    cells: list[str], checks: list[str], names: list[str]
) -> None:
    units = (
        [
            Unit(text, "define", True, f"c{n}")
            for n, cell in enumerate(cells)
            for text in (f"def{part}" for part in cell.split("def")[1:])
        ]
        if not any("class" in cell for cell in cells)
        else [Unit(text, "define", True, f"c{n}") for n, text in enumerate(cells)]
    )
    units += [Unit(text, "check", cell="tests") for text in checks]
    assert list(find_measures(units).values()) == names


@pytest.mark.parametrize("apart", [True, False])
def test_a_change_of_what_shows_objects_is_offered_with_that_said(apart: bool) -> None:
    """``.low`` and ``.size`` are exchanged in one of both: only where they stand in one cell nothing speaks for either."""
    show = "def show(pair):\n    return [pair.size, pair.low]\n"
    solve = "class Pair:\n    pass\n\ndef solve(xs):\n    pair = Pair()\n    pair.low = min(xs)\n    pair.size = len(xs)\n    return pair\n"
    checks = "assert show(solve([3, 1])) == [1, 2]\nassert show(solve([9, 4, 8])) == [4, 3]\nassert show(solve([7])) == [7, 1]"
    sources = [show, solve] if apart else [show + solve]
    cells = Notebook((*(Cell(f"d{n}", text) for n, text in enumerate(sources)), Cell("t", checks)))
    plan = build_plan(Case(Failure("t", checks, FailureKind.RAISED, "AssertionError"), cells))
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__"}
    exec("\n".join(sources), space)
    found = search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(300.0, 1))
    said = [p["rival"] for p in found["patches"] if any("def show" in text for text in p["texts"].values())]
    assert said
    assert all(rival if apart else rival != "`show` is what the checks measure with" for rival in said)
