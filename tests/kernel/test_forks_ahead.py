"""What a zygote forks ahead of the next trial, and what it leaves be."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from jupyter_selfheal.inside.fork.after_fork import SPARE
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.model import OPEN, Launch, Run, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.kernel


@pytest.fixture
def others() -> frozenset[int]:
    """The processes that states of other tests hold ahead."""
    return list_spares()


@pytest.fixture
def state(tmp_path: Path, others: frozenset[int]) -> Iterator[TrialKernel]:
    state = open_state(Launch("python3", str(tmp_path), writes="allow"))
    yield state
    state.close()


def list_spares() -> frozenset[int]:
    children = psutil.Process(os.getpid()).children(recursive=True)
    return frozenset(child.pid for child in children if _read_name(child) == SPARE)


def _read_name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


@pytest.mark.parametrize("is_last", [True, False])
def test_while_a_trial_runs_that_is_likely_the_last_no_other_is_made_ahead(
    state: TrialKernel, others: frozenset[int], tmp_path: Path, is_last: bool
) -> None:
    go = tmp_path / "go"
    waits = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.05)"
    request = TrialRequest((Run(waits),), timeout=120.0, sandbox=OPEN, is_last=is_last)
    assert wait_until(lambda: list_spares() - others)
    taken = list_spares()
    trial = threading.Thread(target=state.run, args=(request,))
    trial.start()
    assert wait_until(lambda: taken - others - list_spares()), "the trial takes the one that is there"
    made = wait_until(lambda: list_spares() - taken, 4.0 if is_last else PATIENCE)
    go.write_text("")
    trial.join()
    assert made is not is_last
    assert wait_until(lambda: list_spares() - taken), "behind its end one is"
