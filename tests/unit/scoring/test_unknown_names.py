"""A name that nothing binds, in a branch that did not run of a cell that did not parse, is a fault that is left."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Oracle, Patch, Replace
from jupyter_selfheal.scoring.left_faults import find_left_fault


@pytest.mark.parametrize(
    ("said", "above", "is_told"),
    [
        ("Odd", "n = 4", True),
        ("Odd", "n = 4\nOdd = 'odd'", False),
        ("'Odd'", "n = 4", False),
        ("Odd", "from labels import *\nn = 4", False),
        ("__name__", "n = 4", False),
        ("n", "", False),
    ],
)
def test_a_name_that_nothing_binds_in_a_branch_that_did_not_run_is_told(said: str, above: str, is_told: bool) -> None:
    after = f"if n % 2 == 0:\n    print('Even')\nelse:\n    print({said})"
    before = after.replace("else:", "else")
    cells = (Cell("a", above), Cell("b", before))
    patch = Patch((Replace("b", before, after),), "Add the colon", applicability=Applicability.SAFE)
    case = Case(Failure("b", before, FailureKind.SYNTAX), Notebook(cells), oracle=Oracle(stdout="Even"))
    assert bool(find_left_fault(case, patch)) is is_told
