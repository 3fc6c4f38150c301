"""Heals in every state a session can get into: closed, rejected, paused, killed, restarted, one after the other."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.live.conftest import LiveKernel
from tests.waiting import PATIENCE

pytestmark = pytest.mark.kernel

PROVEN = "fix ready, tested"
SESSION = "get_ipython()._jupyter_selfheal"
TYPO = "items = [1, 2]\nitems.appendd(3)\nprint(len(items))"


def first_line(kernel: LiveKernel) -> str:
    return kernel.card().splitlines()[0]


def settled(kernel: LiveKernel, shown: int = 1) -> str:
    """The newest card's first line, once that many cards are shown and the last one no longer works."""
    kernel.wait_for(lambda: len(kernel.displays) >= shown and "healing" not in first_line(kernel), "an end")
    return first_line(kernel)


def workers(kernel: LiveKernel) -> list[psutil.Process]:
    return [process for process, command in kernel.commands() if "surfaces.worker.__main__" in command]


def test_closed_heal_is_tried_again_with_a_hint(loaded: LiveKernel) -> None:
    loaded.run("def last(items):\n    return items[0]", "f")
    loaded.run("table = {}\ntable['a']['b']", "c", allow_stdin=True)
    closed = settled(loaded)
    assert PROVEN not in closed
    assert loaded.run('%heal retry "it is a nested table"')["status"] == "ok"
    assert settled(loaded) == closed
    journals = sorted((loaded.data / "selfheal" / "runs").glob("*.jsonl"), key=lambda p: p.stat().st_mtime)
    assert "it is a nested table" in journals[-1].read_text()


def record_sent(kernel: LiveKernel) -> None:
    """Have the kernel note what it sends to its worker, under ``sent`` and ``messages``, with copies that it can pay for
    though each takes long on a machine that does much else."""
    kernel.run(f"sent, messages, send = [], [], {SESSION}.client.send")
    note = "sent.append(type(message).__name__), messages.append(message), send(message)"
    kernel.run(f"{SESSION}.client.send = lambda message: ({note})[-1]\n{SESSION}.checkpoints.allowance.saved_ms = 1e9")


@pytest.mark.slow
def test_a_failing_cell_runs_again_while_its_traceback_is_drawn(loaded: LiveKernel) -> None:
    record_sent(loaded)
    loaded.run("1 / 0", "a", allow_stdin=True)  # the first one waits for nothing that it needs not
    settled(loaded)
    loaded.run("%heal stop")
    assert loaded.value("[name for name in sent if name != 'Decide']") == "['Heal']"
    loaded.run(TYPO, "b", allow_stdin=True)
    assert PROVEN in settled(loaded, 2)
    loaded.run("%heal stop")
    assert loaded.value("[name for name in sent if name != 'Decide']") == "['Heal', 'Reproduce', 'Heal']"
    seconds = "len({m.case.failure.seconds for m in messages if type(m).__name__ in ('Heal', 'Reproduce')})"
    assert loaded.value(seconds) == "2", "both are of the moment when it raised: the time limit hangs on it"
    loaded.run("items = [", "c", allow_stdin=True)  # nothing ran that could run again
    settled(loaded, 3)
    loaded.run("%heal stop\nimport jupyter_selfheal.surfaces.live.resume as resume\nresume.LONG_SECONDS = 0.0")
    loaded.run(TYPO, "d", allow_stdin=True)  # it took long
    assert PROVEN in settled(loaded, 4)
    assert loaded.value("[name for name in sent if name != 'Decide'][3:]") == "['Heal', 'Heal']"


def test_what_nobody_wants_healed_does_not_run_again(loaded: LiveKernel) -> None:
    record_sent(loaded)
    loaded.run(TYPO, "r", allow_stdin=True)
    assert PROVEN in settled(loaded)
    loaded.run("%heal reject")
    settled(loaded)
    loaded.run("%heal stop")
    loaded.run("sent.clear()")
    assert "you rejected the fix" in loaded.run(TYPO, "r", allow_stdin=True)["text"]
    tagged = {"cellId": "t", "tags": ["raises-exception"]}
    assert loaded.run(TYPO, metadata=tagged, allow_stdin=True)["ename"] == "AttributeError"
    usage = "from IPython.core.error import UsageError\nraise UsageError('no such option')"
    assert loaded.run(usage, "u", allow_stdin=True)["status"] == "error"
    assert loaded.value("sent") == "[]"
    loaded.run(TYPO, "b", allow_stdin=True)
    assert PROVEN in settled(loaded, 2)
    assert loaded.value("[name for name in sent if name != 'Decide']") == "['Reproduce', 'Heal']"


@pytest.mark.slow
def test_three_rejections_pause_and_it_goes_on_when_told(loaded: LiveKernel) -> None:
    loaded.run("def last(items):\n    return items[0]", "f")
    loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "c", allow_stdin=True)
    titles = set()
    for number in range(3):
        loaded.card(PROVEN)
        titles.add("".join(line for line in loaded.card().splitlines() if line.startswith("+")))
        assert loaded.run(f"%heal reject 'reason {number}'")["status"] == "ok"
        loaded.wait_for(lambda: "healing" not in first_line(loaded), "the next word")
    assert len(titles) > 1
    assert "Paused: 3 proposals were rejected" in first_line(loaded)
    assert "there is nothing to do that with" in str(loaded.run("%heal reject"))
    loaded.run("%heal continue")
    assert "Paused" not in settled(loaded)


WAITS_FOR_THE_ANSWER = """
def send_and_wait(message, send=SESSION.client.send):
    is_sent = send(message)
    if type(message).__name__ == "Decide":
        SESSION.heals.latest.settled.wait(30)
    return is_sent
SESSION.client.send = send_and_wait"""
"""The main thread goes on only when the worker's answer to a decision was taken in, as on a loaded machine it may."""


@pytest.mark.slow
def test_answer_that_comes_before_the_decision_was_sent_through_is_shown(loaded: LiveKernel) -> None:
    loaded.run("def last(items):\n    return items[0]", "f")
    loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "c", allow_stdin=True)
    first = loaded.card(PROVEN)
    assert loaded.run(WAITS_FOR_THE_ANSWER.replace("SESSION", SESSION))["status"] == "ok"
    assert loaded.run("%heal reject")["status"] == "ok"
    assert PROVEN in settled(loaded)
    assert loaded.card().splitlines()[1] != first.splitlines()[1]


@pytest.mark.slow
def test_second_failure_before_the_first_heal_ended(loaded: LiveKernel) -> None:
    loaded.run(TYPO, "a", allow_stdin=True)
    loaded.run("words = 'b'.uper()", "b", allow_stdin=True)
    loaded.run("print(math.pi)", "c", allow_stdin=True)
    loaded.wait_for(
        lambda: len(loaded.displays) == 3 and all(PROVEN in t for t in loaded.displays.values()), "three fixes"
    )
    assert [("append(3)" in t, "upper()" in t, "import math" in t) for t in loaded.displays.values()] == [
        (True, False, False), (False, True, False), (False, False, True),
    ]  # fmt: skip


def test_rejection_after_other_cells_ran_is_followed_by_another_fix(loaded: LiveKernel) -> None:
    loaded.run("def last(items):\n    return items[0]", "f")
    loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "c", allow_stdin=True)
    loaded.card(PROVEN)
    latest = f"{SESSION}.heals.latest"
    proof = f"({latest}.card.ran_since, {latest}.proving, str({latest}.card.notes).count('Proven again'))"
    for number in range(4):
        loaded.run(f"other = {number}", f"d{number}")
        loaded.wait_for(lambda: loaded.value(proof) == "(0, False, 1)", "a proof, which is told once")
    first = loaded.card().splitlines()[1]
    assert "should be" in first, "the fix's own line: the cell's name, below it, stands over every fix"
    loaded.run("%heal reject")
    loaded.wait_for(lambda: first not in loaded.card().splitlines(), "another word")
    assert PROVEN in settled(loaded)
    assert "decided" not in loaded.value(f"{latest}.card.attempts"), "the words of the journal are not the user's"


@pytest.mark.slow
def test_worker_that_dies_often_stays_off_with_a_notice(loaded: LiveKernel) -> None:
    for number in range(4):
        loaded.run(f"{TYPO}  # {number}", f"c{number}", allow_stdin=True)
        settled(loaded, number + 1)
        (worker,) = workers(loaded)
        worker.kill()
        loaded.card("your kernel is fine")
    assert "It stays off in this session" in loaded.card()
    loaded.run(f"{TYPO}  # last", "z", allow_stdin=True)
    assert "Healing is off" in loaded.card("Healing is off")
    assert loaded.run("print(40 + 2)")["text"].strip() == "42"
    assert "not running" in loaded.run("%heal status")["text"]
    loaded.wait_for(lambda: loaded.children() == [], "the end of all that was ours")


@pytest.mark.parametrize(
    "stage", ["working", *(pytest.param(s, marks=pytest.mark.slow) for s in ("started", "paused"))]
)
def test_worker_may_die_at_any_stage(loaded: LiveKernel, stage: str) -> None:
    loaded.run("def last(items):\n    return items[0]", "f")
    loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "c", allow_stdin=True)
    if stage == "working":
        loaded.wait_for(lambda: "asked" in loaded.card() or "healing" not in first_line(loaded))
    if stage == "paused":
        for _ in range(3):
            settled(loaded)
            loaded.run("%heal reject")
        assert "Paused" in settled(loaded)
    for worker in workers(loaded):
        os.kill(worker.pid, signal.SIGKILL)
    loaded.card("your kernel is fine")
    loaded.run(TYPO, "d", allow_stdin=True)
    assert "+items.append(3)" in loaded.card(PROVEN)


@pytest.mark.slow
def test_trials_may_be_killed_while_they_run(loaded: LiveKernel) -> None:
    cell = "import time\nitems = [1]\ntime.sleep(1)\nitems.appendd(2)\nprint(items)"
    loaded.run(cell, "c", allow_stdin=True)
    zygotes = {p.pid for p in psutil.Process(loaded.pid).children()}
    trials = []
    loaded.wait_for(
        lambda: bool(trials.extend(p for p in loaded.children() if p.pid not in zygotes) or trials), "a trial"
    )
    for trial in trials:
        if trial.is_running():
            os.kill(trial.pid, signal.SIGKILL)
    settled(loaded)
    assert loaded.run("print(2 + 2)")["text"].strip() == "4"
    loaded.run(TYPO, "d", allow_stdin=True)
    assert "+items.append(3)" in loaded.card(PROVEN)


def test_reset_of_the_namespace_leaves_healing_on(loaded: LiveKernel) -> None:
    loaded.run(TYPO, "c", allow_stdin=True)
    loaded.card(PROVEN)
    assert loaded.run("%reset -f")["status"] == "ok"
    loaded.run("words = 'b'.uper()", "d", allow_stdin=True)
    assert "+words = 'b'.upper()" in loaded.card(PROVEN)


@pytest.mark.slow
def test_restart_while_it_waits_leaves_nothing(loaded: LiveKernel) -> None:
    loaded.run(TYPO, "c", allow_stdin=True)
    loaded.card(PROVEN)
    ours = loaded.children()
    loaded.manager.restart_kernel()
    _, alive = psutil.wait_procs(ours, timeout=PATIENCE)
    assert not alive
    loaded.client.wait_for_ready(timeout=PATIENCE)
    assert loaded.run("print('items' in globals())")["text"].strip() == "False"


def test_script_that_fails_under_run_is_no_cell_of_the_notebook(loaded: LiveKernel, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("values = []\nvalues.appendd(1)\n")
    reply = loaded.run(f"%run {tmp_path / 'script.py'}", "c", allow_stdin=True)
    assert "AttributeError" in str(reply["outputs"])
    loaded.run(TYPO, "d", allow_stdin=True)
    assert "+items.append(3)" in loaded.card(PROVEN)
    assert len(loaded.displays) == 1


def test_waiting_cell_that_is_healed_lets_run_all_go_on(loaded: LiveKernel) -> None:
    loaded.run("%heal auto on")
    reply = loaded.run("%%heal --wait\nvalues = [1.5]\nprint(math.floor(values[0]))", "c", allow_stdin=True)
    assert reply["status"] == "ok"
    assert "approved: it is safe" in reply["text"]
    assert loaded.run("print(values)", "d")["text"].strip() == "[1.5]"


def test_undo_is_not_over_what_came_later(loaded: LiveKernel) -> None:
    loaded.run(TYPO, "c", allow_stdin=True)
    loaded.card(PROVEN)
    loaded.run("%heal approve")
    loaded.run("items = ['mine']", "d")
    undone = loaded.run("%heal undo")
    (payload,) = [p for p in undone["payload"] if p["source"] == "set_next_input"]
    assert payload["text"] == TYPO  # in the cell of `%heal undo` itself; the variables stay as they are
    assert loaded.value("items") == "['mine']"


def test_failure_without_a_copy_before_its_cell_is_healed_from_the_whole_cell(loaded: LiveKernel) -> None:
    """The cell made names of its own and changed nothing: run again, it gives what it would have given."""
    loaded.run(f"vals = [1, 3, 6]\n{SESSION}.checkpoints.allowance.saved_ms = -1e9")
    cell = "assert_sum = 5\ndiffs = []\nfor i in range(len(vals)):\n    diffs.append(vals[i + 1] - vals[i])\n"
    loaded.run(cell + "assert sum(diffs) == assert_sum and len(diffs) == 2", "c", allow_stdin=True)
    assert "before 1 of the last 2 cells" in loaded.run("%heal status")["text"]
    card = loaded.card(PROVEN)
    assert "after the failure (the whole cell run again)" in card
    assert loaded.run("%heal approve")["status"] == "ok"
    assert loaded.value("diffs") == "[2, 3]"


def test_what_a_method_of_the_notebook_changed_is_not_done_again_where_no_copy_is(loaded: LiveKernel) -> None:
    """The first assert would fail from the state that the second one left: that is not said to be the same state."""
    shelf = "class Shelf:\n    lent = 0\n    def lend(self):\n        self.lent += 1\n        return self.lent < 2\nshelf = Shelf()"
    loaded.run(f"{shelf}\n{SESSION}.checkpoints.allowance.saved_ms = -1e9")
    loaded.run("assert shelf.lend() is True\nassert shelf.lend() is None", "c", allow_stdin=True)
    assert "it changes `shelf`: only what is left of it was tried" in loaded.card("No working fix found")


@pytest.mark.slow
def test_own_version_of_an_old_failure_is_tested_from_now(loaded: LiveKernel) -> None:
    """Later failures took its frozen states: the text is not lost, and what is tested is the state as it is."""
    loaded.run("items = [1, 2]")
    loaded.run("items.appendd(3)\nprint(len(items))", "a", allow_stdin=True)
    loaded.card(PROVEN)
    oldest = loaded.value(f"{SESSION}.heals.latest.run").strip("'")
    for number in range(3):
        loaded.run(f"'b{number}'.uper()", f"b{number}", allow_stdin=True)
        loaded.wait_for(lambda number=number: len(loaded.displays) == number + 2 and PROVEN in loaded.card(), "a fix")  # type: ignore[misc]
    heal = f"{SESSION}.heals.get({oldest!r})"
    assert loaded.value(f"{heal}.card.expired") == "True"
    assert loaded.value(f"{heal}.card.ran_since") == "3"
    loaded.run("%heal approve")
    loaded.run("other = len(items)", "o")  # the newest that waits is another one now
    assert loaded.value(f"{heal}.card.stale") == "{'o': ('cell [8]', 'items')}"
    notes = f"[h.card.notes for h in {SESSION}.heals][2]"
    loaded.wait_for(lambda: "Proven again" in loaded.value(notes), "a proof of the newest that waits")
    lend = f"{SESSION}.checkpoints.freeze_now({oldest!r}, is_loan=True)"  # as a proof that is under way has one
    loaded.run(f"{lend}\n{SESSION}.on_main({oldest!r}, 'edit', '', 'items.append(30)\\nprint(len(items))')")
    loaded.wait_for(lambda: loaded.value(f"{heal}.card.phase") == "'proposed'", "its own version, tested")
    assert "items.append(30)" in loaded.value(f"{heal}.card.candidates[0].patch.edits[0].source")
    assert loaded.value(f"{heal}.card.ran_since") == "0", "it was tested after them"
    assert loaded.value(f"{heal}.card.proposal[0].proven_from") != "()"


def test_fix_of_a_cell_that_has_run_again_is_offered_no_more(loaded: LiveKernel) -> None:
    """Its card went with the cell's outputs: nobody can see what would be approved. Another cell's run leaves it."""
    loaded.run("items = [1]\nitems.appendd(2)", "again", allow_stdin=True)
    loaded.card(PROVEN)
    loaded.run("before = 1", "other")
    assert loaded.value(f"{SESSION}.heals.latest.card.phase") == "'proposed'"
    loaded.run("items = [7]", "again")
    refused = loaded.run("%heal approve")
    said = refused["text"] + str(refused.get("evalue"))
    assert "there is nothing to do that with. The last heal: " in said
    assert "Run the cell that fails for a new heal." in said
    assert loaded.value("items") == "[7]"


@pytest.mark.slow
def test_fix_that_is_still_looked_for_when_its_cell_runs_again_is_not_offered_later(loaded: LiveKernel) -> None:
    """Who sees the slip mends it and runs the cell: no page is then told of a fix that is ready, and whose card nobody has."""
    loaded.run("import time\ntime.sleep(3)\nitems = [1]\nitems.appendd(2)", "again", allow_stdin=True)
    assert loaded.value(f"{SESSION}.heals.latest.card.phase") == "'healing'"
    loaded.run("items = [7]", "again")
    assert loaded.value(f"({SESSION}.heals.latest.card.phase, {SESSION}.heals.newest_offer)") == "('closed', None)"
    loaded.wait_for(lambda: loaded.value(f"len({SESSION}.heals.latest.outcome)") == "1", "the end of that heal")
    assert loaded.value(f"{SESSION}.heals.latest.card.status") == "'The cell has run again.'"
    loaded.run(TYPO, "again", allow_stdin=True)
    assert PROVEN in settled(loaded, 2)


def test_once_the_newest_fix_is_decided_commands_are_about_the_next_that_waits(loaded: LiveKernel) -> None:
    """Where no page has buttons a command is all there is; a fix that waits can be had by it, and what had none leads to no other fix."""
    loaded.run("word = 'a'.uper()", "first", allow_stdin=True)
    loaded.card(PROVEN)
    loaded.run(TYPO, "second", allow_stdin=True)
    assert PROVEN in settled(loaded, 2)
    first = loaded.run("%heal approve")["text"]
    assert "Healed: Change `.appendd` to `.append`" in first
    assert "Next: " in first
    assert "Change `.uper` to `.upper` · `%heal approve`" in first
    second = loaded.run("%heal approve")["text"]
    assert "Healed: Change `.uper` to `.upper`" in second
    assert "Next: " not in second
    assert loaded.value("(word, items)") == "('A', [1, 2, 3])"
    assert loaded.run("%heal undo")["payload"][0]["text"] == "word = 'a'.uper()", "what was put in last"
    assert "that fix was taken back already" in str(loaded.run("%heal undo"))
    assert loaded.run("%heal undo 1")["payload"][0]["text"] == TYPO


def test_failure_without_a_fix_leads_to_no_other_fix(loaded: LiveKernel) -> None:
    loaded.run("word = 'a'.uper()", "first", allow_stdin=True)
    loaded.card(PROVEN)
    loaded.run("raise ValueError('stop here')", "second", allow_stdin=True)
    assert PROVEN not in settled(loaded, 2)
    refused = loaded.run("%heal approve")
    said = refused["text"] + str(refused.get("evalue"))
    assert "there is nothing to do that with. The last heal: ValueError: stop here" in said
    assert "An earlier fix waits (Change `.uper` to `.upper`): run its cell again for it." in said
    assert loaded.value("'word' in globals()") == "False"
