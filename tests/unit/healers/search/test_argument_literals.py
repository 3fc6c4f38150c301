"""A literal that a patch brings, where checks give a parameter nothing else."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.argument_literals import describe_doubt_of_literal

OLD = "def chunk(xs, n):\n    return [xs[i:i + n] for i in range(len(xs))]\n"
EVEN = "def chunk(xs, n):\n    return [xs[i:i + n] for i in range(len(xs)) if i % 2 == 0]\n"
MEANT = "def chunk(xs, n):\n    return [xs[i:i + n] for i in range(0, len(xs), n)]\n"
XS = [1, 2, 3]


@pytest.mark.parametrize(
    ("new", "calls", "is_doubted"),
    [
        (EVEN, [(XS, 2)], True),
        (EVEN, [(XS, 2), ([], 2)], True),
        (EVEN, [(XS, 2), (XS, 3)], False),
        (EVEN, [(XS, 3)], False),
        (EVEN, [(XS, 2.0)], False),
        (EVEN, [(XS,)], False),  # by its default
        (EVEN, [], False),
        (MEANT, [(XS, 2)], False),
        (MEANT, [(XS, 0)], False),
        (OLD, [(XS, 2)], False),
    ],
)
def test_a_literal_that_says_what_an_argument_is_in_every_check_is_doubted(
    new: str, calls: list[tuple[object, ...]], is_doubted: bool
) -> None:
    doubt = describe_doubt_of_literal(OLD, new, {"chunk": calls})
    assert doubt == ("`2` is what `n` is in every check, and `n` may be meant" if is_doubted else "")


def test_a_text_is_doubted_too() -> None:
    old, new = "def tag(s):\n    return s.lower()\n", "def tag(s):\n    return s.strip('ab')\n"
    assert "`'ab'` is what `s` is" in describe_doubt_of_literal(old, new, {"tag": [("ab",)]})
    assert not describe_doubt_of_literal(old, new, {"tag": [("ab",), ("c",)]})


def test_parameters_that_are_given_by_their_place_alone_count_too() -> None:
    old, new = (text.replace("xs, n", "xs, /, n") for text in (OLD, EVEN))
    assert "`n` may be meant" in describe_doubt_of_literal(old, new, {"chunk": [(XS, 2)]})
