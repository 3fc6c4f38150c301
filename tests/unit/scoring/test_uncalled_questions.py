"""A method that a condition asks and does not call is a fault that is left, in a cell that never parsed too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Patch, Replace
from jupyter_selfheal.scoring.left_faults import find_left_fault
from tests.unit.scoring.test_left_faults import fault_of

STACK = """class Stack:
    def pop(self):
        if {}:
            return None
        return self.items.pop()
    {}def is_empty(self):
        return not self.items
"""


@pytest.mark.parametrize(
    ("asked", "decorator", "is_told"),
    [
        ("not self.is_empty", "", True),
        ("self.is_empty and self.items", "", True),
        ("self.is_empty()", "", False),
        ("not self.is_empty", "@property\n    ", False),
        ("not self.items", "", False),
        ("self.is_empty is not None", "", False),
    ],
)
def test_a_method_that_is_asked_and_not_called_is_told(asked: str, decorator: str, is_told: bool) -> None:
    fault = fault_of(STACK.format("self.is_empty or 1", decorator), STACK.format(asked, decorator))
    assert ("not called" in fault) is is_told


ASKED = "if {}:\n    print(int(a){}\n"


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("a.isdigit", True),
        ("a and not a.isdigit", True),
        ("a.isdigit()", False),
        ("a.isdigit is not None", False),
        ("a.is_number", False),  # what the notebook's own objects have is not known
    ],
)
def test_a_question_of_a_text_that_is_not_called_is_told_of_a_cell_that_never_parsed(asked: str, is_told: bool) -> None:
    before, after = ASKED.format(asked, ""), ASKED.format(asked, ")")
    failure = Failure("a", before, FailureKind.SYNTAX, "SyntaxError")
    safe = Patch((Replace("a", before, after),), "Close the bracket", applicability=Applicability.SAFE)
    assert ("not called" in find_left_fault(Case(failure, Notebook((Cell("a", before),))), safe)) is is_told
    raised = replace(failure, kind=FailureKind.RAISED, ename="NameError")
    assert find_left_fault(Case(raised, Notebook((Cell("a", before),))), safe) == "", "it has run so"


def test_an_attribute_that_is_set_is_no_question_that_is_not_called() -> None:
    given = "class Key:\n    def __init__(self, key):\n        self.isdigit = key in '0123456789'\nif Key('1').isdigit:\n    print(1"
    failure = Failure("a", given, FailureKind.SYNTAX, "SyntaxError")
    patch = Patch((Replace("a", given, given + ")"),), "Close the bracket")
    assert find_left_fault(Case(failure, Notebook((Cell("a", given),))), patch) == ""


def test_a_property_of_a_class_in_another_cell_is_no_question_that_is_not_called() -> None:
    made = "class Key:\n    @property\n    def isdigit(self):\n        return self.key in '0123456789'\n"
    before, after = ASKED.format("a.isdigit", ""), ASKED.format("a.isdigit", ")")
    failure = Failure("a", before, FailureKind.SYNTAX, "SyntaxError")
    patch = Patch((Replace("a", before, after),), "Close the bracket", applicability=Applicability.SAFE)
    assert find_left_fault(Case(failure, Notebook((Cell("b", made), Cell("a", before)))), patch) == ""
