"""Run All: the cells are queued at once, and a failing one ends the queue unless its heal was approved."""

from __future__ import annotations

import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

FIRST = "values = [1.5]"
FAILING = "%%heal --wait\nwhole = math.floor(values[0])"
LAST = "print('the third', whole)"


def run_all(kernel: LiveKernel, *, allow_stdin: bool = False) -> list[str]:
    """Queue the three cells at once; the ids of their requests."""
    return [
        kernel.queue(cell, f"c{number}", allow_stdin=allow_stdin)
        for number, cell in enumerate((FIRST, FAILING, LAST))
    ]  # fmt: skip


def test_goes_on_after_a_heal_that_needs_no_approval(loaded: LiveKernel) -> None:
    loaded.run("%heal auto on")
    first, healed, last = (loaded.done(request) for request in run_all(loaded))
    assert first["status"] == "ok"
    assert healed["status"] == "ok"
    assert "approved: it is safe" in healed["text"]
    assert last["status"] == "ok"
    assert last["text"].strip() == "the third 1"


def test_goes_on_after_a_heal_that_the_user_approves(loaded: LiveKernel) -> None:
    requests = run_all(loaded, allow_stdin=True)
    assert "Apply?" in loaded.answer("y")
    first, healed, last = (loaded.done(request) for request in requests)
    assert (first["status"], healed["status"]) == ("ok", "ok")
    assert "+import math" in healed["text"]
    assert last["text"].strip() == "the third 1"


def test_ends_where_nobody_approves(loaded: LiveKernel) -> None:
    first, failed, last = (loaded.done(request) for request in run_all(loaded))
    assert first["status"] == "ok"
    assert (failed["status"], failed["ename"]) == ("error", "NameError")
    assert "approve with `%heal approve`" in failed["text"]
    assert last["status"] == "aborted"
    assert last["text"] == ""


def test_ends_where_the_user_says_no(loaded: LiveKernel) -> None:
    requests = run_all(loaded, allow_stdin=True)
    assert "Apply?" in loaded.answer("n")
    assert "Why?" in loaded.answer("")
    first, failed, last = (loaded.done(request) for request in requests)
    assert (first["status"], failed["status"], last["status"]) == ("ok", "error", "aborted")
    assert loaded.value("'math' in globals()") == "False"
