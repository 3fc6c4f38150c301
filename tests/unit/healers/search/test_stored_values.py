"""What is stored as a cell's result tells right from wrong where it is a value: a literal, an array, a number of NumPy's."""

from __future__ import annotations

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.healers.search.oracles import read_stored_oracle
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Output
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts

CLASS = "from collections import Counter\nclass Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n    def __repr__(self):\n        return f'Point({self.x}, {self.y})'\n    def move(self, other):\n        return Point(self.x + other.x, self.y + other.z)"
ABOVE = "import numpy as np\nA = np.array([[2, 1], [1, 3]])\nb = np.array([3, 5])"
SOLVED = "np.linalg.solve(b, A)"


def make_case(source: str, shown: str) -> Case:
    cells = (
        Cell("k", CLASS),
        Cell("c0", ABOVE),
        Cell("c1", source, outputs=(Output("execute_result", data={"text/plain": shown}),)),
    )
    return Case(Failure("c1", source, FailureKind.RAISED, "LinAlgError"), Notebook(cells))


@pytest.mark.parametrize(
    "shown",
    [
        "5", "'a'", "Point(4, 6)", "[Point(x=1, y=2)]", "Counter({'a': 2})", "Timestamp('2024-03-01 00:00:00')", "[1, 2]", "array([0.8, 1.4])", "array([['a', 'b']], dtype='<U1')", "array([1, None], dtype=object)", "np.int64(3)", "np.False_",
        "(array([1, 2]), -2)", "{'a': np.float64(0.5)}",
    ],
)  # fmt: skip
def test_a_value_is_an_oracle(shown: str) -> None:
    assert read_stored_oracle(make_case("f()", shown)).expect == shown


@pytest.mark.parametrize(
    "shown",
    ["", "<Axes: >", "array([1, ..., 9])", "array([1.], dtype=float32)", "Other(x=1)", "Point(Other(1), 2)", "Fraction(1, 2)", "Point(x=a)", "np.random.rand(2)", "   a\n0  1", "array([1", "os.remove('a')"],
)  # fmt: skip
def test_what_is_no_value_is_none(shown: str) -> None:
    assert not read_stored_oracle(make_case("f()", shown)).expect


def test_arguments_are_exchanged_where_the_stored_array_comes_out() -> None:
    answer = SearchHealer(HealConfig(search_seconds=6.0)).propose(
        make_case(SOLVED, "array([0.8, 1.4])"), Starts((FakeKernel([ABOVE]),)), NoFacts(), ()
    )
    assert [e.source for e in answer.patches[0].edits] == ["np.linalg.solve(A, b)"]


def test_an_attribute_is_mended_where_the_stored_object_comes_out() -> None:
    source = "Point(1, 2).move(Point(3, 4))"
    answer = SearchHealer(HealConfig(search_seconds=20.0)).propose(
        make_case(source, "Point(4, 6)"), Starts((FakeKernel([CLASS, ABOVE]),)), NoFacts(), ()
    )
    assert "other.y)" in answer.patches[0].edits[0].source
