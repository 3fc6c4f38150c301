"""What every trial kernel must do, as tests: subclass, say how to make a state, run pytest.

class TestMyKernel(TrialKernelConformance):
    @pytest.fixture
    def state(self):
        yield lambda *cells: MyKernel(cells)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import (
    OPEN,
    Ending,
    Keep,
    Probe,
    Role,
    Run,
    Sandbox,
    Start,
    TrialRequest,
)
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.testing.processes import is_gone
from jupyter_selfheal.testing.trials import evaluate, read_stream, run_trial

Making: TypeAlias = Callable[..., TrialKernel]

DIVIDE = "def divide(a, b):\n    return a / b"


class TrialKernelConformance:
    """Subclass with a fixture ``state``: a function from the sources of earlier cells (their ids are ``c0``, ``c1``, …)
    to a kernel in the state after them. The fixture closes what it made.

    ``has_processes``: trials are processes (else tests that kill them are skipped). ``keeps_exact``: a kept state is the
    process itself, so that live objects of the failure are there.
    """

    has_processes = True

    @pytest.fixture
    def state(self) -> Iterator[Making]:
        """To be overridden."""
        raise NotImplementedError("say how a state is made")

    # --- states ---------------------------------------------------------------------------------------------------

    def test_is_a_trial_kernel(self, state: Making) -> None:
        kernel = state()
        assert isinstance(kernel, TrialKernel)
        assert kernel.start is Start.BEFORE_CELL
        assert kernel.isolation.kernel in ("forked", "fresh", "fake")

    def test_a_trial_leaves_the_state_as_it_was(self, state: Making) -> None:
        kernel = state("x = [1]")
        assert run_trial(kernel, "x.append(2); y = 3").ran
        assert evaluate(kernel, "(x, 'y' in globals())") == [[1], False]

    def test_trials_run_in_parallel_without_seeing_each_other(self, state: Making) -> None:
        kernel = state("seen = []")
        with ThreadPoolExecutor(4) as pool:
            trials = list(pool.map(lambda n: run_trial(kernel, f"seen.append({n}); print(seen)"), range(4)))
        assert [read_stream(t) for t in trials] == [f"[{n}]\n" for n in range(4)]

    def test_a_kept_state_goes_on_from_the_trial(self, state: Making) -> None:
        kernel = state("x = 1")
        trial, after = kernel.run(TrialRequest((Run("x += 1", "b"),), keep=Keep.ON_SUCCESS, sandbox=OPEN))
        assert trial.ran
        assert after is not None
        kernel.close()
        try:
            assert after.start is Start.BEFORE_CELL
            assert evaluate(after, "x") == 2
            trial, third = after.run(TrialRequest((Run("x += 1", "c"),), keep=Keep.ALWAYS, sandbox=OPEN))
            assert third is not None
            try:
                assert (evaluate(third, "x"), evaluate(after, "x")) == (3, 2)
            finally:
                third.close()
        finally:
            after.close()

    def test_a_failed_step_is_kept_only_where_that_was_asked(self, state: Making) -> None:
        kernel = state(DIVIDE)
        request = TrialRequest((Run("z = 7\ndivide(z, 0)", "b"),), keep=Keep.ON_SUCCESS, sandbox=OPEN)
        trial, after = kernel.run(request)
        assert after is None
        assert not trial.ran
        assert kernel.run(TrialRequest((Run("z = 7", "b"),), keep=Keep.ON_FAILURE, sandbox=OPEN))[1] is None
        request = TrialRequest(request.steps, keep=Keep.ON_FAILURE, sandbox=OPEN)
        trial, after = kernel.run(request)
        assert after is not None
        try:
            assert after.start is Start.AFTER_FAILURE
            assert evaluate(after, "z") == 7
        finally:
            after.close()

    def test_a_probe_sees_the_live_error_of_the_last_cell(self, state: Making) -> None:
        kernel = state(DIVIDE)
        request = TrialRequest((Run("print('before')\ndivide(7, 0)", "b"),), keep=Keep.ALWAYS, sandbox=OPEN)
        _, after = kernel.run(request)
        assert after is not None
        source = (
            "def probe(shell, last, argument):\n"
            "    tb = last.error.__traceback__\n"
            "    first = tb.tb_lineno\n"
            "    while tb.tb_next: tb = tb.tb_next\n"
            "    return [type(last.error).__name__, first, tb.tb_frame.f_locals[argument], last.stdout, last.result]"
        )
        try:
            trial = run_trial(after, Probe(source, "a", name="locals"))
            assert trial.probe("locals") == ["ZeroDivisionError", 2, 7, "before\n", None]
        finally:
            after.close()

    # --- errors ---------------------------------------------------------------------------------------------------

    def test_an_error_is_located_in_the_cells(self, state: Making) -> None:
        kernel = state("a = 1", DIVIDE)
        trial = run_trial(kernel, "b = 2\nc = (\n  divide(1, 0))")
        (error,) = trial.steps[0].errors
        assert (error.ename, error.evalue) == ("ZeroDivisionError", "division by zero")
        assert (error.line, error.statement, error.before_exec) == (3, 1, False)
        assert [(f.cell_id, f.line, f.function) for f in error.frames] == [("cell", 3, "<module>"), ("c1", 2, "divide")]
        assert error.frames[-1].text == "return a / b"
        assert "\x1b" not in error.traceback
        assert error.traceback.strip().endswith("ZeroDivisionError: division by zero")
        assert trial.steps[0].outputs[-1].output_type == "error"

    @pytest.mark.parametrize("code", ["\n\n1 / 0", "  \n\n1 / 0", "\nx = 1\n1 / 0"])
    def test_blank_lines_on_top_count(self, state: Making, code: str) -> None:
        (error,) = run_trial(state(), code).steps[0].errors
        assert (error.ename, error.line, error.frames[0].line) == ("ZeroDivisionError", 3, 3)

    def test_a_syntax_error_says_that_nothing_ran(self, state: Making) -> None:
        trial = run_trial(state(), "print('no')\nfor x in [1]\n    pass")
        (error,) = trial.steps[0].errors
        assert (error.ename, error.line, error.before_exec) == ("SyntaxError", 2, True)
        assert read_stream(trial) == ""

    def test_sys_exit_is_an_ordinary_error(self, state: Making) -> None:
        trial = run_trial(state(), "import sys\nsys.exit(3)")
        assert (trial.ending, trial.steps[0].errors[0].ename) == (Ending.FINISHED, "SystemExit")

    def test_steps_after_a_failure_are_skipped_unless_it_may_go_on(self, state: Making) -> None:
        kernel = state()
        trial = run_trial(kernel, "1/0", "x = 1")
        assert [s.status for s in trial.steps] == ["error", "skipped"]
        trial = run_trial(kernel, Run("1/0", "a", Role.CHECK, go_on=True), "x = 1")
        assert [s.status for s in trial.steps] == ["error", "ok"]
        assert [s.role for s in trial.steps] == ["check", "cell"]
        assert trial.ran

    # --- outputs --------------------------------------------------------------------------------------------------

    def test_outputs_are_a_notebooks(self, state: Making) -> None:
        trial = run_trial(state(), "print('a')\nprint('b')\ndisplay(1)\nprint('c', end='')\n{'k': 1}")
        outputs = trial.steps[0].outputs
        assert [o.output_type for o in outputs] == ["stream", "display_data", "stream", "execute_result"]
        assert [outputs[0].text, outputs[2].text] == ["a\nb\n", "c"]
        assert (outputs[1].data["text/plain"], outputs[3].data["text/plain"]) == ("1", "{'k': 1}")

    def test_error_stream_is_told_apart(self, state: Making) -> None:
        trial = run_trial(state(), "import sys\nprint('out')\nprint('err', file=sys.stderr)")
        assert (read_stream(trial), read_stream(trial, "stderr")) == ("out\n", "err\n")

    def test_awaits_at_the_top_level(self, state: Making) -> None:
        trial = run_trial(state(), "import asyncio\nawait asyncio.sleep(0)\nprint('slept')")
        assert read_stream(trial) == "slept\n"

    # --- probes ---------------------------------------------------------------------------------------------------

    def test_a_probe_answers_with_json(self, state: Making) -> None:
        source = "def probe(shell, last, argument):\n    return {'names': sorted(argument), 'x': shell.user_ns['x']}"
        trial = run_trial(state("x = 1.5"), Probe(source, ["b", "a"], name="facts"))
        assert trial.probe("facts") == {"names": ["a", "b"], "x": 1.5}
        assert (trial.steps[0].role, trial.steps[0].outputs) == ("probe", ())

    def test_a_failing_probe_does_not_end_the_trial(self, state: Making) -> None:
        raising = Probe("def probe(shell, last, argument):\n    raise LookupError('x')")
        trial = run_trial(state(), raising, "print('on')")
        assert [s.status for s in trial.steps] == ["error", "ok"]
        assert trial.steps[0].errors[0].ename == "LookupError"

    # --- limits ---------------------------------------------------------------------------------------------------

    def test_an_endless_cell_is_cut_and_what_it_printed_stays(self, state: Making) -> None:
        trial = run_trial(state(), "print('start')\nwhile True:\n    pass", "x = 1", timeout=3)
        assert trial.ending is Ending.TIMED_OUT
        assert [s.status for s in trial.steps] == ["timeout", "skipped"]
        assert read_stream(trial) == "start\n"

    def test_a_step_has_a_limit_of_its_own(self, state: Making) -> None:
        endless = Run("while True:\n    pass", "a", Role.DOWNSTREAM, go_on=True, timeout=1)
        trial = run_trial(state(), endless, "print('next')")
        assert [s.status for s in trial.steps] == ["timeout", "ok"]
        assert (trial.ending, read_stream(trial)) == (Ending.FINISHED, "next\n")

    def test_a_timed_out_trial_is_not_kept(self, state: Making) -> None:
        request = TrialRequest((Run("while True:\n    pass", "a"),), timeout=2, keep=Keep.ALWAYS, sandbox=OPEN)
        assert state().run(request)[1] is None

    def test_paths_come_first(self, state: Making, tmp_path: Path) -> None:
        (tmp_path / "only_here.py").write_text("value = 5")
        request = TrialRequest((Run("import only_here\nprint(only_here.value)"),), paths=(str(tmp_path),), timeout=60)
        assert read_stream(state().run(request)[0]) == "5\n"

    # --- processes ------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("code", "ending", "words"),
        [
            ("import os\nprint('x')\nos._exit(4)", Ending.EXITED, "4"),
            ("import os\nprint('x')\nos.abort()", Ending.KILLED, "SIGABRT"),
            ("import ctypes\nprint('x')\nctypes.string_at(0)", Ending.KILLED, "SIGSEGV"),
        ],
    )
    def test_the_end_of_the_process_is_an_outcome(self, state: Making, code: str, ending: Ending, words: str) -> None:
        self._needs_processes()
        kernel = state("x = 1")
        trial = run_trial(kernel, code, "y = 2")
        assert (trial.ending, trial.ran) == (ending, False)
        assert words in trial.detail
        assert [s.status for s in trial.steps] == ["error", "skipped"]
        assert evaluate(kernel, "x") == 1

    def test_what_a_trial_started_ends_with_it(self, state: Making) -> None:
        self._needs_processes()
        start = "import subprocess\nprint(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid)\n"
        kernel = state()
        pids = [
            int(read_stream(run_trial(kernel, start))),
            int(read_stream(run_trial(kernel, start + "while True:\n    pass", timeout=3))),
            int(read_stream(run_trial(kernel, start + "import os; os._exit(1)"))),
        ]
        assert all(is_gone(pid) for pid in pids)

    def test_writes_are_discarded(self, state: Making, tmp_path: Path) -> None:
        self._needs_processes()
        kernel = state(f"import os\nos.chdir({str(tmp_path)!r})")
        if not any("overlay" in layer for layer in kernel.isolation.layers):
            pytest.skip(f"no overlay here: {kernel.isolation.missing}")
        (tmp_path / "there").write_text("old")
        trial = run_trial(
            kernel,
            "open('new', 'w').write('x'); open('there', 'w').write('y')\nprint(open('there').read())",
            sandbox=Sandbox(),
        )
        assert read_stream(trial) == "y\n"
        assert (tmp_path / "there").read_text() == "old"
        assert not (tmp_path / "new").exists()

    # --- the end --------------------------------------------------------------------------------------------------

    def test_close_may_be_called_twice_and_is_final(self, state: Making) -> None:
        kernel = state()
        kernel.close()
        kernel.close()
        with pytest.raises(KernelError):
            run_trial(kernel, "1")

    def test_close_cancels_what_runs(self, state: Making) -> None:
        self._needs_processes()
        kernel = state("x = 1")
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(run_trial, kernel, "import time\ntime.sleep(300)", timeout=300)
            time.sleep(2)
            kernel.close()
            assert running.result(timeout=60).ending is Ending.CANCELLED

    def _needs_processes(self) -> None:
        if not self.has_processes:
            pytest.skip("its trials are no processes")
