from __future__ import annotations

import pytest

from jupyter_selfheal.model import Case, Cell, Frame, Oracle
from jupyter_selfheal.scoring.avoided_call import find_avoided_call
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, patch_of, try_patch

MEAN = "def mean(xs):\n    return sum(xs) / len(xs)"
MEDIAN = "def median(xs):\n    s = xs.sort()\n    return s[len(s) // 2]"


def fails_in_median(call: str = "median([5, 1, 3])") -> Case:
    frames = (Frame("", 1, "<module>", cell_id="c2"), Frame("", 3, "median", cell_id="c1"))
    return case_of([MEAN, MEDIAN, Cell("c2", call)], 2, ename="TypeError", oracle=Oracle(expect="3"), frames=frames)


def test_another_function_that_gives_the_same_by_luck_is_shown_not_accepted() -> None:
    case = fails_in_median()
    patch = patch_of(case, "mean([5, 1, 3])")
    found = EvidenceScorer().judge(case, try_patch(case), [(patch, try_patch(case, patch))], ()).verdicts[0]
    assert found.score < 7
    assert any("no longer calls `median`" in reason for reason in found.reasons)


def test_the_function_itself_mended_is_accepted() -> None:
    case = fails_in_median()
    patch = patch_of(case, MEDIAN.replace("xs.sort()", "sorted(xs)"), "c1")
    found = EvidenceScorer().judge(case, try_patch(case), [(patch, try_patch(case, patch))], ()).verdicts[0]
    assert found.score >= 9


@pytest.mark.parametrize(
    ("call", "changed", "avoided"),
    [
        ("median([5, 1, 3])", "mean([5, 1, 3])", "median"),
        ("tools.median([5, 1, 3])", "tools.mean([5, 1, 3])", "median"),
        ("median([5, 1, 3])", "median(sorted([5, 1, 3]))", ""),
        ("median([5]) + median([3])", "median([5]) + mean([3])", "median"),
        ("median(rows)", "rows.apply(median)", ""),
        ("median(rows)", "list(map(median, rows))", ""),
        ("median(rows)", "rows.apply(mean)", "median"),
        ("median(rows)", "print(median)", "median"),
    ],
)
def test_what_is_called_less_often_is_named(call: str, changed: str, avoided: str) -> None:
    case = fails_in_median(call)
    assert find_avoided_call(case, patch_of(case, changed)) == avoided


def test_nothing_is_avoided_where_the_failure_is_in_the_cell_itself() -> None:
    case = case_of([MEAN, "mean(xs)"], 1, frames=(Frame("", 1, "<module>", cell_id="c1"),))
    assert find_avoided_call(case, patch_of(case, "sum(xs)")) == ""


@pytest.mark.parametrize(
    ("message", "changed", "avoided"),
    [
        ("<lambda>() missing 1 required positional argument: 'y'", "add = lambda x, y: x + y\nsum((1, 2))", "add"),
        ("<lambda>() missing 1 required positional argument: 'y'", "add = lambda x, y: x + y\nadd(*(1, 2))", ""),
        ("<lambda>() missing 1 required positional argument: 'y'", "add = lambda x: sum(x)\nadd((1, 2))", ""),
        ("sum() takes at most 2 arguments (3 given)", "add = lambda x, y: x + y\nmax((1, 2))", ""),
        ("mean() missing 1 required positional argument: 'xs'", "add = lambda x, y: x + y\nadd((1, 2))", ""),
    ],
)
def test_a_function_that_was_given_wrong_arguments_is_not_left_for_another_one(
    message: str, changed: str, avoided: str
) -> None:
    call = "add = lambda x, y: x + y\nadd((1, 2))"
    frames = (Frame("", 2, "<module>", cell_id="c1"),)
    case = case_of([MEAN, Cell("c1", call)], 1, ename="TypeError", evalue=message, frames=frames)
    assert find_avoided_call(case, patch_of(case, changed, "c1")) == avoided


@pytest.mark.parametrize(
    ("file", "avoided"),
    [
        ("/home/ann/project/helper.py", "median"),
        ("/home/ann/project/notebooks/../tools/helper.py", "median"),
        ("/home/ann/project/.venv/lib/python3.13/site-packages/helper.py", ""),
        ("/usr/lib/python3.12/statistics.py", ""),
        ("<frozen importlib._bootstrap>", ""),
    ],
)
def test_a_function_of_a_file_beside_the_notebook_is_one_of_the_notebook(file: str, avoided: str) -> None:
    frames = (Frame("", 1, "<module>", cell_id="c1"), Frame(file, 3, "median"))
    case = case_of([MEAN, Cell("c1", "len(median([5, 1]))")], 1, ename="TypeError", frames=frames)
    assert find_avoided_call(case, patch_of(case, "len(max([5, 1]))", "c1")) == avoided


GAPS = ("data = [1.0, None]\ns = Column(data)", "s.astype(int).sum()")


@pytest.mark.parametrize(
    ("changed", "avoided"),
    [
        ("s.sum().astype(int)", "s.astype(int)"),
        ("int(s.sum())", "s.astype(int)"),
        ("s.fillna(0).astype(int).sum()", ""),
        ("s.astype('Int64').sum()", ""),
        ("s.round().astype(int).sum()", ""),
    ],
    ids=[
        "the result is converted",
        "by a function",
        "gaps are filled",
        "another type",
        "a near miss that converts each",
    ],
)
def test_values_that_cannot_be_converted_are_not_passed_by_for_their_sum(changed: str, avoided: str) -> None:
    case = case_of(
        [GAPS[0], Cell("c2", GAPS[1])],
        1,
        ename="IntCastingNaNError",
        evalue="Cannot convert non-finite values (NA or inf) to integer",
    )
    assert find_avoided_call(case, patch_of(case, changed)) == avoided


def test_a_sum_may_be_converted_where_no_value_is_at_fault() -> None:
    case = case_of([GAPS[0], Cell("c2", GAPS[1])], 1, ename="AttributeError", evalue="no attribute 'astype'")
    assert find_avoided_call(case, patch_of(case, "s.sum().astype(int)")) == ""
