"""A comparison with a parameter is read beside what the docstring says of that: it may be on the other side of the boundary."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.described_bounds import find_contradicted_bound, is_told_by

BELOW = 'def all_below(values, limit):\n    """{}"""\n    for value in values:\n        if {}:\n            return False\n    return True\n'
MEAN = 'def mean(n, m):\n    """The mean of n to m. If n is greater than m, return -1."""\n    if {}:\n        return -1\n    return (n + m) / 2\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BELOW.format("Whether all are below the limit.", "value > limit"), ("below the limit", "value > limit")),
        (BELOW.format("Whether all are at most limit.", "value >= limit"), ("at most limit", "value >= limit")),
        (
            BELOW.format("Whether all are less than or equal to the limit.", "limit <= value"),
            ("less than or equal to the limit", "limit <= value"),
        ),
        (MEAN.format("m <= n"), ("greater than m", "m <= n")),
    ],
)
def test_a_comparison_on_the_other_side_of_what_is_said_is_found(text: str, told: tuple[str, str]) -> None:
    assert find_contradicted_bound(text) == told


@pytest.mark.parametrize(
    "text",
    [
        BELOW.format("Whether all are below the limit.", "value >= limit"),
        BELOW.format("Whether all are below the limit.", "not value < limit"),
        BELOW.format("Whether all are at most limit.", "value > limit"),
        BELOW.format("Whether all are no more than the limit.", "value > limit"),
        BELOW.format("Goes over the limit of all values.", "value >= limit"),
        BELOW.format("Below the limit all is well, and at most limit is asked for.", "value >= limit"),
        BELOW.format("Whether all are below the limit.", "limit > 3"),
        BELOW.format("Whether all are below the limit.", "value != limit"),
        MEAN.format("n > m"),
        'def primes(n):\n    """The primes that are less than n."""\n    k = 2\n    while k <= n:\n        k += 1\n    return k\n',
        "def f(limit, value):\n    return value > limit\n",
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_no_contradiction(text: str) -> None:
    assert find_contradicted_bound(text) is None


@pytest.mark.parametrize(
    ("docstring", "code", "is_told"),
    [
        ("Children under six pay nothing.", "age < 6", True),
        ("Children under six pay nothing.", "6", True),
        ("Children under six pay nothing.", "age <= 6", False),
        ("Children under six pay nothing.", "age < 5", False),
        ("Children under six pay nothing.", "child and student", False),
        ("", "age < 6", False),
    ],
)
def test_a_boundary_that_a_docstring_tells_is_no_slip(docstring: str, code: str, is_told: bool) -> None:
    assert is_told_by(docstring, code) is is_told
