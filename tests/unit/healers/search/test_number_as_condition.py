"""A number that a patch puts into a condition by its name alone is a doubt."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.inside.search.number_as_condition import find_number_as_condition

OLD = "def place(x, seq):\n    if type(seq) == tuple:\n        return 0\n    return len(seq)\n"
CALLS: dict[str, list[tuple[Any, ...]]] = {"place": [(3, (1, 2)), (0, [4])]}


@pytest.mark.parametrize(
    ("condition", "calls", "name"),
    [
        ("type(seq) == tuple or x", CALLS, "x"),
        ("type(seq) == tuple and x > 0", CALLS, ""),
        ("type(seq) == tuple or seq", CALLS, ""),  # whether there is anything in it
        ("type(seq) == tuple or x", {"place": [(True, (1, 2))]}, ""),
        ("type(seq) == tuple or x", {}, ""),
        ("type(seq) == tuple or not x", CALLS, ""),
    ],
)
def test_a_number_by_its_name_alone_is_found(
    condition: str, calls: dict[str, list[tuple[Any, ...]]], name: str
) -> None:
    assert find_number_as_condition(OLD, OLD.replace("type(seq) == tuple", condition), calls) == name


def test_what_stood_there_before_is_none() -> None:
    old = OLD.replace("type(seq) == tuple", "x and type(seq) == tuple")
    assert not find_number_as_condition(old, old.replace("tuple", "list"), CALLS)
