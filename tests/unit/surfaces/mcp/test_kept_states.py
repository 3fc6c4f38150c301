"""States outlive the run that made them exactly as long as somebody may ask for them."""

from __future__ import annotations

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import Keep, Run, TrialRequest
from jupyter_selfheal.surfaces.mcp.kept_states import KeptState, StateKeeper
from jupyter_selfheal.surfaces.mcp.meter import Meter, use_meter
from jupyter_selfheal.testing.fake_kernel import FakeKernel


def run_on(state: KeptState, number: int) -> KeptState:
    """Run a cell as a batch does, and let go of the state that it was run from."""
    _, after = state.run(TrialRequest((Run(f"x = {number}", f"c{number}"),), keep=Keep.ALWAYS))
    state.close()
    assert after is not None
    return after


def read(state: KeptState | None) -> str:
    assert state is not None
    trial, _ = state.run(TrialRequest((Run("x"),)))
    return str(trial.steps[0].outputs[0].data["text/plain"])


def test_a_state_before_a_cell_is_kept_when_the_run_goes_on() -> None:
    keeper = StateKeeper()
    state = keeper.wrap(FakeKernel(["x = -1"]))
    for number in range(3):
        state = run_on(state, number)
    assert [read(keeper.find_before(f"c{n}")) for n in range(3)] == ["-1", "0", "1"]


def test_no_more_are_kept_than_allowed_but_those_around_a_failure_always() -> None:
    keeper = StateKeeper(most=4)
    state = keeper.wrap(FakeKernel(["x = -1"]))
    for number in range(9):
        state = run_on(state, number)
        if number == 1:
            keeper.pin([state])  # the state before c2
    kept = [n for n in range(9) if keeper.find_before(f"c{n}") is not None]
    assert len(kept) <= 6
    assert 2 in kept
    assert read(keeper.find_before("c2")) == "1"


def test_a_closed_keeper_gives_no_state_any_more() -> None:
    keeper = StateKeeper()
    state = keeper.wrap(FakeKernel())
    keeper.close()
    with pytest.raises(KernelError):
        state.run(TrialRequest((Run("1"),)))
    with pytest.raises(KernelError, match="call again"):
        keeper.wrap(FakeKernel())


def test_what_is_run_is_counted_for_the_call_that_runs_it() -> None:
    keeper, mine, other = StateKeeper(), Meter(), Meter()
    state = keeper.wrap(FakeKernel())
    use_meter(mine)
    state.run(TrialRequest((Run("1"), Run("1 / 0"), Run("2"))))
    state.count_by(other).run(TrialRequest((Run("1"),)))
    use_meter(Meter())
    assert (mine.trials, mine.cells_run) == (1, 2), "the third was not come to"
    assert (other.trials, other.cells_run) == (1, 1)
