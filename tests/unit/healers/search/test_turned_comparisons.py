"""A comparison that is turned round is asked about where no check tells what holds for equal sides."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.turned_comparisons import _is_turned_otherwise, list_turned
from tests.unit.healers.search.searching import find
from tests.work import count_calls

LONGER = "def longer(a, b):\n    if sum(len(x) for x in a) <= sum(len(x) for x in b):\n        return b\n    return a"
CALLS = {
    "['hi', 'you'], ['a']": "['a']", "['x'], ['hi']": "['x']", "[], []": "[]",
    "['abc', 'd'], ['ab', 'cd', 'ee']": "['abc', 'd']", "['q', 'rr'], ['q']": "['q']",
}  # fmt: skip
TIE = "assert longer(['ab'], ['cd']) == ['ab']"


def find_first(definition: str, checks: list[str]) -> dict[str, str]:
    """The words and the doubt of the first patch."""
    first = find(definition, "\n".join(checks))["patches"][0]
    return {"words": first["words"], "doubt": first["rival"]}


CHECKS = [f"assert longer({given}) == {value}" for given, value in CALLS.items()]


def test_a_turned_comparison_is_doubted_where_no_check_has_equal_sides() -> None:
    first = find_first(LONGER, CHECKS)
    assert "`<=` should be `>" in first["words"]
    assert "with another change that passes the same checks" in first["doubt"]


def test_it_is_applied_where_a_check_tells() -> None:
    assert find_first(LONGER, [*CHECKS, TIE]) == {"words": "`<=` should be `>`", "doubt": ""}


def test_equal_sides_that_no_checked_call_has_are_nobodys_question() -> None:
    count = "def above(xs, n):\n    return [x for x in xs if x < n]"
    calls = [([4, 1, 7], 3, [4, 7]), ([2, 9], 5, [9]), ([8, 3, 6], 4, [8, 6]), ([1, 5], 2, [5]), ([7, 2], 6, [7])]
    first = find_first(count, [f"assert above({xs}, {n}) == {value}" for xs, n, value in calls])
    assert first["words"].startswith("`<` should be `>")


@pytest.mark.parametrize("edge", [18, 17])
def test_a_comparison_that_keeps_its_direction_is_not_meant(edge: int) -> None:
    adult = "def is_adult(age):\n    return age > 18" if edge == 18 else "def is_adult(age):\n    return age >= 17"
    checks = [f"assert is_adult({n}) is {n >= 18}" for n in (18, 17, 40, 3)]
    assert find_first(adult, checks)["doubt"] == ""


BELOW = "def goes_below(steps):\n    balance = 0\n    for step in steps:\n        balance += step\n        if balance == 0:\n            return True\n    return False"
STEPS = {"[]": False, "[1, 2, -3, 1, 2, -3]": False, "[1, 2, -4, 5, 6]": True, "[1, -1, 2, -2, 5, -5, 4, -5]": True}
FURTHER = "assert goes_below([3, -8, 9]) == True"


def test_another_number_in_an_equality_is_doubted_where_a_limit_meets_the_checks() -> None:
    first = find_first(BELOW, [f"assert goes_below({given}) == {value}" for given, value in STEPS.items()])
    assert "with another change that passes the same checks" in first["doubt"]


def test_the_limit_is_taken_where_a_check_goes_beyond_the_number() -> None:
    checks = [f"assert goes_below({given}) == {value}" for given, value in STEPS.items()]
    assert find_first(BELOW, [*checks, FURTHER])["words"] == "`==` should be `<`"


def test_edits_of_other_comparisons_are_not_paired() -> None:
    """A pair is looked at only where both edits are of one comparison, so that the work grows with the candidates."""
    lines = [f"x{n} < {n}" for n in range(400)]
    starts = [sum(len(line) + 1 for line in lines[:n]) + len(f"x{n} ") for n in range(400)]
    edits = [(start, start + 1, sign) for start in starts for sign in (">", ">=")]
    candidates = [Candidate({}, "", 1, 0.5, 0, 1, spliced={0: (edit,)}) for edit in edits]
    pairs: list[tuple[int, int]] = []
    calls = count_calls(
        lambda: pairs.extend(list_turned(candidates, {0: "\n".join(lines)})), _is_turned_otherwise.__code__
    )
    assert pairs == [pair for n in range(0, 800, 2) for pair in ((n, n + 1), (n + 1, n))]
    assert calls == 4 * 400


def test_a_number_that_no_limit_replaces_is_taken() -> None:
    code = "def is_odd(n):\n    return n % 2 == 0"
    first = find_first(code, [f"assert is_odd({n}) == {n % 2 == 1}" for n in (1, 2, 3, 4, 7)])
    assert first["doubt"] == ""
