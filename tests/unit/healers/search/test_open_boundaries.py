"""What a patched function gives on a boundary that no check comes to, and the inputs that it is asked for: in the order of the checked ones."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.input_domain import conform_inputs
from tests.unit.healers.search.searching import find

PLACE = """\
def place(new, row):
    if new {} row[0]:
        return 0
    for at in range(len(row) - 1):
        if new > row[at] and new <= row[at + 1]:
            return at + 1
    return len(row)
"""
PLACE_CHECKS = """\
assert place(42, [1, 5, 10]) == 3
assert place(5, [1, 5, 10]) == 1
assert place(7, (1, 5, 10)) == 2
assert place(-5, (1, 5, 10)) == 0
assert place(10, (-5, -1, 3, 10)) == 3
assert place(2, [1, 4]) == 1
assert place(9, []) == 0
assert place(-9, ()) == 0
"""


def test_a_fix_is_only_offered_that_gives_no_place_of_what_is_in_the_row_on_a_boundary_without_a_check() -> None:
    patches = find(PLACE.format("<"), PLACE_CHECKS)["patches"]
    best = next(patch for patch in patches if patch["edits"] == 1)
    assert "lacks the case `if not row: return 0`" in best["words"]
    assert all(patch["rival"] for patch in patches)
    assert "`new <= row[0]` for `new < row[0]`, which passes the same checks" in best["rival"]


LEVEL = """\
def place(new, row):
    if new < row[0]:
        return 0
    return sum(1 for item in row if item <= new)
"""
LEVEL_CHECKS = PLACE_CHECKS.replace("1, 5, 10]) == 1", "1, 5, 10]) == 2").replace(
    "-1, 3, 10)) == 3", "-1, 3, 10)) == 4"
)


@pytest.mark.parametrize(
    ("program", "checks"),
    [
        (PLACE.format("<="), PLACE_CHECKS),
        (PLACE.format("<"), f"{PLACE_CHECKS}assert place(1, [1, 5, 10]) == 3\n"),
        (LEVEL, LEVEL_CHECKS),
    ],
)
def test_nothing_is_said_where_the_boundary_is_right_or_checked_or_no_place_is_asked_for(
    program: str, checks: str
) -> None:
    best = find(program, checks)["patches"][0]
    assert "which passes the same checks" not in best["rival"]


CHECKED = [(3, [1, 2, 5]), (4, [4, 9]), (0, [2, 3]), (7, [1])]


@pytest.mark.parametrize(
    ("checked", "given", "conformed"),
    [
        (CHECKED, (3, [5, 1, 2, 1]), (3, [1, 2, 5])),
        ([*CHECKED, (1, [1, 1, 2])], (3, [5, 1, 2, 1]), (3, [1, 1, 2, 5])),
        ([*CHECKED, (1, [2, 1])], (3, [5, 1, 2, 1]), (3, [5, 1, 2, 1])),
        (CHECKED[:3], (3, [5, 1]), (3, [5, 1])),
        (CHECKED, (3, [5, "a"]), (3, [5, "a"])),
        (CHECKED, (3, "ba"), (3, "ba")),
    ],
)
def test_lists_are_put_in_order_where_those_of_every_check_are(checked: list, given: tuple, conformed: tuple) -> None:  # type: ignore[type-arg]
    assert conform_inputs([given], checked) == [conformed]


def test_what_was_checked_is_asked_as_it_is_and_each_call_once() -> None:
    assert conform_inputs([(4, [4, 9]), (4, [9, 4])], CHECKED) == [(4, [4, 9])]
