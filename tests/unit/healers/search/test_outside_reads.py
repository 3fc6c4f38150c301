"""A function that reads a variable of the notebook where it was given its own."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.search.outside_reads import count_outside_reads, find_outside_reads
from tests.unit.healers.search.searching import find

OUTSIDE = {"x", "n", "best", "rate", "LIMIT", "value"}
MADE = {"n": ("values", "len(values)"), "best": ("scores", "max(scores)")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def mean(xs):\n    return sum(xs) / len(x)", {"x": "xs"}),
        ("def share(marks):\n    return [m / best for m in marks]", {"best": "max(marks)"}),
        ("def spread(data):\n    m = sum(data) / n\n    return m", {"n": "len(data)"}),
        ("def double(values):\n    return 2 * value", {"value": "values"}),
    ],
)
def test_what_is_given_stands_in_its_place(text: str, found: dict[str, str]) -> None:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert find_outside_reads(function, OUTSIDE, MADE) == found
    assert count_outside_reads(text, OUTSIDE, MADE) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def gross(price):\n    return price * (1 + rate)",
        "def mean(xs):\n    x = xs[0]\n    return sum(xs) / len(x)",
        "def mean(xs):\n    return sum(x for x in xs)",
        "def limit(limits):\n    return LIMIT",
        "def share(marks, weights):\n    return [m / best for m in marks]",
        "def add(xs):\n    global x\n    x = x + xs",
        "def mean(xs, x):\n    return sum(xs) / x",
    ],
    ids=["another thing", "its own", "of a comprehension", "a constant", "which of two", "meant", "a parameter"],
)
def test_other_variables_of_the_notebook_are_meant(text: str) -> None:
    assert not count_outside_reads(text, OUTSIDE, MADE)


def test_a_rival_that_still_reads_the_notebooks_variable_is_less_likely() -> None:
    """`rate = 0.5` meets the assert as well, for this one call."""
    definition = "rate = 2\ndef scale(values, rates):\n    return [v * rate for v in values]\n"
    first, *others = find(definition, "assert scale([1, 2], 3) == [3, 6]")["patches"]
    assert "v * rates" in "".join(first["texts"].values())
    assert first["weight"] > max(p["weight"] for p in others if p["cluster"] != first["cluster"])


def test_what_is_meant_of_the_notebook_is_kept() -> None:
    definition = "rate = 3\ndef scale(values):\n    return [v + rate for v in values]\n"
    first = find(definition, "assert scale([1, 2, 5]) == [3, 6, 15]\nassert scale([]) == []")["patches"][0]
    assert "v * rate" in "".join(first["texts"].values())


def test_plain_values_of_the_cell_are_there_when_patches_are_compared() -> None:
    definition = "RATES = {'a': 2}\ndef scale(v):\n    return v + RATES['a']\n"
    report = find(definition, "assert scale(3) == 6\nassert scale(5) == 10\nassert scale(0) == 0")
    assert all("error" not in answer for q in report["questions"] for answer, _ in q["answers"].values())
    assert report["patches"][0]["rival"] != "too few inputs are known on which another change would differ"


def test_that_a_mean_of_nothing_was_a_number_came_of_the_notebooks_variable() -> None:
    definition = "x = [1, 2, 3]\ndef mean(xs):\n    return sum(xs) / len(x)\n"
    first = find(definition, "assert mean([1, 2, 3, 6]) == 3.0")["patches"][0]
    assert "len(xs)" in "".join(first["texts"].values())
    assert not first["rival"]


@pytest.mark.parametrize(
    ("check", "is_doubted"),
    [
        ("assert scale(train) == [0.2, 0.4, 1.0]", True),
        ("assert scale([2, 4, 10]) == [0.2, 0.4, 1.0]", False),
        ("assert scale(train) == [0.2, 0.4, 1.0]\nassert scale(other) == [0.5, 1.0]", False),
    ],
    ids=["a variable", "a value", "two variables"],
)
def test_what_is_made_of_another_variable_may_be_meant_of_the_one_that_is_checked(check: str, is_doubted: bool) -> None:
    data = "train = [2, 4, 10]\nother = [4, 8]\ntest = [3, 20]\nlargest = max(test)\n"
    patches = find(f"{data}def scale(batch):\n    return [v / largest for v in batch]\n", check)["patches"]
    patch = next(p for p in patches if "max(batch)" in "".join(p["texts"].values()))
    assert ("may be meant to be made of `train`" in patch["rival"]) == is_doubted
