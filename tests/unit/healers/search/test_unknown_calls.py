"""A function that does not exist is not given the name of one that does because the checks hold with it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.unknown_calls import is_call_of_nothing
from tests.unit.healers.search.searching import find

CALLS = "def norm(t):\n    return clean(t).upper()\n"


@pytest.mark.parametrize(
    ("name", "other", "text", "space", "is_nothing"),
    [
        ("clean", "str", CALLS, {}, True),
        ("clean", "str", CALLS, {"clean": str}, False),
        ("clean", "str", CALLS + "    clean = str\n", {}, False),
        ("clean", "clear", CALLS, {}, False),
        ("length", "len", "def f(xs):\n    return length(xs)\n", {}, False),
        ("size", "len", "def f(xs):\n    return size(xs)\n", {}, False),
        ("sum", "max", "def f(xs):\n    return sum(xs)\n", {}, False),
        ("clean", "str", "def norm(t):\n    return t.clean(), clean\n", {}, False),
    ],
)
def test_what_is_called_and_is_not_there(
    name: str, other: str, text: str, space: dict[str, object], is_nothing: bool
) -> None:
    assert is_call_of_nothing(name, other, [(text, text.replace(name, other))], space) is is_nothing


def test_another_function_in_its_place_is_doubted() -> None:
    patches = find(CALLS, "assert norm('ab') == 'AB'\nassert norm('x') == 'X'", 30)["patches"]
    assert patches
    assert all(p["rival"] for p in patches)
