"""Questions to a frozen state: one copy answers them all, and none sees what another did."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.healers.facts import KernelFacts
from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.kernels.question_line import QuestionLine
from jupyter_selfheal.model import Keep, Probe, Run, TrialRequest
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from tests.kernel.forking import User
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel

TAKE_NEXT = "def probe(shell, last, argument):\n    print('nobody hears it')\n    return next(shell.user_ns['letters'])"
RAISE = "def probe(shell, last, argument):\n    raise ValueError(argument)"
HANG = "def probe(shell, last, argument):\n    while True: pass"
DIE = "def probe(shell, last, argument):\n    import os\n    os.kill(os.getpid(), 9)"
WRITE = "def probe(shell, last, argument):\n    open(argument, 'w').close()\n    return True"
PARENT = "def probe(shell, last, argument):\n    import os\n    return os.getppid()"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[ForkedKernel]:
    mark_descendants()
    user = User(tmp_path)
    user.run("letters = iter('abc')")
    state = user.freeze("after")
    yield state
    state.close()
    user.stop()
    assert wait_until(lambda: all(is_gone(pid) for pid in list_marked()))


def test_no_question_sees_what_another_did_and_none_outlives_its_answer(state: ForkedKernel, tmp_path: Path) -> None:
    line = state.open_questions()
    line.prepare(TAKE_NEXT)
    assert [line.ask(Probe(TAKE_NEXT, timeout=20)) for _ in range(3)] == ["a", "a", "a"]
    assert line.ask(Probe(RAISE, "no", timeout=20)) is None
    assert line.ask(Probe(DIE, timeout=20)) is None
    assert line.ask(Probe(HANG, timeout=0.05)) is None
    assert line.ask(Probe("this is no Python", timeout=20)) is None
    assert line.ask(Probe(WRITE, str(tmp_path / "written"), timeout=20)) is True
    assert not (tmp_path / "written").exists()
    first, second = (line.ask(Probe(PARENT, timeout=20)) for _ in range(2))
    assert first == second, "the copy that is asked is one and the same"
    line.close()
    line.close()
    assert wait_until(lambda: is_gone(first))
    with pytest.raises((KernelError, OSError)):
        line.ask(Probe(TAKE_NEXT, timeout=20))


def test_facts_ask_on_where_the_copy_has_ended_and_nothing_is_left_of_it(state: ForkedKernel) -> None:
    facts = KernelFacts(state)
    facts.open_line(TAKE_NEXT)
    asked = facts.ask(PARENT)
    assert isinstance(asked, int)
    os.kill(asked, signal.SIGKILL)
    after_its_end = facts.ask(PARENT, "asked of another")
    assert isinstance(after_its_end, int)
    assert after_its_end != asked
    facts.close()
    assert wait_until(lambda: is_gone(after_its_end))
    again = facts.ask(PARENT, "asked anew")
    assert isinstance(again, int)
    assert again != after_its_end
    state.close()
    assert wait_until(lambda: is_gone(again))
    assert facts.ask(TAKE_NEXT) is None
    facts.close()


def test_of_two_copies_one_is_asked_and_none_is_kept_by_who_has_closed(state: ForkedKernel) -> None:
    """As where a heal ends, or asks, while the copy is made ahead."""
    made: list[QuestionLine] = []

    class SlowKernel:
        isolation, start, is_exact = state.isolation, state.start, state.is_exact
        run, close = state.run, state.close

        def open_questions(self) -> QuestionLine:
            made.append(state.open_questions())
            if len(made) > 1:
                facts.close()
            return made[-1]

    facts = KernelFacts(SlowKernel())
    facts.open_line(TAKE_NEXT)
    facts.open_line(TAKE_NEXT)
    for line in made:
        with pytest.raises((KernelError, OSError)):
            line.ask(Probe(PARENT, timeout=20))
    facts.open_line(TAKE_NEXT)
    assert facts.ask(TAKE_NEXT) is None, "closed once more while the copy was made"


def test_a_state_that_is_closed_leaves_neither_the_copy_nor_its_channels(state: ForkedKernel) -> None:
    """As behind a patch, where nobody closes the facts of a state that is gone."""
    line = state.open_questions()
    asked = line.ask(Probe(PARENT, timeout=20))
    assert isinstance(asked, int)
    state.close()
    assert [end.fileno() for end in (line._channels.results, line._channels.status)] == [-1, -1]
    assert wait_until(lambda: is_gone(asked))


def test_brief_tracebacks_are_those_of_one_trial_and_no_state_is_left_with_them(state: ForkedKernel) -> None:
    fails = (Run("ratio = 1 / 0", "c"),)
    trial, kept = state.run(TrialRequest(fails, keep=Keep.ALWAYS, is_brief=True, timeout=60))
    (error,) = trial.steps[0].errors
    assert (error.ename, error.line) == ("ZeroDivisionError", 1)
    assert error.traceback.strip().endswith("ZeroDivisionError: division by zero")
    assert "---->" not in error.traceback
    assert kept is not None
    drawn, _ = kept.run(TrialRequest(fails, timeout=60))
    assert "----> 1 ratio = 1 / 0" in drawn.steps[0].errors[0].traceback
    kept.close()
