"""Resuming: a statement that took long ran once, in the user's kernel, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

PROVEN = "fix ready, tested"
NAMED = """\
import ctypes, time
def long(what):
    name = ctypes.CDLL(None).prctl
    name(15, what, 0, 0, 0)  # PR_SET_NAME: what this process does is seen from outside, out of any sandbox
    time.sleep(3)
    name(15, b"idle", 0, 0, 0)
calls = []
def train():
    calls.append(1)
    long(b"training")
    return [3]
def total(model):
    long(b"adding up")
    return sum(model)
"""
SIDE_EFFECT = "seen.append(1)\nwhole = math.floor(values[0])"
"""A cell that changes something before it fails: run again, it would do so twice."""
CELL = "model = train()\nmodel.appendd(4)\nprint(total(model))"


def doing(kernel: LiveKernel) -> set[str]:
    """What the processes below the kernel call themselves: trials among them."""
    found = set()
    for process in kernel.children():
        try:
            found.add(Path(f"/proc/{process.pid}/comm").read_text().strip())
        except (OSError, psutil.NoSuchProcess):
            pass  # it has just ended
    return found


@pytest.mark.parametrize("magic", ["", pytest.param("%%heal\n", marks=pytest.mark.slow)], ids=["hook", "heal"])
def test_long_first_statement_runs_once_in_kernel_and_trials_together(loaded: LiveKernel, magic: str) -> None:
    loaded.run(NAMED)
    assert loaded.run(magic + CELL, "c", allow_stdin=True)["status"] == "error"
    seen: set[str] = set()
    loaded.wait_for(lambda: bool(seen.update(doing(loaded)) or PROVEN in loaded.card()), "a fix")
    assert "adding up" in seen  # a trial ran what was left of the cell
    assert "training" not in seen
    assert "proven from after the failure" in loaded.card()
    reply = loaded.run("%heal resume")
    assert reply["status"] == "ok"
    assert reply["text"].startswith("7\nHealed: Change `.appendd` to `.append`")
    (payload,) = [p for p in reply["payload"] if p["source"] == "set_next_input"]
    assert payload["text"] == magic + CELL.replace("appendd", "append")
    assert loaded.value("calls") == "[1]"


def test_proof_of_a_resume_runs_what_the_resume_runs(loaded: LiveKernel) -> None:
    """Other cells ran since: the proof is from the state as it is, in which a name that the first statement made is gone."""
    loaded.run("values = [1.5]")
    assert loaded.run("kept = list(values)\nkept.appendd(2)", "c", allow_stdin=True)["status"] == "error"
    loaded.card(PROVEN)
    loaded.run("del kept", "d")
    notes = "str(get_ipython()._jupyter_selfheal.heals.latest.card.notes)"
    loaded.wait_for(lambda: "Proven again" in loaded.value(notes), "a proof of the whole cell")
    assert "could not be proven from the state as it is now" in loaded.run("%heal resume")["text"]
    assert loaded.value("'kept' in globals()") == "False"
    assert loaded.run("%heal approve")["status"] == "ok"
    assert loaded.value("kept") == "[1.5, 2]"


def test_auto_runs_nothing_twice(loaded: LiveKernel) -> None:
    loaded.run("%heal auto on\nseen, values = [], [1.5]")
    reply = loaded.run(f"%%heal --wait\n{SIDE_EFFECT}", "c")
    assert reply["status"] == "ok"
    assert "what ran is not run again" in reply["text"]
    assert loaded.value("[seen, whole]") == "[[1], 1]"


def test_auto_asks_where_something_would_be_done_twice(loaded: LiveKernel) -> None:
    loaded.run("%heal auto on\nseen, values = [], [1.5]")
    reply = loaded.run("%%heal --wait\nfor v in values:\n    seen.append(v)\n    whole = math.floor(v)", "c")
    assert reply["status"] == "error"
    assert (
        "repeats what it did before it failed: it changes `seen`, so it is not applied without asking" in reply["text"]
    )
    assert loaded.value("seen") == "[1.5]"


def test_card_says_what_approving_does_twice(loaded: LiveKernel) -> None:
    loaded.run("seen, values = [], [1.5]")
    loaded.run(SIDE_EFFECT, "c", allow_stdin=True)
    assert "it changes `seen`; Resume runs only what is left" in loaded.card(PROVEN)
    assert loaded.run("%heal resume")["status"] == "ok"
    assert loaded.value("[seen, whole]") == "[[1], 1]"


HALF_WAY = "diffs = []\nfor i in range(len(vals)):\n    diffs.append(vals[i + 1] - vals[i])"


def test_loop_that_failed_half_way_is_not_resumed(loaded: LiveKernel) -> None:
    """What is shown is what approving does: four differences, not those that are there already and four more."""
    loaded.run("vals = [1, 3, 6, 10, 15]")
    loaded.run(f"%%heal --expect [2, 3, 4, 5]\n{HALF_WAY}\ndiffs", "c", allow_stdin=True)
    loaded.card(PROVEN)
    assert "nothing can be left out" in str(loaded.run("%heal resume"))
    assert loaded.value("len(diffs)") == "4"
    assert loaded.run("%heal approve")["status"] == "ok"
    assert loaded.value("diffs") == "[2, 3, 4, 5]"


def test_what_the_card_shows_is_what_approving_gives(loaded: LiveKernel) -> None:
    """The first statement is done a second time, and the card shows its result so; where that fails, it says so."""
    loaded.run("seen, vals = [], [1, 4, 9]")
    half_way = "seen.append('x')\nfor i in range(len(vals)):\n    step = vals[i + 1] - vals[i]\nseen"
    loaded.run(half_way, "c", allow_stdin=True)
    loaded.card(PROVEN)
    shown = "[o.data for t in get_ipython()._jupyter_selfheal.heals.latest.card.reruns.values() for s in t.steps for o in s.outputs]"
    assert loaded.value(shown) == "[{'text/plain': \"['x', 'x']\"}]"
    assert loaded.run("%heal approve")["status"] == "ok"
    assert loaded.value("seen") == "['x', 'x']"
    loaded.run("left = [1]")
    loaded.run("taken = left.pop()\nmath.floor(taken)", "d", allow_stdin=True)
    assert "it changes `left`, and then fails: IndexError: pop from empty list; Resume runs only what" in loaded.card(
        PROVEN
    )


def test_where_a_line_holds_several_statements_nothing_is_done_twice_unasked(loaded: LiveKernel) -> None:
    """Which of them had run is not known: that is said, and none is left out or run again by itself."""
    loaded.run("%heal auto on\nseen, values = [], [1.5]")
    loaded.run("first = 1\n" + SIDE_EFFECT.replace("\n", "; "), "c", allow_stdin=True)
    told = loaded.card(PROVEN)
    assert "it changes `seen`, so it is not applied without asking." in told
    assert "nothing can be left out" in str(loaded.run("%heal resume"))
    assert loaded.value("seen") == "[1]"
