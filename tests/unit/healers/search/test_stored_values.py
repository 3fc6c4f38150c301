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

ABOVE = "import numpy as np\nA = np.array([[2, 1], [1, 3]])\nb = np.array([3, 5])"
SOLVED = "np.linalg.solve(b, A)"


def make_case(source: str, shown: str) -> Case:
    cells = (
        Cell("c0", ABOVE),
        Cell("c1", source, outputs=(Output("execute_result", data={"text/plain": shown}),)),
    )
    return Case(Failure("c1", source, FailureKind.RAISED, "LinAlgError"), Notebook(cells))


@pytest.mark.parametrize(
    "shown",
    [
        "5", "'a'", "[1, 2]", "array([0.8, 1.4])", "array([['a', 'b']], dtype='<U1')", "array([1, None], dtype=object)", "np.int64(3)", "np.False_",
        "(array([1, 2]), -2)", "{'a': np.float64(0.5)}",
    ],
)  # fmt: skip
def test_a_value_is_an_oracle(shown: str) -> None:
    assert read_stored_oracle(make_case("f()", shown)).expect == shown


@pytest.mark.parametrize(
    "shown",
    ["", "<Axes: >", "array([1, ..., 9])", "array([1.], dtype=float32)", "Point(x=1)", "np.random.rand(2)", "   a\n0  1", "array([1", "os.remove('a')"],
)  # fmt: skip
def test_what_is_no_value_is_none(shown: str) -> None:
    assert not read_stored_oracle(make_case("f()", shown)).expect


def test_arguments_are_exchanged_where_the_stored_array_comes_out() -> None:
    answer = SearchHealer(HealConfig(search_seconds=6.0)).propose(
        make_case(SOLVED, "array([0.8, 1.4])"), Starts((FakeKernel([ABOVE]),)), NoFacts(), ()
    )
    assert [e.source for e in answer.patches[0].edits] == ["np.linalg.solve(A, b)"]
