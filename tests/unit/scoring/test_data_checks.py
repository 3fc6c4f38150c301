from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.data_checks import asks_of_data
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, patch_of, try_patch

DEFINITIONS = (
    'def is_valid(e):\n    return "@" in e\n'
    "def total(bill):\n    return sum(bill['lines'])\n"
    "def bubble(xs):\n    return xs\n"
    "emails = ['a@x', 'b']\nbill = {'lines': [1, 2], 'sum': 4}\nxs = [2, 1]\nout = bubble(xs)\n"
)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        ("assert all(is_valid(e) for e in emails)", True),
        ("assert is_valid(emails[1]), 'bad address'", True),
        ("assert abs(total(bill) - bill['sum']) < 0.01", True),
        ("assert total(bill) == 3", False),
        ("assert is_valid('b')", False),
        ("assert all(a <= b for a, b in zip(out, out[1:]))", False),
        ("assert is_valid(bubble(emails)[0])", False),
        ("assert len(emails) == 2", False),
    ],
)
def test_an_assert_about_raw_data_is_told_from_a_test_of_code(check: str, answer: bool) -> None:
    assert asks_of_data(case_of([DEFINITIONS, check], failing=1, ename="AssertionError")) is answer


def test_code_that_looks_at_data_is_not_proven_by_letting_them_pass() -> None:
    case = case_of([DEFINITIONS, "assert all(is_valid(e) for e in emails)"], failing=1, ename="AssertionError")
    patch = patch_of(case, DEFINITIONS.replace('"@" in e', "len(e) > 0"), "c0", healer="search")
    found = EvidenceScorer().judge(case, try_patch(case), [(patch, try_patch(case, patch))], ()).verdicts[0]
    assert found.score < 7
    assert not found.oracle_met
