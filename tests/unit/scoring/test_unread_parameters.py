"""A parameter that nothing reads, and what a patch that reads it makes of it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.odd_code import HARDLY_MEANT, list_unread_parameters
from tests.scoring_cases import ask_untold

SEARCH = "def search(xs, target, loud=False):\n    for i, x in enumerate(xs):\n        if x == target:\n            {}\n    return -1"
FOUND = ["assert search([5, 6], 6) == 1", "assert search([5, 6], 7) == -1", "assert search([9], 9, True) == 0"]


@pytest.mark.parametrize(
    ("line", "unread", "checks", "is_odd"),
    [
        ("return x if loud is None else i", ["loud"], FOUND, True),
        ("return x if loud == 7 and xs else i", ["loud"], FOUND, True),
        ("return x if loud is None else i", [], FOUND, False),  # it was asked before
        ("return str(i) if loud else i", ["loud"], [*FOUND[:2], "assert search([9], 9, True) == '0'"], False),
        ("return [i, loud][0] if loud is not None else i", ["loud"], FOUND, False),
        ("return [i, loud][0]", ["loud"], FOUND, False),
    ],
)
def test_a_parameter_that_was_read_nowhere_is_no_better_for_a_question_that_every_check_has_one_way(
    line: str, unread: list[str], checks: list[str], is_odd: bool
) -> None:
    said = ask_untold(SEARCH.format(line), checks, unread=unread)
    assert said.endswith(HARDLY_MEANT) == is_odd
    assert not is_odd or said.startswith("the parameter `loud` is read in `loud ")


@pytest.mark.parametrize(
    ("body", "unread"), [("return xs", {"n"}), ("return xs[:n]", set()), ("return [x for x in xs if x < n]", set())]
)
def test_the_parameters_that_nothing_reads_are_listed(body: str, unread: set[str]) -> None:
    assert list_unread_parameters(f"import os\ndef first(xs, n=3, _kept=0):\n    {body}\n") == unread
