"""A patch that keeps the checks and leaves a call like them without a result: one change more is shown first, and never applied."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.complete_found import Calls
from tests.unit.healers.search.searching import find

BONUS = "def bonus(years):\n    if years < 1:\n        return 0\n    if 1 < years < 5:\n        return 100\n    if years > 5:\n        return 250\n"
CHECKS = "\n".join(f"assert bonus({n}) == {value}" for n, value in ((0, 0), (3, 100), (4, 100), (5, 250), (9, 250)))


def test_a_second_bound_that_no_check_tells_of_is_mended_before_the_patch_that_leaves_it() -> None:
    patches = find(BONUS, CHECKS, 2.0)["patches"]
    base = next(n for n, patch in enumerate(patches) if patch["words"] == "`>` should be `>=`")
    results = []
    for patch in patches[base - 2 : base]:
        space: dict[str, object] = {}
        exec(patch["texts"]["0"], space)
        results.append(eval("[bonus(n) for n in (0, 1, 3, 5, 9)]", space))
        assert patch["rival"] == "`bonus(1)` gives nothing without its last change, and no check asks for it"
    assert sorted(results) == [[0, 0, 100, 250, 250], [0, 100, 100, 250, 250]]


def test_nothing_is_put_before_a_patch_that_nothing_speaks_against() -> None:
    checks = "assert double(1) == 2\nassert double(2) == 4\nassert double(5) == 10"
    first, *_ = find("def double(n):\n    return n * 3\n", checks, 2.0)["patches"]
    assert (first["edits"], first["rival"]) == (1, "")


@pytest.mark.parametrize(
    ("shown", "odd"),
    [
        (["0", "4", "9", "None"], {3}),
        (["0", "4", "9", "!IndexError"], {3}),
        (["0", "4", "9", "'16'"], {3}),
        (["0", "4", "9", "16"], set()),
        (["0", "None", "9", "None"], set()),
        (["0", "!ValueError", "9", "!ValueError"], set()),
        (["0", "4", "9", "!late"], set()),
    ],
)
def test_a_call_is_odd_where_it_gives_what_no_checked_one_does(shown: list[str], odd: set[int]) -> None:
    calls = Calls("square", ((0,), (2,), (3,)), ((4,),))
    assert calls.read_behaviour(shown).odd == odd
