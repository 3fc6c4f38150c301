"""Numbers that are rounded are compared with a bound, where the checks give numbers that no float is exactly."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.mutations.operators import propose_comparisons
from jupyter_selfheal.inside.search.scope import Hints, Scope


def list_texts(test: str, given: tuple[object, ...]) -> list[tuple[str, float]]:
    """What a test becomes, likeliest first, where the checks give a function these values."""
    scope = Scope(f"def f(a, b):\n    return {test}\n", Hints(calls={"f": (given,)}))
    changes = [c for node in scope.order for c in propose_comparisons(scope, node)]
    return [(c.edits[0][2][1:-1], c.prior) for c in sorted(changes, key=lambda c: -c.prior)]


@pytest.mark.parametrize("given", [([0.1, 0.2], 0.3), (((0.7,),), 1)])
def test_a_sum_of_tenths_is_compared_with_a_bound_first(given: tuple[object, ...]) -> None:
    texts = list_texts("sum(a) == b", given)
    assert texts[0][0] == "abs(sum(a) - b) <= 1e-9 * max(1, abs(b))"
    assert texts[1][1] < 0.5, "another operator is less likely there"


def test_what_differs_is_not_near() -> None:
    assert list_texts("a * 3 != b", (0.1, 0.3))[0][0] == "abs(a * 3 - b) > 1e-9 * max(1, abs(b))"


@pytest.mark.parametrize(
    ("test", "given"),
    [
        ("sum(a) == b", ([1, 2], 4)),
        ("sum(a) == b", ([0.5, 0.25], 1.0)),
        ("a % 2 == b", (4.1, 0)),
        ("len(a) == 3", ([0.1], 0)),
        ("a == b", (0.1, 0.3)),
        ("a <= b * 2", (0.1, 0.3)),
    ],
)
def test_whole_numbers_halves_remainders_and_what_is_given_stay_exact(test: str, given: tuple[object, ...]) -> None:
    assert all("abs(" not in text for text, _ in list_texts(test, given))
