"""A cell that fails on a value which an unhealed cell above left half-made is a cascade of it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Failure
from jupyter_selfheal.surfaces.notebook.failures import LostState, find_half_made_root

LOST = (
    LostState(2, frozenset({"total"})),
    LostState(4, frozenset({"rows"}), changed=frozenset({"table", "np"}), assigned=frozenset({"table"})),
)


def find_root(source: str, statement: int = 0, *, stale: bool = True) -> int:
    failure = Failure("c", source, ename="ValueError", evalue="no", statement=statement)
    return find_half_made_root(Cell("c", source, stale=stale), failure, LOST)


@pytest.mark.parametrize(("source", "number"), [("inverse(total)", 2), ("x = 1 / len(rows)", 4)])
def test_what_reads_a_half_made_value_follows_from_the_cell_that_left_it(source: str, number: int) -> None:
    assert find_root(source) == number


@pytest.mark.parametrize("source", ["inverse(other)", "np.linalg.inv(other)", "table.merge(other)"])
def test_what_reads_none_is_a_failure_of_its_own(source: str) -> None:
    assert find_root(source) == 0


def test_another_statement_of_the_cell_does_not_count() -> None:
    assert find_root("inverse(other)\nshow(total)") == 0


def test_a_name_that_was_bound_anew_is_whole() -> None:
    assert find_root("inverse(total)", stale=False) == 0
