"""What copies before cells may cost."""

from __future__ import annotations

from jupyter_selfheal.surfaces.live.checkpoint import CopyAllowance


def count_copies(allowance: CopyAllowance, cost_ms: float, cells: int, seconds: float = 0.0) -> int:
    made = 0
    for _ in range(cells):
        if allowance.is_enough:
            allowance.record_cost(cost_ms)
            allowance.spend(cost_ms)
            made += 1
        allowance.earn(seconds)
    return made


def test_cheap_copies_are_made_before_every_cell() -> None:
    assert count_copies(CopyAllowance(), 3.0, 50) == 50


def test_dear_copies_are_made_before_some_short_cells_and_before_all_long_ones() -> None:
    assert 10 <= count_copies(CopyAllowance(), 30.0, 50) < 20
    assert count_copies(CopyAllowance(), 30.0, 50, seconds=2.0) == 50


def test_a_copy_dearer_than_can_be_saved_is_made_once() -> None:
    assert count_copies(CopyAllowance(), 5000.0, 500) == 1


def test_one_slow_copy_on_a_loaded_machine_changes_nothing() -> None:
    allowance = CopyAllowance()
    for cost in (3.0, 90.0, 3.0):
        assert allowance.is_enough
        allowance.record_cost(cost)
        allowance.spend(cost)
        allowance.earn(0.0)
    assert allowance.expected_ms == 3.0
    assert allowance.is_enough
