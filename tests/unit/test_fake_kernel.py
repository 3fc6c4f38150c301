"""The kernel without a process: what its limits are counted in."""

from __future__ import annotations

import gc
import os
import sys
import threading
import types
import warnings

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import Run, TrialRequest
from jupyter_selfheal.testing.fake_kernel import FakeKernel, end_left_trials

WAITS = "import time\nfor _ in range(12):\n    time.sleep(0.01)"


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


def test_a_loop_is_timed_out_though_its_end_comes_while_garbage_is_collected() -> None:
    """What a callback of the collector raises is thrown away by Python."""

    def wait(phase: str, info: dict[str, int]) -> None:
        sum(range(20_000))

    gc.callbacks.append(wait)
    try:
        assert run_for("import gc\nwhile True:\n    gc.collect(0)", 0.1) == "timeout"
    finally:
        gc.callbacks.remove(wait)


def test_a_loop_is_timed_out_though_its_end_comes_while_weak_references_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a callback of theirs raises is thrown away, too: a dictionary of weak keys has one."""

    def remove(reference: object) -> None:
        sum(range(20_000))

    library = types.ModuleType("slow_library")
    library.remove = remove  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "slow_library", library)
    kept = "import weakref, slow_library\nclass A: pass\nkept = [A() for _ in range(1000)]\n"
    told = "refs = [weakref.ref(a, slow_library.remove) for a in kept]\nkept.clear()\nwhile True: pass"
    assert run_for(kept + told, 0.1) == "timeout"


def test_the_limit_of_a_test_is_no_failure_of_a_cell() -> None:
    with pytest.raises(pytest.fail.Exception):
        run_for("import pytest\npytest.fail('the test takes too long')", 1.0)


CHANGES = """import os, sys, warnings
sys.path.insert(0, 'theirs')
sys.setrecursionlimit(9_000)
warnings.simplefilter('error')
os.chdir('/')"""


def test_what_a_cell_changes_of_the_process_holds_in_its_trial_alone() -> None:
    """Else what a later test does hangs on which ones came before it: a recursion that is too deep, say."""

    def look() -> tuple[object, ...]:
        return sys.path[:], sys.getrecursionlimit(), warnings.filters[:], os.getcwd()

    before = look()
    seen = "assert (sys.path[0], sys.getrecursionlimit(), os.getcwd()) == ('theirs', 9_000, '/')"
    trial, _ = FakeKernel([CHANGES]).run(TrialRequest((Run(seen, "c"),), paths=("ours",)))
    assert trial.steps[0].status == "ok"
    assert look() == before


def test_a_trial_that_was_left_behind_takes_nothing_back_of_the_next_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """It restores ``sys.path`` when it ends: that once took away what the next test had put on it."""
    gate = types.ModuleType("gate")
    gate.began, gate.go = threading.Event(), threading.Event()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gate", gate)
    monkeypatch.setattr(sys, "path", [*sys.path])
    kernel = FakeKernel()
    request = TrialRequest((Run("import gate\ngate.began.set()\ngate.go.wait()"),), timeout=60)
    left = threading.Thread(target=kernel.run, args=(request,), daemon=True)
    left.start()
    assert gate.began.wait(60)
    opener = threading.Thread(target=gate.go.set)
    opener.start()
    end_left_trials()
    sys.path.insert(0, "of the next test")
    left.join(60)
    opener.join()
    assert sys.path[0] == "of the next test"
    refused: list[BaseException] = []

    def run_again() -> None:
        try:
            kernel.run(request)
        except KernelError as error:
            refused.append(error)

    again = threading.Thread(target=run_again, daemon=True)
    again.start()
    again.join(60)
    assert len(refused) == 1
    assert kernel.run(request)[0].ran, "whoever made it and waits for it may still use it"
