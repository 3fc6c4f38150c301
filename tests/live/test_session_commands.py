"""Commands on the cells of the session go on beside the kernel, which is free meanwhile; an interrupt ends them."""

from __future__ import annotations

import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

FAILS = "rates = {'eur': 1.1, 'usd': 1.0}\nnote = 'not needed'\nprint(rates['gbp'])"
FOLDER = "__import__('os').listdir('.')"


def show(kernel: LiveKernel, command: str) -> None:
    """Run a command in a page that can be asked; it must have shown that it goes on, and the kernel must be free."""
    reply = kernel.run(command, "command", allow_stdin=True)
    assert reply["status"] == "ok"
    assert "interrupt to stop" in kernel.card()
    assert kernel.value("6 * 7") == "42"


def test_minimize_and_bisect_leave_the_kernel_free(loaded: LiveKernel) -> None:
    loaded.run("%heal off\nunused = 3", "a")
    loaded.run(FAILS, "b", allow_stdin=True)
    show(loaded, "%heal minimize")
    told = loaded.card("checked in a clean kernel")
    assert "rates['gbp']" in told
    assert "not needed" not in told
    assert loaded.value(FOLDER) == "['minimal.ipynb']", "nothing of the session's own is left"


def test_a_number_that_is_that_of_no_failing_cell_is_refused(loaded: LiveKernel) -> None:
    loaded.run("%heal off\nunused = 3", "a")
    loaded.run(FAILS, "b", allow_stdin=True)
    for number in ("0", "-1", "1.5", "\u00b2", "99", "two"):
        reply = loaded.run(f"%heal minimize {number}", "command", allow_stdin=True)
        assert (reply["status"], reply["ename"]) == ("error", "UsageError")
        assert f"{number!r} is none" in reply["evalue"]
    assert loaded.value(FOLDER) == "[]"


def test_bisect_names_the_first_cell_that_no_longer_gives_what_is_stored(loaded: LiveKernel) -> None:
    stored = {"x = 2\nx": "2", "y = x * 3\ny": "7", "y + 1": "8"}
    told = [
        {"id": f"c{n}", "source": source, "outputs": [{"output_type": "execute_result", "data": {"text/plain": text}}]}
        for n, (source, text) in enumerate(stored.items())
    ]
    loaded.tell({"action": "context", "cells": told, "path": "n.ipynb"})
    show(loaded, "%heal bisect")
    said = loaded.card("cell `y = x * 3` is the first that departs from what is stored")
    assert "stored: 7\n  now:    6" in said
    assert "Up to cell `x = 2` the cells give what is stored." in said
    assert loaded.value(FOLDER) == "[]", "nothing of the session's own is left"


def test_an_interrupt_stops_it_and_nothing_is_left(loaded: LiveKernel) -> None:
    loaded.run("%heal off")
    loaded.run(FAILS, "a", allow_stdin=True)
    show(loaded, "%heal minimize")
    loaded.manager.interrupt_kernel()
    assert "stopped; nothing was written" in loaded.card("stopped")
    assert loaded.value(FOLDER) == "[]"
