from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.model import FailureKind, compose
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.scoring.shifted_results import is_shifted
from tests.scoring_cases import case_of, patch_of, try_patch

AREA = "def area(w, h):\n    return w * h"


def judged(case: Any, patch: Any) -> Any:
    return EvidenceScorer().judge(case, try_patch(case), [(patch, try_patch(case, patch))], ()).verdicts[0]


def test_a_guess_that_shifts_the_result_to_meet_one_check_is_shown_not_accepted() -> None:
    case = case_of([AREA, "assert area(2, 3) == 7"], failing=1, ename="AssertionError")
    found = judged(case, patch_of(case, AREA + " + 1", "c0"))
    assert found.score < 7
    assert found.plausible
    assert not found.oracle_met
    assert any("only shifts or cuts a result" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    "check",
    [
        "assert area(2, 3) == 7\nassert area(1, 1) == 2",
        "for w, h, a in [(2, 3, 7), (1, 1, 2)]:\n    assert area(w, h) == a",
        "assert [area(2, 3), area(1, 1)] == [7, 2]",
    ],
)
def test_two_examples_of_other_inputs_prove_the_same_shift(check: str) -> None:
    case = case_of([AREA, check], failing=1, ename="AssertionError")
    assert judged(case, patch_of(case, AREA + " + 1", "c0")).score >= 8


def test_examples_of_something_else_do_not_prove_a_shift() -> None:
    other = "xs = [1, 2]\nassert xs == [1, 2]"
    case = case_of([AREA, other, "assert area(2, 3) == 7"], failing=2, ename="AssertionError")
    assert judged(case, patch_of(case, AREA + " + 1", "c0")).score < 7


def test_one_check_is_enough_for_a_change_within_the_computation() -> None:
    old = "def total(n):\n    return sum(range(n))"
    case = case_of([old, "assert total(10) == 55"], failing=1, ename="AssertionError")
    assert judged(case, patch_of(case, old.replace("range(n)", "range(n + 1)"), "c0")).score >= 8


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("def f(a):\n    return a", "def f(a):\n    return a - 1", True),
        ("total = sum(xs)", "total = sum(xs) * 1.5", True),
        ("f = lambda x: x + 1", "f = lambda x: x + 2", True),
        ("f = lambda x: 2 + x", "f = lambda x: 1 + x", True),
        ("y = a + b", "y = a + 1 + b", True),
        ("y = a * b", "y = 2 * (a - 1) * b", True),
        ("y = a * b", "y = a + b + 1", False),
        ("y = x + 32", "y = x - 32", False),
        ("n[w] += 1", "n[w] = n.get(w, 1) + 1", True),
        ("n[w] += 1", "n[w] = n.get(w, 0) + 1", False),
        ("n[w] *= p", "n[w] = n.get(w, 1) * p", False),
        ("n[w] = n.get(w, 1) + 1", "n[v] = n.get(w, 1) + 1", False),
        ("y = x + 1", "y = x * 2", False),
        ("y = x + 1", "y = x", False),
        ("y = sum(range(n))", "y = sum(range(n + 1))", False),
        ("y = x * w", "y = x / w", False),
        ("y = xs[n]", "y = xs[n - 1]", False),
        ("y = x ** 2 + 1", "y = x ** 3 + 1", False),
        ('y = "Hello " + x + "!"', 'y = "Hello " + x + "."', True),
        ('y = f"Hello {x}!"', 'y = f"Hello {x}."', True),
        ('y = f"Hello {x}!"', 'y = f"Hello {z}!"', False),
        ("y = [x for x in xs if x]", "y = [x for x in xs[:-1] if x]", True),
        ("y = [x for x in xs]", "y = [x for x in xs][::2]", True),
        ("y = xs", "y = xs[::-1]", False),
        ("y = len(xs)", "xs.pop()\ny = len(xs)", True),
        ("y = len(xs)", "del xs[0]\ny = len(xs)", True),
        ("y = len(xs)", "xs.append(3)\ny = len(xs)", False),
        ("y = xs[1:]", "y = xs[2:]", False),
        ("y = xs[:n]", "y = xs[:n + 1]", False),
    ],
)
def test_a_shift_is_the_same_value_with_a_constant_or_without_its_end(old: str, new: str, answer: bool) -> None:
    case = case_of([old], kind=FailureKind.MISSED)
    assert is_shifted(case, patch_of(case, new)) is answer


def test_a_guess_with_a_rival_is_shown_not_accepted() -> None:
    old = "def total(n):\n    return sum(range(n))"
    case = case_of([old, "assert total(10) == 55"], failing=1, ename="AssertionError")
    patch = patch_of(case, old.replace("range(n)", "range(n + 1)"), "c0")
    found = judged(case, replace(patch, rival="`total(3)` gives 6 with it, and 51 with another change"))
    assert found.score == 6
    assert found.plausible
    assert not found.oracle_met
    assert "`total(3)` gives 6 with it" in found.reasons[-1]


@pytest.mark.parametrize(
    ("source", "mended", "shifted"),
    [
        ("total = prise * 2", "total = price * 2", "total = price * 2 + 1"),
        ("total = d['euro'] * 2", "total = d['eur'] * 2", "total = d['eur'] * 2 + 1"),
        ("total = 2 * (price + 0)", "total = 2 * (int(price) + 0)", "total = 2 * (int(price) + 0) + 1"),
        ("total = (price * 2", "total = (price * 2)", "total = (price * 2)[:-1]"),
    ],
)
def test_a_shift_behind_another_fix_of_the_same_expression_is_one_all_the_same(
    source: str, mended: str, shifted: str
) -> None:
    case = case_of([source])
    first = patch_of(case, mended, healer="rules")
    both = compose(first, patch_of(case_of([mended]), shifted, healer="search"))
    assert is_shifted(case, both)
    assert not is_shifted(case, first)
    later = compose(both, patch_of(case_of([shifted]), shifted + "\nprint(total)", healer="rules"))
    assert is_shifted(case, later)


@pytest.mark.parametrize(
    ("source", "mended", "after"),
    [
        ("total = prise * 2", "total = price * 2", "total = price * 2\nprint(total)"),
        ("total = sum(range(m))", "total = sum(range(n))", "total = sum(range(n + 1))"),
        ("y = a * bb", "y = a * b", "y = a / b"),
        ("y = x + 2", "y = x + 1", "y = x * 2"),
    ],
)
def test_a_change_within_the_computation_behind_another_fix_is_no_shift(source: str, mended: str, after: str) -> None:
    case = case_of([source])
    both = compose(patch_of(case, mended, healer="rules"), patch_of(case_of([mended]), after, healer="search"))
    assert is_shifted(case, both) is is_shifted(case, patch_of(case, mended))


def test_a_shift_behind_a_renamed_variable_is_offered_by_one_check_and_accepted_by_two() -> None:
    old, mended = "def area(w, h):\n    return w * hh", "def area(w, h):\n    return w * h"
    one = "assert area(2, 3) == 7"
    for check, accepted in ((one, False), (one + "\nassert area(1, 1) == 2", True)):
        case = case_of([old, check], failing=1, ename="NameError")
        behind = case_of([mended, check], failing=1, ename="AssertionError")
        both = compose(
            patch_of(case, mended, "c0", healer="rules"), patch_of(behind, mended + " + 1", "c0", healer="search")
        )
        assert (judged(case, both).score >= 8) is accepted
