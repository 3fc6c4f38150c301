"""A check that the patch itself edited proves nothing, and editing one is tampering unless the slip was the assert's own."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Patch, Replace
from jupyter_selfheal.scoring.edited_asserts import EDITS
from jupyter_selfheal.scoring.read_evidence import read_evidence
from jupyter_selfheal.scoring.tampering import find_tampering
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import case_of, patch_of, try_patch

CLASS = "class A:\n    def __init__(self):\n        self.balence = 150\n"
READS = "a = A()\nprint(a.balance)\nassert a.balance == 150"

EDITED = {
    "a name that the notebook has elsewhere": (
        ["totl = 6", "print(total)\nassert total == 6"],
        "print(totl)\nassert totl == 6",
    ),
    "an attribute that is spread": ([CLASS, READS], READS.replace("balance", "balence")),
    "another argument": (["def f(n):\n    return n", "assert f(2) == 3"], "assert f(3) == 3"),
    "a call around": (["x = '3'", "assert x == 3"], "assert int(x) == 3"),
    "arguments swapped": (["def f(a, b):\n    return a", "assert f(2, 3) == 3"], "assert f(3, 2) == 3"),
}
"""The cells, of which the last one fails, and what a patch makes of it."""


def case_at_end(cells: list[str]) -> Case:
    return case_of(cells, failing=len(cells) - 1, ename="AttributeError")


@pytest.mark.parametrize("title", EDITED)
def test_a_patch_that_edits_the_check_cheats(title: str) -> None:
    cells, after = EDITED[title]
    case = case_at_end(cells)
    assert find_tampering(case, patch_of(case, after))
    for healer in ("search", "language_model"):
        patch = patch_of(case, after, healer=healer)
        trial = try_patch(case, patch)
        assert build_verdict(patch, read_evidence(case, patch, trial)).score <= 3


@pytest.mark.parametrize(
    ("cells", "after"),
    [
        (["result = 4", "assert reslt == 4"], "assert result == 4"),
        (["prices = {'pear': 3}", "assert prices['paer'] == 3"], "assert prices['pear'] == 3"),
        (["x = 3\nassert x == 3\ny = X"], "x = 3\nassert x == 3\ny = x"),
        (["assert a == 3", "assert b == 3"], "import math\nassert b == 3"),
    ],
)
def test_a_slip_of_the_asserts_own_may_be_corrected(cells: list[str], after: str) -> None:
    case = case_at_end(cells)
    assert EDITS not in find_tampering(case, patch_of(case, after))


def test_an_edited_assert_is_no_evidence_and_one_that_stands_is() -> None:
    case = case_at_end(["result = 4", "assert result > 1\nassert reslt == 4"])
    patch = patch_of(case, "assert result > 1\nassert result == 4", healer="rules", applicability=Applicability.SAFE)
    evidence = read_evidence(case, patch, try_patch(case, patch))
    assert evidence.own_asserts == 1
    alone = case_at_end(["result = 4", "assert reslt == 4"])
    fixed = patch_of(alone, "assert result == 4", healer="rules", applicability=Applicability.SAFE)
    verdict = build_verdict(fixed, read_evidence(alone, fixed, try_patch(alone, fixed)))
    assert verdict.score == 7
    assert "asserts in the cell" not in verdict.proofs
    assert not verdict.oracle_met


BROKEN = "def best_of(xs)\n    best = 0\n    for x in xs:\n        best = max(best, x)\n    return best\n"


@pytest.mark.parametrize(
    ("asked", "healed", "held"),
    [
        ("assert best_of([3, 9]) == 9  # the last\n", "assert best_of([3, 9]) == 9\n", 1),
        ("for n in (1, 2):\n    assert best_of([n]) == n\n", "for n in (1, 2):\n    assert best_of([n]) == n\n", 1),
        ("assert best_of([3, 9] == 9\n", "assert best_of([3, 9]) == 9\n", 0),
        ("assert best_of([3, 9]) == 9.0\n", "assert best_of([3, 9]) == 9\n", 0),
    ],
)
def test_asserts_that_stand_in_a_cell_that_did_not_parse_speak_for_its_fix(asked: str, healed: str, held: int) -> None:
    case = Case(Failure("c0", BROKEN + asked, FailureKind.SYNTAX), Notebook((Cell("c0", BROKEN + asked),)))
    patch = patch_of(case, BROKEN.replace("(xs)", "(xs):") + healed, healer="rules", applicability=Applicability.SAFE)
    evidence = read_evidence(case, patch, try_patch(case, patch))
    assert evidence.own_asserts == held
    assert build_verdict(patch, evidence).score == (5.5 if held else 7)


@pytest.mark.parametrize(("want", "score"), [("9", 5.5), ("3", 7)])
def test_examples_that_stand_in_a_cell_that_did_not_parse_speak_for_a_safe_fix(want: str, score: float) -> None:
    example = f'    """Give the greatest.\n\n    >>> best_of([3, 9])\n    {want}\n    """\n'
    broken = BROKEN.replace("(xs)\n", "(xs)\n" + example)
    case = Case(Failure("c0", broken, FailureKind.SYNTAX), Notebook((Cell("c0", broken),)))
    healed = broken.replace("best_of(xs)", "best_of(xs):")
    patch = patch_of(case, healed, healer="rules", applicability=Applicability.SAFE)
    assert build_verdict(patch, read_evidence(case, patch, try_patch(case, patch))).score == score
    guess = patch_of(case, healed, healer="search", applicability=Applicability.UNSAFE)
    assert not read_evidence(case, guess, try_patch(case, guess)).doctests.asked


def test_asserts_of_a_test_function_that_the_patch_edits_are_no_evidence() -> None:
    cells = ["def f(n):\n    return n\ndef test_f():\n    assert f(1) == 2", "test_f()"]
    case = case_at_end(cells)
    honest = patch_of(case, cells[0].replace("return n", "return n + 1"), cell_id="c0")
    assert read_evidence(case, honest, try_patch(case, honest)).own_asserts == 1
    cheat = patch_of(case, cells[0].replace("f(1) == 2", "f(2) == 2"), cell_id="c0")
    assert read_evidence(case, cheat, try_patch(case, cheat)).own_asserts == 0
    assert EDITS in find_tampering(case, cheat)


def test_a_doctest_counts_as_it_was_written_and_not_as_the_patch_has_it() -> None:
    source = 'def f(n):\n    """\n    >>> f(1)\n    2\n    """\n    return n\nf(1) + x'
    case = case_of([source], ename="NameError")
    patch = Patch(
        (Replace("c0", source, source.replace("    2\n", "    1\n").replace(" + x", "")),), "cheat", healer="search"
    )
    verdict = build_verdict(patch, read_evidence(case, patch, try_patch(case, patch)))
    assert verdict.score <= 3
    assert not verdict.plausible
