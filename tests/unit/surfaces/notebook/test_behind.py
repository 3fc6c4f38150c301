"""Which states that trials left behind are held, and which notebooks do the same without a network."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Cell, Keep, Notebook, Run, Trial, TrialRequest
from jupyter_selfheal.surfaces.notebook.behind import MOST_STATES, StatesBehind, needs_no_network
from jupyter_selfheal.testing.fake_kernel import FakeKernel


def leave(states: StatesBehind, first: FakeKernel, code: str, blocked: tuple[str, ...] = ()) -> tuple[Run, FakeKernel]:
    run = Run(code)
    trial, state = first.run(TrialRequest((run,), keep=Keep.ALWAYS))
    assert isinstance(trial, Trial)
    assert state is not None
    states.add(first, [run], replace(trial, blocked=blocked), state)
    return run, state


def test_the_state_behind_just_these_steps_is_taken_and_the_others_are_let_go() -> None:
    states, first = StatesBehind(), FakeKernel()
    one, state = leave(states, first, "x = 1")
    _, other = leave(states, first, "x = 2")
    taken = states.take(first, [one])
    assert taken is not None
    assert taken.state is state
    assert (state.is_closed, other.is_closed) == (False, True)
    assert states.take(first, [one]) is None


def test_another_first_state_or_another_step_takes_nothing() -> None:
    states, first = StatesBehind(), FakeKernel()
    run, state = leave(states, first, "x = 1")
    assert states.take(FakeKernel(), [run]) is None
    assert state.is_closed
    run, state = leave(states, first, "x = 1")
    assert states.take(first, [replace(run, with_asides=True)]) is None
    assert state.is_closed


def test_a_trial_that_was_kept_from_something_leaves_no_state() -> None:
    states, first = StatesBehind(), FakeKernel()
    run, state = leave(states, first, "x = 1", blocked=("network: connect",))
    assert state.is_closed
    assert states.take(first, [run]) is None


def test_few_are_held_at_once_and_all_are_let_go_in_the_end() -> None:
    states, first = StatesBehind(), FakeKernel()
    left = [leave(states, first, f"x = {n}")[1] for n in range(MOST_STATES + 1)]
    assert [s.is_closed for s in left] == [True] + [False] * MOST_STATES
    states.close()
    assert all(s.is_closed for s in left)


@pytest.mark.parametrize(
    "source",
    [
        "import pandas as pd\nfrom sklearn import svm\npd.read_csv('a.csv')  # from https://example.org",
        "%matplotlib inline\nimport math, json",
    ],
)
def test_a_notebook_that_needs_no_network(source: str) -> None:
    assert needs_no_network(Notebook((Cell("a", source),)))


@pytest.mark.parametrize(
    "source",
    [
        "import pandas as pd\npd.read_csv(base + 'a.csv')\nbase = 'http://example.org/'",
        "from sklearn.datasets import fetch_openml",
        "import seaborn as sns\nsns.load_dataset('tips')",
        "import some_package",
        "import socket",
        "import importlib",
        "!wget example.org",
        "x = (",
    ],
)
def test_one_that_may_need_a_network(source: str) -> None:
    assert not needs_no_network(Notebook((Cell("b", "x = 1"), Cell("a", source))))
