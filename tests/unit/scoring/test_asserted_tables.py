"""Each row of a table that a loop asserts is a value of its own; a patch that reads the table copies its answers."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserted_tables import find_copied_table, list_wanted, map_given
from jupyter_selfheal.scoring.read_evidence import read_evidence
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import case_of, patch_of, try_patch

CASES = "CASES = [([3, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([5], 5), ([1, 9], 5)]"
MEDIAN = "def median(xs):\n    xs = sorted(xs)\n    return xs[len(xs) // 2]"
ASKED = "for xs, want in CASES:\n    assert median(xs) == want"
RIGHT = "def median(xs):\n    xs, n = sorted(xs), len(xs) // 2\n    if len(xs) % 2:\n        return xs[n]\n    return (xs[n - 1] + xs[n]) / 2"


def mend(definition: str, table: str = CASES, asked: str = ASKED, was: str = MEDIAN) -> tuple[Case, Patch]:
    case = case_of([table, was, asked], 2, ename="AssertionError", line=2)
    return case, patch_of(case, definition, "c1", healer="agent")


def score(definition: str, **more: str) -> float:
    case, patch = mend(definition, **more)
    return build_verdict(patch, read_evidence(case, patch, try_patch(case, patch))).score


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        (CASES, ASKED),
        ("", ASKED.replace("CASES", CASES.removeprefix("CASES = "))),
        ("CASES = {(3, 1, 2): 2, (4, 1, 3, 2): 2.5, (5,): 5, (1, 9): 5}", ASKED.replace("CASES", "CASES.items()")),
    ],
    ids=["by name", "written out", "a dictionary"],
)
def test_the_rows_of_a_table_are_values(table: str, asked: str) -> None:
    assert score(RIGHT, table=table, asked=asked) >= 7


@pytest.mark.parametrize(
    "definition",
    [
        "def median(xs):\n    return next(want for case, want in CASES if case == xs)",
        "def median(xs):\n    return {1: 5, 2: 5, 3: 2, 4: 2.5}[len(xs)]",
        "def median(xs):\n    if len(xs) == 3:\n        return 2\n    return 2.5 if len(xs) == 4 else 5",
    ],
    ids=["the table is read", "answers by length", "a branch for each"],
)
def test_what_was_made_to_fit_the_table_is_only_offered(definition: str) -> None:
    assert score(definition) < 7


@pytest.mark.parametrize(
    ("asked", "table", "values"),
    [
        (ASKED, "CASES = [([1], 1), ([1], 1), ([2, 3], 4)]", [1, 4]),
        (ASKED, "CASES = [([1], 1)]\nCASES += [([2], 2)]", []),
        (ASKED, "CASES = make()", []),
        ("for xs, want in CASES:\n    if xs:\n        assert median(xs) == want", CASES, []),
        ("for xs, want in CASES:\n    assert median(xs) >= want", CASES, []),
        ("for xs, want in CASES:\n    assert xs == want", CASES, []),
    ],
    ids=["the same row once", "bound twice", "not written down", "not asked of each", "no equality", "no result"],
)
def test_what_is_wanted(asked: str, table: str, values: list[object]) -> None:
    assert list_wanted(asked, map_given([table, asked])) == values


@pytest.mark.parametrize(
    ("was", "now", "copied"),
    [
        ("n = 0", "n = CASES[0][1]", "CASES"),
        ("n = len(CASES)", "n = len(CASES) + 1", ""),
        ("n = 0", "for xs, want in CASES:\n    assert f(xs) == want", ""),
        ("n = 0", "n = len(OTHER)", ""),
    ],
    ids=["read", "read before", "asserted", "another"],
)
def test_a_table_that_only_the_patch_reads(was: str, now: str, copied: str) -> None:
    case = case_of([CASES, was, ASKED], 1)
    assert find_copied_table(case, patch_of(case, now)) == copied


def test_the_items_of_an_expected_value_under_a_name_are_values() -> None:
    words = "EXPECTED = {'a': 3, 'b': 2, 'c': 1}\nwords = ['a', 'b', 'a', 'c', 'b', 'a']"
    case = case_of([words, "counts = {}\nfor w in words:\n    counts[w] += 1", "assert counts == EXPECTED\nassert counts['a'] == 3"], 1, ename="KeyError", line=3)  # fmt: skip
    right = patch_of(case, "from collections import Counter\ncounts = dict(Counter(words))", healer="agent")
    assert build_verdict(right, read_evidence(case, right, try_patch(case, right))).score >= 7
    copied = patch_of(case, "counts = dict(EXPECTED)", healer="agent")
    assert build_verdict(copied, read_evidence(case, copied, try_patch(case, copied))).score < 7
