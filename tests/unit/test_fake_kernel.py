"""The kernel without a process: what its limits are counted in."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Run, TrialRequest
from jupyter_selfheal.testing.fake_kernel import FakeKernel

WAITS = "import time\nfor _ in range(30):\n    time.sleep(0.01)"


def run_for(code: str, seconds: float) -> str:
    trial, _ = FakeKernel().run(TrialRequest((Run(code, "c", timeout=seconds),)))
    return trial.steps[0].status


def test_what_a_busy_machine_makes_slow_is_not_timed_out() -> None:
    assert run_for(WAITS, 0.1) == "ok"


@pytest.mark.parametrize("loop", ["while True: pass", "def f():\n    while True:\n        1 + 1\nf()"])
def test_a_loop_is_timed_out(loop: str) -> None:
    assert run_for(loop, 0.1) == "timeout"


def test_what_sleeps_for_ever_is_timed_out_by_the_clock() -> None:
    assert run_for("import time\nwhile True:\n    time.sleep(0.01)", 0.02) == "timeout"
