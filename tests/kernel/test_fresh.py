"""FreshKernel: only what is needed runs again, and the record says so. The common contract is in the conformance suite."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.healers.facts import KernelFacts
from jupyter_selfheal.inside.fork import sandbox
from jupyter_selfheal.kernels import fresh
from jupyter_selfheal.kernels.fresh import FreshKernel
from jupyter_selfheal.kernels.replay_plan import PastCell, describe_replay, list_needed_cells
from jupyter_selfheal.model import (
    JSON,
    OPEN,
    Cell,
    Ending,
    Failure,
    Keep,
    Launch,
    Probe,
    Run,
    Sandbox,
    Start,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.testing.processes import is_gone
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel

RECIPE = (
    Cell("load", "import math\nrows = [1, 2, 3]"),
    Cell("aside", "print('not needed'); unrelated = object()"),
    Cell("train", "model = [math.sqrt(r) for r in rows]", expensive=True),
    Cell("total", "total = sum(rows)"),
)
SHUT = Sandbox()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fresh")


@pytest.fixture(scope="module")
def base(folder: Path) -> Iterator[FreshKernel]:
    kernel = FreshKernel(Launch("python3", str(folder)), RECIPE)
    yield kernel
    kernel.close()


def ran(*codes: str, keep: Keep = Keep.NEVER, sandbox: Sandbox = SHUT, timeout: float = 60) -> TrialRequest:
    return TrialRequest(
        tuple(Run(code, f"cell{n}") for n, code in enumerate(codes)), keep=keep, sandbox=sandbox, timeout=timeout
    )


def value(trial: Trial, step: int = 0) -> object:
    return trial.steps[step].outputs[-1].data["text/plain"]


def test_only_the_slice_that_the_request_depends_on_runs_again(base: FreshKernel) -> None:
    names = "def probe(shell, last, argument):\n    return sorted({'math', 'rows', 'unrelated', 'model'} & set(shell.user_ns))"
    trial, kept = base.run(TrialRequest((Run("total * 2", "c"), Probe(names, name="there")), timeout=60))
    assert kept is None
    assert value(trial) == "12"
    assert trial.probe("there") == ["math", "rows"]
    assert trial.detail == "state reconstructed by running 2 of 4 earlier cells again: load, total"
    assert (trial.isolation.kernel, trial.start, base.is_exact) == ("fresh", Start.BEFORE_CELL, False)
    assert "state reconstructed" in trial.isolation.words


def test_expensive_cells_run_again_only_where_they_are_needed_and_this_is_said(base: FreshKernel) -> None:
    trial, _ = base.run(ran("len(model)"))
    assert value(trial) == "3"
    assert trial.detail.endswith("load, train; among them expensive: train")
    asked, _ = base.run(
        TrialRequest((Probe("def probe(shell, last, argument):\n    return 'model' in shell.user_ns"),))
    )
    assert asked.steps[0].value is False
    assert "expensive" not in asked.detail


def test_a_probe_sees_the_names_in_its_argument_and_the_last_cell(base: FreshKernel) -> None:
    source = (
        "def probe(shell, last, argument):\n"
        "    return [eval(argument, shell.user_ns), repr(last.result), last.stdout, type(last.error).__name__]"
    )
    trial, _ = base.run(TrialRequest((Run("print('hi')\n5", "c"), Probe(source, "total + 1", "q")), timeout=60))
    assert trial.probe("q") == [7, "5", "hi\n", "NoneType"]


def test_errors_are_located_in_their_cells_through_functions_of_earlier_ones(folder: Path) -> None:
    kernel = FreshKernel(
        Launch("python3", str(folder)), [Cell("defs", "def halve(x):\n    y = x\n    return y / 0")], ahead=False
    )
    try:
        trial, _ = kernel.run(ran("a = 1\n\nhalve(a)"))
        error = trial.steps[0].errors[0]
        assert (error.ename, error.line, error.statement) == ("ZeroDivisionError", 3, 1)
        assert [(f.cell_id, f.line, f.function) for f in error.frames] == [
            ("cell0", 3, "<module>"),
            ("defs", 3, "halve"),
        ]
        syntax, _ = kernel.run(ran("x = 1\nif x\n    pass"))
        assert (syntax.steps[0].errors[0].ename, syntax.steps[0].errors[0].line) == ("SyntaxError", 2)
        assert syntax.steps[0].errors[0].before_exec
    finally:
        kernel.close()


def test_a_chain_of_kept_kernels_goes_on_in_one_process(folder: Path) -> None:
    start = FreshKernel(Launch("python3", str(folder)), ahead=False)
    first, one = start.run(ran("import os\npid = os.getpid()\npid", keep=Keep.ALWAYS))
    assert one is not None
    second, two = one.run(ran("assert os.getpid() == pid\npid", keep=Keep.ON_SUCCESS))
    assert two is not None
    assert value(first) == value(second)
    assert two.start is Start.BEFORE_CELL
    failed, none = two.run(ran("os.no_such", keep=Keep.ON_SUCCESS))
    assert (failed.steps[0].status, none) == ("error", None)
    for kernel in (start, one, two):
        kernel.close()


def test_after_a_failure_the_error_is_alive_and_every_trial_begins_there(folder: Path) -> None:
    start = FreshKernel(Launch("python3", str(folder)), [Cell("a", "seen = []")], ahead=False)
    _, after = start.run(ran("seen.append(1)\nhere = {'k': 1}\nhere['q']", keep=Keep.ALWAYS))
    assert after is not None
    assert after.start is Start.AFTER_FAILURE
    source = "def probe(shell, last, argument):\n    return [type(last.error).__name__, last.error.__traceback__ is not None]"
    for _ in range(2):
        trial, _ = after.run(TrialRequest((Probe(source, name="p"), Run("seen.append(2)\nlen(seen)")), timeout=60))
        assert trial.probe("p") == ["KeyError", True]
        assert value(trial, 1) == "2"
    for kernel in (start, after):
        kernel.close()


def test_a_kept_process_is_not_used_for_names_that_it_left_out(base: FreshKernel) -> None:
    _, kept = base.run(ran("doubled = total * 2", keep=Keep.ALWAYS))
    assert kept is not None
    trial, again = kept.run(ran("len(model) + doubled", keep=Keep.ON_SUCCESS))
    assert value(trial) == "15"
    assert again is not None
    kept.close()
    again.close()


def test_endings_are_told_apart(base: FreshKernel) -> None:
    for code, ending, words in (
        ("import time; time.sleep(600)", Ending.TIMED_OUT, "cut off"),
        ("import os; os._exit(4)", Ending.EXITED, "exit code 4"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", Ending.KILLED, "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Ending.OUT_OF_MEMORY, "memory"),
        ("import sys; sys.exit('done')", Ending.FINISHED, ""),
    ):
        trial, kept = base.run(ran(code, "1", keep=Keep.ALWAYS, timeout=1.5 if "600" in code else 60))
        assert trial.ending is ending, code
        assert words in trial.detail
        assert trial.steps[1].status == "skipped"
        if kept is not None:
            kept.close()


def test_the_network_is_refused_and_writes_are_discarded_and_both_are_named(base: FreshKernel, folder: Path) -> None:
    missing = list(base.isolation.missing)
    if missing:
        pytest.skip("; ".join(missing))
    code = "import socket\nopen('x.txt', 'w').write('1')\nsocket.create_connection(('192.0.2.1', 80), timeout=5)"
    trial, _ = base.run(ran(code))
    assert trial.blocked[0].startswith("network: ")
    assert {sandbox.NETWORK, sandbox.OVERLAY, sandbox.READ_ONLY, sandbox.LIMITS} <= set(trial.isolation.layers)
    assert list(folder.iterdir()) == []
    outside, _ = base.run(ran("open('/etc/selfheal-test', 'w')"))
    assert outside.blocked[0].startswith("write: ")


def test_writes_go_where_the_parent_state_would_write(folder: Path) -> None:
    kernel = FreshKernel(Launch("python3", str(folder), writes="allow"), ahead=False)
    trial, _ = kernel.run(ran("open('kept.txt', 'w').write('1')", sandbox=OPEN))
    kernel.close()
    assert trial.ran
    assert trial.isolation.layers == ()
    (folder / "kept.txt").unlink()


def test_forbidden_writes_are_refused_in_the_project_too(base: FreshKernel) -> None:
    if sandbox.READ_ONLY not in base.isolation.layers:
        pytest.skip("; ".join(base.isolation.missing))
    trial, _ = base.run(ran("open('x.txt', 'w')", sandbox=Sandbox(writes="forbid")))
    assert trial.blocked[0].startswith("write: ")


def test_memory_is_limited(base: FreshKernel) -> None:
    trial, _ = base.run(ran("x = bytearray(500 << 20)", sandbox=Sandbox(memory_mb=200)))
    assert trial.steps[0].errors[0].ename == "MemoryError"


def test_a_cell_that_no_longer_runs_is_an_error_that_names_it(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "gone"
    kernel = FreshKernel(
        Launch("python3", str(folder)), [Cell("reads", f"text = open({str(marker)!r}).read()")], ahead=False
    )
    with pytest.raises(KernelError, match=r"'reads', which ran before, now does not.*FileNotFoundError"):
        kernel.run(ran("text"))
    kernel.close()


def test_trials_run_in_parallel_and_do_not_meet(base: FreshKernel) -> None:
    found: dict[int, object] = {}

    def one(number: int) -> None:
        trial, _ = base.run(ran(f"rows.append({number})\nrows"))
        found[number] = value(trial)

    threads = [threading.Thread(target=one, args=(n,)) for n in (7, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {7: "[1, 2, 3, 7]", 8: "[1, 2, 3, 8]"}


def test_closing_cancels_what_runs_and_leaves_nothing(folder: Path) -> None:
    kernel = FreshKernel(Launch("python3", str(folder)))
    got: list[Trial] = []
    thread = threading.Thread(
        target=lambda: got.append(kernel.run(ran("import time; time.sleep(600)", timeout=600))[0])
    )
    thread.start()
    assert wait_until(lambda: any(s.kernel._unfinished and s.has_network is False for s in list(kernel._running)))
    shared = [session.kernel.shared for session in kernel._running]
    kernel.close()
    kernel.close()
    thread.join(60)
    assert got[0].ending is Ending.CANCELLED
    assert not any(os.path.exists(path) for path in shared)
    with pytest.raises(KernelError, match="closed"):
        kernel.run(ran("1"))


def test_closing_while_the_state_is_rebuilt_cancels_the_trial(folder: Path, tmp_path: Path) -> None:
    slow = Cell("slow", f"import time\nopen({str(tmp_path / 'on')!r}, 'w').close()\nx = time.sleep(600)")
    kernel = FreshKernel(Launch("python3", str(folder), writes="allow"), [slow], ahead=False)
    got: list[Trial] = []
    thread = threading.Thread(target=lambda: got.append(kernel.run(ran("x", sandbox=OPEN))[0]))
    thread.start()
    assert wait_until((tmp_path / "on").exists)
    kernel.close()
    thread.join(60)
    assert (got[0].ending, got[0].steps[0].status) == (Ending.CANCELLED, "skipped")


def test_a_trial_that_cannot_be_set_up_leaves_no_kernel_behind(folder: Path) -> None:
    breaks = Cell(
        "breaks",
        "import os, pathlib, sys\npath = 'pid'\npathlib.Path(path).write_text(str(os.getpid()))\ndel sys.modules['_selfheal_inside']",
    )
    launch = Launch("python3", str(folder), writes="allow")
    with closing(FreshKernel(launch, (breaks,), ahead=False)) as state:
        with pytest.raises(KernelError, match="cannot be set up") as failed:
            state.run(ran("print(path)", sandbox=Sandbox(writes="allow")))
        assert is_gone(int((folder / "pid").read_text()), 0.0), failed  # which keeps what the trial had


@pytest.mark.parametrize(
    ("code", "cells"),
    [
        ("total", (0, 3)),
        ("model[0]", (0, 2)),
        ("1 + 1", ()),
        ("print(globals()['total'])", (0, 1, 3)),
        ("%who", (0, 1, 3)),
        ("df.eval('a')", ()),
    ],
)
def test_what_a_request_needs_is_read_off_its_names(code: str, cells: tuple[int, ...]) -> None:
    recipe = [PastCell(c.source, c.id, c.expensive) for c in RECIPE]
    assert list_needed_cells(recipe, [Run(code)]) == cells


def test_a_failed_cell_is_always_needed_and_brings_what_it_needs() -> None:
    recipe = [PastCell("x = 1", "a"), PastCell("y = 2", "b"), PastCell("x.nope", "f", failed=True)]
    assert list_needed_cells(recipe, [Run("1")]) == (0, 2)
    assert describe_replay(recipe, (0, 2)) == "state reconstructed by running 2 of 3 earlier cells again: a, f"


def test_a_cell_that_took_a_moment_and_has_no_end_now_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """It met another state then: without a limit of its own, each question would wait ten minutes for it."""
    monkeypatch.setattr(fresh, "REPLAY_GRACE", 0.5)
    state = FreshKernel(
        Launch("python3", ""), [PastCell("while True: pass", "loop", failed=True, seconds=0.1)], ahead=False
    )
    with closing(state), pytest.raises(KernelError, match="'loop', which ran before, now does not \\(timeout\\)"):
        state.run(TrialRequest((Run("1"),)))


def test_questions_that_only_read_are_asked_of_one_process_in_which_the_error_stays(folder: Path) -> None:
    """Where no copy can be made (TensorFlow's threads), each question cost a kernel and all cells above."""
    source = "def probe(shell, last, argument):\n    import os\n    return [os.getpid(), type(last.error).__name__]"
    start = FreshKernel(Launch("python3", str(folder)), [Cell("a", "seen = [1]")], ahead=False)
    facts = KernelFacts(start, Failure("c", "seen['k']"))
    asked: list[JSON] = [
        {"question": "describe", "argument": {"expressions": [e]}}
        for e in ("seen", "seen[0]", "seen.pop()", "len(seen)")
    ]
    first, second, calling, last = (facts.ask(source, a) for a in asked)
    assert first == second == last
    assert isinstance(first, list)
    assert first[1] == "TypeError"
    assert calling is not None
    assert calling != first, "what calls something is asked of another process"
    facts.close()
    start.close()
