"""Of two like bounds a patch changes one: where the checks would hold with the other one changed too, it is offered."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.twin_bounds import describe_twin_bound

SALES = "def sales_in(days, first, last):\n    return [d for d in days if {}]\n"
FEW = ("assert sales_in([1, 2], 1, 5) == [1, 2]", "assert sales_in([1], 4, 5) == []")


def describe(before: str, after: str, *checks: str) -> str:
    units = [Unit(SALES.format(before), "define", True), *(Unit(text, "check") for text in (*FEW, *checks))]
    runner = Runner(Program(tuple(units)), {})
    text = SALES.format(after)
    return describe_twin_bound(
        runner,
        lambda n, new: compile_unit(runner.program, n, new),
        {n: u.text for n, u in enumerate(units)},
        {0: text},
        {0: compile_unit(runner.program, 0, text)},
    )


@pytest.mark.parametrize(
    ("before", "after", "other"),
    [
        ("first < d and d < last", "first <= d and d < last", "`d < last` may be `d <= last`"),
        ("first < d < last", "first <= d < last", "`first <= d < last` may be `first <= d <= last`"),
        ("d > first and last > d", "d >= first and last > d", "`last > d` may be `last >= d`"),
        ("not (d <= first or d >= last)", "not (d < first or d >= last)", "`d >= last` may be `d > last`"),
    ],
)
def test_the_other_bound_is_told_where_no_check_comes_to_it(before: str, after: str, other: str) -> None:
    assert describe(before, after) == f"{other}, as the bound beside it is changed, and the checks would hold"


@pytest.mark.parametrize(
    ("before", "after", "checks"),
    [
        ("first < d and d < last", "first <= d and d < last", ("assert sales_in([5], 1, 5) == []",)),
        ("first < d and d <= last", "first <= d and d <= last", ()),
        ("first < d and len(days) < 9", "first <= d and len(days) < 9", ()),
        ("first < d < len(days) + last", "first <= d < len(days) + last", ("assert sales_in([6], 1, 5) == []",)),
        ("0 < d < len(days) and last", "0 <= d < len(days) and last", ()),
        ("first < d and d < last", "first <= d and d <= last", ()),
        ("first < d and d < last", "d != 0 and first - 1 < d < last", ()),
    ],
)
def test_nothing_is_told_where_a_check_tells_or_the_bounds_differed_or_one_is_a_length(
    before: str, after: str, checks: tuple[str, ...]
) -> None:
    assert describe(before, after, *checks) == ""
