"""A function that gives as many items as it is asked for in each checked call, and another number where no check comes to."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find

DOUBT = "items with it, and each checked call as many as it asks for"
CHECKS = "assert largest([9, 8, 4, 5, 7], 3) == [9, 8, 7]\nassert largest([3, 1, 2, 6], 2) == [6, 3]\n"


def write(special: str, give: str = "found", bound: str = "<=") -> str:
    return f"def largest(xs, k):\n    found, xs = [], list(xs)\n{special}    while len(found) {bound} k:\n        best = max(xs)\n        xs.remove(best)\n        found.append(best)\n    return {give}\n"


@pytest.mark.parametrize(
    ("definition", "asked"),
    [
        (write("    if k == 1:\n        return xs\n"), "`largest([9, 8, 4], 1)` gives 3 "),
        (write("    if k < 1:\n        return xs\n"), "`largest([9, 8, 4], 0)` gives 3 "),
    ],
    ids=["one", "none"],
)
def test_another_number_of_items_than_asked_for_is_doubted(definition: str, asked: str) -> None:
    best = find(definition, CHECKS)["patches"][0]
    assert best["rival"] == asked + DOUBT


@pytest.mark.parametrize(
    ("definition", "checks"),
    [
        (write("    if k == 1:\n        return [max(xs)]\n"), CHECKS),
        (write("    if k < 1:\n        raise ValueError(k)\n"), CHECKS),
        (write("    if k == 1:\n        return max(xs)\n"), CHECKS),
        (
            write("    if k == 1:\n        return xs\n", give="sum(found)"),
            "assert largest([9, 8, 4, 5, 7], 3) == 24\nassert largest([3, 1, 2, 6], 2) == 9\n",
        ),
        (
            write("    if k == 1:\n        return xs\n"),
            "assert largest([9, 8, 4, 5, 7], 3) == [9, 8, 7]\n",
        ),
    ],
    ids=["as many", "refused", "the item itself", "a sum", "one check"],
)
def test_what_gives_as_many_or_was_not_seen_to_is_not(definition: str, checks: str) -> None:
    best = find(definition, checks)["patches"][0]
    assert DOUBT not in best["rival"]
