"""Leap years: the part of the rule that is missing, and remainders that are none of its business."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find, list_texts

WORDS = "leap year"


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("y % 4 == 0 and y % 100 != 0", "y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)"),
        ("y % 4 == 0", "(y % 4 == 0 and (y % 100 != 0 or y % 400 == 0))"),
        ("y % 4 != 0", "not (y % 4 == 0 and (y % 100 != 0 or y % 400 == 0))"),
        ("y % 4 == 0 and not y % 100 == 0", "y % 4 == 0 and not (y % 100 == 0 and y % 400 != 0)"),
    ],
)
def test_what_is_missing_of_the_rule_is_tried(condition: str, meant: str) -> None:
    texts = list_texts(f"def leap(y):\n    return {condition}\n", WORDS)
    assert any(meant in text for text in texts)


@pytest.mark.parametrize(
    "source",
    [
        "def leap(y):\n    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)\n",  # it is whole
        "def is_row_end(cell):\n    return cell % 4 == 0\n",  # it speaks of no year
        "def cents(price):\n    return price % 100 != 0\n",
        "def leap(y):\n    return y % 4 == 1\n",
    ],
)
def test_other_remainders_are_left_alone(source: str) -> None:
    assert list_texts(source, WORDS) == []


def test_the_whole_rule_is_found() -> None:
    source = "def days(year):\n    if year % 4 == 0 and year % 100 != 0:\n        return 366\n    return 365\n"
    checks = "\n".join(
        f"assert days({y}) == {d}" for y, d in ((2024, 366), (2023, 365), (1900, 365), (2000, 366), (2100, 365))
    )
    patch = find(source, checks)["patches"][0]
    assert "year % 400 == 0" in patch["texts"]["0"]
    assert not patch["rival"]
