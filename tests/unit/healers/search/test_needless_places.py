"""A slip in all its places, of which one alone meets the checks; and near misses, where every place is needed or another function has the slip, too."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.needless_places import NEEDLESS, weigh_needless_places
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several

FIRST, SECOND = (10, 12, ">="), (40, 42, ">=")


def build(*edits: tuple[int, int, str], unit: int = 1, weight: float = 0.3, is_slip: bool = False) -> Candidate:
    made = Candidate({unit: "text"}, "`==` should be `>=`", 3, weight, unit, 2, 2 if is_slip else 1)
    made.spliced, made.is_slip = {unit: edits}, is_slip
    return made


def test_a_slip_counts_as_several_changes_where_one_place_alone_meets_the_checks() -> None:
    slip, part = build(FIRST, SECOND, weight=0.5, is_slip=True), build(SECOND)
    assert not describe_doubt_of_several(slip, failed=1, checks=17)
    weigh_needless_places([part, slip])
    assert (slip.is_slip, slip.weight, part.weight) == (False, NEEDLESS * 0.3, 0.3)
    assert "too easily" in describe_doubt_of_several(slip, failed=1, checks=17)


@pytest.mark.parametrize(
    "other",
    [
        build((10, 12, ">")),  # another change of one of the places
        build(SECOND, unit=2),  # of another function
        build(FIRST, SECOND),  # the same places
        build((70, 72, ">=")),  # a place that the slip does not have
    ],
)
def test_a_slip_stays_one_where_no_part_of_it_meets_the_checks(other: Candidate) -> None:
    slip = build(FIRST, SECOND, is_slip=True)
    weigh_needless_places([other, slip])
    assert slip.is_slip
    assert slip.weight == 0.3
