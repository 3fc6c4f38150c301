"""Which of the waiting patches are tried at once: one of those that do the same, and first those that nothing speaks against."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.loop.policy import select_next_tier
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Output, Patch, Replace

CASE = Case(Failure("c", "mean([2])", ename="AssertionError"))


def guess(source: str, weight: float, rival: str = "", like: Patch | None = None) -> Patch:
    """A patch as the search builds it: its behaviour is the first patch that does the same."""
    patch = Patch((Replace("c", "mean([2])", source),), source, weight=weight, rival=rival, prior=weight)
    return replace(patch, behaviour=(like or patch).id)


def try_next(*patches: Patch, case: Case = CASE) -> list[str]:
    dossier = Dossier("run", case, case, waiting=tuple((0, p) for p in patches))
    return [p.title for p in select_next_tier(dossier)]


BEST = guess("len(values)", 0.6)
ALIKE = guess("len(values) - 0", 0.5, like=BEST)
DOUBTED = guess("max(values)", 0.2, "`mean([3, 4])` gives 4 with it")


def test_one_trial_is_enough_for_what_does_the_same() -> None:
    assert try_next(BEST, ALIKE, DOUBTED) == ["len(values)"]


def test_the_others_are_tried_once_that_one_is_out() -> None:
    assert try_next(ALIKE, DOUBTED) == ["len(values) - 0", "max(values)"]
    assert try_next(DOUBTED) == ["max(values)"]


def test_what_is_as_likely_or_has_no_doubt_either_is_tried_with_it() -> None:
    as_likely = guess("sum(values)", 0.55, "`mean([3, 4])` gives 7 with it")
    other = guess("min(values)", 0.1)
    assert try_next(BEST, ALIKE, as_likely, other, DOUBTED) == ["len(values)", "sum(values)", "min(values)"]


def test_patches_of_rules_are_all_tried_and_where_all_are_doubted_so_are_those_of_the_search() -> None:
    rule = Patch((Replace("c", "mean([2])", "median([2])"),), "median", prior=0.3)
    assert try_next(rule, BEST, ALIKE) == ["len(values)", "median"]
    doubted = guess("len(values) + 1", 0.6, "another change may be meant")
    assert try_next(doubted, DOUBTED) == ["len(values) + 1", "max(values)"]
    safe = replace(rule, applicability=Applicability.SAFE)
    assert try_next(safe, BEST) == ["median"]


DEFINED = """\
def mean(values):
    return sum(values) / (len(values) + 1)
assert mean([2]) == 2
"""
BELOW = "average = mean([3, 4])"


def in_notebook(*below: Cell, outputs: tuple[Output, ...] = (), kind: FailureKind = FailureKind.RAISED) -> Case:
    cells = (
        Cell("a", "values = [1]"),
        Cell("c", DEFINED, outputs=outputs),
        *below,
        Cell("n", "# The end", kind="markdown"),
    )
    return Case(Failure("c", DEFINED, kind, ename="AssertionError"), Notebook(cells))


def mend(divisor: str, weight: float, rival: str = "", like: Patch | None = None) -> Patch:
    patch = Patch(
        (Replace("c", DEFINED, DEFINED.replace("len(values) + 1", divisor)),),
        divisor,
        weight=weight,
        rival=rival,
        prior=weight,
    )
    return replace(patch, behaviour=(like or patch).id)


FIRST = mend("len(values)", 0.6)
SAME = mend("len(values) - 0", 0.5, like=FIRST)
OTHER = mend("max(1, values[0] - 1)", 0.2, "`mean([3, 4])` gives 3.5 with it")
PRINTED = (Output("stream", "mean of two\n"),)
FAILED = (Output("error", ename="ValueError"),)


@pytest.mark.parametrize(
    "case",
    [
        in_notebook(Cell("d", BELOW)),
        in_notebook(Cell("m", "values = 3"), Cell("d", BELOW, outputs=(Output("stream", "3.5"),))),
        in_notebook(Cell("d", BELOW, expensive=True), Cell("e", "print(average)")),
        in_notebook(outputs=PRINTED),
    ],
    ids=["a cell below", "one behind another", "one by way of another", "a stored output"],
)
def test_every_reading_is_tried_where_a_stored_output_or_a_cell_below_can_tell_them_apart(case: Case) -> None:
    assert try_next(FIRST, SAME, OTHER, case=case) == ["len(values)", "max(1, values[0] - 1)"]


@pytest.mark.parametrize(
    "case",
    [
        in_notebook(),
        in_notebook(Cell("d", "values = [4]\nprint(values)")),
        in_notebook(Cell("d", BELOW, outputs=FAILED)),
        in_notebook(Cell("d", BELOW, expensive=True)),
        in_notebook(Cell("d", "!ls " + "mean")),
        in_notebook(Cell("d", "")),
        in_notebook(outputs=FAILED),
    ],
    ids=[
        "nothing below",
        "another name",
        "one that failed",
        "an expensive one",
        "one that reaches out",
        "an empty one",
        "its error",
    ],
)
def test_one_trial_is_enough_where_it_could_say_nothing_more(case: Case) -> None:
    assert try_next(FIRST, SAME, OTHER, case=case) == ["len(values)"]
