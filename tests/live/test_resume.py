"""Resuming: a statement that took long ran once, in the user's kernel, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

PROVEN = "a fix that has already run"
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


@pytest.mark.parametrize("magic", ["", "%%heal\n"], ids=["hook", "heal"])
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
    assert reply["text"].strip().endswith("7")
    (payload,) = [p for p in reply["payload"] if p["source"] == "set_next_input"]
    assert payload["text"] == magic + CELL.replace("appendd", "append")
    assert loaded.value("calls") == "[1]"
