"""The worker as a process: what goes in on stdin, what comes out on stdout, and that nothing else ever does."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest

from jupyter_selfheal import messages as m
from jupyter_selfheal import wire
from jupyter_selfheal._version import __version__
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.jsonl import read_journal
from jupyter_selfheal.model import Case, Cell, Choice, Decision, Failure, Notebook, Patch, Reason, Replace, Start
from jupyter_selfheal.surfaces.worker.running_heal import (
    UNLIKELY,
    UNLIKELY_AFTER,
    RunningHeal,
    format_progress,
    shorten_search,
)
from tests.waiting import PATIENCE

M = TypeVar("M")
CONFIG = HealConfig(healers=("rules",))
CASE = Case(
    Failure("c1", "xrange(3)", ename="NameError", evalue="name 'xrange' is not defined", line=1, statement=0),
    Notebook((Cell("c1", "xrange(3)"),)),
)
PATCH = Patch((Replace("c1", "xrange(3)", "range(3)"),), "Write `range`")


class Pipe:
    """A worker at the other end of two pipes."""

    def __init__(self, folder: Path) -> None:
        env = {**os.environ, "JUPYTER_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"}
        self.log = open(folder / "log", "wb")  # noqa: SIM115 (closed with the pipe)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_selfheal.surfaces.worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=env,
        )  # fmt: skip
        self.lines: list[bytes] = []
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._messages.put(wire.loads(line))

    def send(self, message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(wire.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def wait_for(self, kind: type[M]) -> M:
        """The next message of that class; others before it are passed over."""
        while True:
            found = self._messages.get(timeout=PATIENCE)
            if isinstance(found, kind):
                return found

    def close(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Pipe]:
    pipe = Pipe(tmp_path)
    yield pipe
    if pipe.process.poll() is None:
        pipe.process.kill()
        pipe.process.wait()
    pipe.reader.join(PATIENCE)
    for file in (pipe.process.stdin, pipe.process.stdout, pipe.log):
        assert file is not None
        file.close()


def test_a_heal_from_hello_to_finished_and_the_end_of_input_is_the_end(worker: Pipe, tmp_path: Path) -> None:
    ready = worker.wait_for(m.Ready)
    assert (ready.version, ready.pid, Path(ready.log)) == (__version__, worker.process.pid, tmp_path / "log")
    worker.send(m.Hello(__version__))
    worker.send(m.Heal("run-1", CASE, config=CONFIG, unproven="a thread runs"))
    proposed = worker.wait_for(m.Proposed)
    assert proposed.proposal.proven_from == ()
    assert proposed.proposal.candidates[0].patch.source_of("c1", "") == "range(3)"
    worker.send(m.AskStatus())
    status = worker.wait_for(m.Status)
    assert (status.running, status.waiting) == ("run-1", True)
    worker.send(m.Decide("run-1", Decision(Choice.APPROVE)))
    finished = worker.wait_for(m.Finished)
    assert finished.outcome.reason is Reason.HEALED
    assert read_journal(Path(finished.journal)).records[-1].body["$"] == "Ended"
    assert worker.close() == 0


def test_a_heal_that_waits_for_its_user_does_not_hold_up_the_next(worker: Pipe) -> None:
    worker.send(m.Heal("first", CASE, config=CONFIG, unproven="no fork"))
    assert worker.wait_for(m.Proposed).run == "first"
    worker.send(m.Heal("second", CASE, config=CONFIG, unproven="no fork"))
    assert worker.wait_for(m.Proposed).run == "second"
    worker.send(m.Cancel("first"))
    finished = worker.wait_for(m.Finished)
    assert (finished.run, finished.outcome.reason) == ("first", Reason.CANCELLED)
    worker.send(m.Decide("second", Decision(Choice.STOP)))
    assert worker.wait_for(m.Finished).run == "second"


def test_the_same_run_again_has_a_journal_of_its_own(worker: Pipe) -> None:
    journals = []
    for _ in range(2):
        worker.send(m.Heal("again", CASE, config=CONFIG, unproven="no fork"))
        worker.wait_for(m.Proposed)
        worker.send(m.Decide("again", Decision(Choice.STOP)))
        journals.append(worker.wait_for(m.Finished).journal)
    assert [Path(j).stem for j in journals] == ["again", "again-2"]


def test_a_state_that_is_gone_is_said_and_nothing_breaks(worker: Pipe) -> None:
    nowhere = m.StateAddress("/nowhere/at.sock", Start.AFTER_FAILURE)
    worker.send(m.Heal("gone", CASE, (nowhere,), CONFIG))
    notes = worker.wait_for(m.Proposed).proposal.notes
    assert any("expired" in note for note in notes)
    worker.send(m.Prove("gone", CASE, PATCH, (nowhere,), CONFIG))
    assert "expired" in worker.wait_for(m.Proven).error


def test_garbage_and_late_words_are_answered_with_a_notice(worker: Pipe) -> None:
    assert worker.process.stdin is not None
    worker.process.stdin.write(b"not a message\n")
    worker.process.stdin.flush()
    assert worker.wait_for(m.Notice).level == "error"
    worker.send(m.Decide("nobody", Decision(Choice.APPROVE)))
    assert "ended" in worker.wait_for(m.Notice).text
    worker.send(m.AskSent("nobody"))
    assert worker.wait_for(m.Sent).records == ()


def test_the_end_of_input_ends_a_heal_that_waits(worker: Pipe) -> None:
    worker.send(m.Heal("waits", CASE, config=CONFIG, unproven="no fork"))
    worker.wait_for(m.Proposed)
    assert worker.close() == 0
    assert all(line.startswith(b'{"v":1,') for line in worker.lines)


def test_a_live_search_is_shorter_unless_its_time_was_set() -> None:
    assert shorten_search(HealConfig()).search_seconds == 10
    assert shorten_search(HealConfig(search_seconds=45)).search_seconds == 45


def test_who_waits_is_told_what_is_done_in_words() -> None:
    """A trace names patches by their ids; a card and a terminal do not."""
    failing = {"steps": [{"errors": [{"ename": "KeyError", "evalue": "'a'"}]}]}
    assert format_progress("TrialEnded", {"trial": failing}) == "An idea that does not work: KeyError: 'a'"
    assert format_progress("TrialEnded", {"trial": {"ending": "timed_out"}}) == "An idea that does not work: timed out"
    assert format_progress("TrialEnded", {"trial": {"steps": [{}]}}) == "An idea that runs: checking what it gives…"
    assert format_progress("Scored", {}) == "Comparing what they give…"
    assert "87203de3" not in format_progress("Derived", {"patch_id": "87203de3"}), (
        "a number of ours tells a user nothing"
    )


@pytest.mark.parametrize(
    ("working", "waiting", "told"), [(True, False, [UNLIKELY]), (True, True, []), (False, False, [])]
)
def test_who_waits_is_told_that_a_fix_is_unlikely_by_now_and_nobody_else(
    working: bool, waiting: bool, told: list[str]
) -> None:
    sent: list[m.FromWorker] = []
    heal = RunningHeal(m.Heal("run-1", CASE, config=CONFIG), sent.append, threading.Lock(), lambda *_: None)
    heal.working, heal.waiting = working, waiting
    heal.say_unlikely()
    assert [message.text for message in sent if isinstance(message, m.Progress)] == told


class Timer(threading.Thread):
    """One that waits until it is told that its time has come."""

    made: ClassVar[list[Timer]]

    def __init__(self, seconds: float, function: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.seconds, self.tell, self.ends = seconds, function, ""
        self.made.append(self)

    def start(self) -> None:
        self.ends = "started"

    def cancel(self) -> None:
        self.ends += ", cancelled"


@pytest.mark.parametrize(
    ("config", "told", "ends"),
    [
        (CONFIG, [UNLIKELY], "started, cancelled"),
        (replace(CONFIG, healers=("rules", "language_model")), [], ", cancelled"),
        (replace(CONFIG, healers=("rules", "language_model"), offline=True), [UNLIKELY], "started, cancelled"),
    ],
    ids=["free healers", "a model is asked", "a model that may not be asked"],
)
def test_the_word_comes_after_the_time_of_the_search_and_its_trials_while_it_works_and_never_after(
    monkeypatch: pytest.MonkeyPatch, config: HealConfig, told: list[str], ends: str
) -> None:
    Timer.made = []
    monkeypatch.setattr(threading, "Timer", Timer)
    sent: list[m.FromWorker] = []
    slow = replace(CASE, failure=replace(CASE.failure, seconds=3.0))
    heal = RunningHeal(m.Heal("run-1", slow, config=config), sent.append, threading.Lock(), lambda *_: None)
    with heal.tell_in_time():
        (timer,) = Timer.made
        if timer.ends:
            timer.tell()
    timer.tell()
    assert [message.text for message in sent if isinstance(message, m.Progress)] == told
    assert (timer.ends, timer.seconds) == (ends, UNLIKELY_AFTER + 4 * 3.0)
