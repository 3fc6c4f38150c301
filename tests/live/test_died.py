"""A kernel that dies under a cell: the next one of the same notebook tells how, where and with how much memory."""

from __future__ import annotations

import os
import signal

import pytest

from jupyter_selfheal.surfaces.worker.last_words import tell_death
from tests.live.conftest import LiveKernel
from tests.waiting import PATIENCE

CRASH = "import faulthandler\nprint('before')\nfaulthandler._sigsegv()"
RUNNING = '{"pid": 1, "cell": "c2", "source": "import numpy as np\\nx = np.zeros((200000, 200000))"}\n'


@pytest.mark.kernel
def test_the_next_kernel_tells_how_the_last_one_died(loaded: LiveKernel) -> None:
    assert "worker running" in loaded.run("%heal status")["text"]
    worker = next(p for p, line in loaded.commands() if any("worker" in word for word in line))
    loaded.queue(CRASH, "c2", allow_stdin=True)
    worker.wait(PATIENCE)
    loaded.manager.restart_kernel(now=True)
    loaded.client.wait_for_ready(timeout=PATIENCE)
    said = loaded.run("%load_ext jupyter_selfheal")["text"]
    assert "The kernel died in this cell: a segmentation fault" in said
    assert "(SIGSEGV); it had " in said
    assert "It stood at line 3: `faulthandler._sigsegv()`" in said
    assert loaded.run("%heal why")["text"].startswith("The kernel died in this cell")
    worker = next(p for p, line in loaded.commands() if any("worker" in word for word in line))
    os.kill(loaded.pid, signal.SIGKILL)  # as a restart does, and between two cells
    worker.wait(PATIENCE)
    loaded.manager.restart_kernel(now=True)
    loaded.client.wait_for_ready(timeout=PATIENCE)
    assert loaded.run("%load_ext jupyter_selfheal")["text"] == ""


def test_out_of_memory_is_named_with_what_could_be_smaller() -> None:
    told = tell_death(RUNNING, 15_000.0, oom=True)
    assert told["cell"] == "c2"
    assert "out of memory: the cell needed more than there is; it had 15,000 MB" in told["text"]
    assert "What could be smaller: `np.zeros((200000, 200000))` asks for 298.0 GB" in told["text"]


def test_a_killed_process_says_no_line_but_a_cell_of_one_statement_leaves_no_other() -> None:
    one = '{"cell": "", "source": "\\nx = [0] * 10**12", "in_terminal": true}\n'
    told = tell_death(one, 700.0, oom=True)
    assert told["brief"].startswith("IPython died here at `x = [0] * 10**12`: out of memory")
    assert "    x = [0] * 10**12" in told["text"]
    two = '{"cell": "", "source": "a = 1\\nx = [0] * 10**12", "in_terminal": true}\n'
    assert tell_death(two, 700.0, oom=True)["brief"].startswith("IPython died here: out of memory")


def test_what_was_ended_from_outside_or_between_cells_is_not_told() -> None:
    assert tell_death(RUNNING, 100.0, oom=False) == {}
    assert tell_death("", 100.0, oom=True) == {}
