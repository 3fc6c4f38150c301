"""A trial kernel without a process: for tests of whatever stands on :class:`~jupyter_selfheal.ports.TrialKernel`.

A state is the list of cells that were run to reach it; a trial runs them again in a new namespace, then its steps. That is
exact for deterministic code and needs no copying of live objects. IPython's own syntax is masked, so magics do nothing.
"""

from __future__ import annotations

import contextlib
import copy
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import (
    Ending,
    Isolation,
    Keep,
    Run,
    Start,
    Step,
    StepResult,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.testing.fake_cells import FakeShell, State, build_display, run_cell, run_probe

_ONE_AT_A_TIME = threading.RLock()  # sys.stdout and sys.path belong to the whole process
_tests_ended = 0


def end_left_trials() -> None:
    """Wait for a trial that a cancelled heal left running on its thread, and let such threads begin no other one.

    For the end of a test: a trial takes back what was changed of the process meanwhile, ``sys.path`` say, and the next test may have changed it.
    """
    global _tests_ended
    with _ONE_AT_A_TIME:
        _tests_ended += 1


class FakeKernel:
    """An in-process :class:`~jupyter_selfheal.ports.TrialKernel`.

    ``history`` are the cells that made the state (a ``Run``, or its source); one that raises leaves its error in
    ``last``, as a kept trial does. ``namespace`` are values deep-copied into every trial.
    Timeouts are kept by tracing, so that a loop in Python is cut and a call into C is not; they are CPU time, whatever else
    the machine does.
    """

    is_exact = True

    def __init__(
        self,
        history: Sequence[str | Run] = (),
        *,
        namespace: Mapping[str, Any] | None = None,
        start: Start = Start.BEFORE_CELL,
    ) -> None:
        self._history = tuple(Run(h) if isinstance(h, str) else h for h in history)
        self._namespace = dict(namespace or {})
        self._start = start
        self._closed = False
        self._made_after = _tests_ended
        self.requests: list[TrialRequest] = []
        """Every request that was run from this state, for assertions."""

    @property
    def start(self) -> Start:
        return self._start

    @property
    def isolation(self) -> Isolation:
        return Isolation("fake")

    @property
    def is_closed(self) -> bool:
        """Whether nothing runs from this state any more, for assertions."""
        return self._closed

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        """See :meth:`jupyter_selfheal.ports.TrialKernel.run`."""
        if self._closed:
            raise KernelError("this state was closed: open a new one")
        self.requests.append(request)
        began = time.perf_counter()
        with _ONE_AT_A_TIME, self._lend_process(request.paths):
            state = self._rebuild_state()
            steps, ending = _run_steps(state, request.steps, time.process_time() + request.timeout)
        trial = Trial(request.patch_id, steps, ending, self.start, self.isolation, seconds=time.perf_counter() - began)
        return trial, self._keep_state(request, trial)

    def _lend_process(self, paths: Sequence[str]) -> contextlib.AbstractContextManager[None]:
        if self._made_after != _tests_ended and threading.current_thread() is not threading.main_thread():
            raise KernelError("the test that made this state is over")
        return _lend_process(paths)

    def close(self) -> None:
        """Idempotent; kernels kept from this one live on."""
        self._closed = True

    def _rebuild_state(self) -> State:
        state = State(FakeShell({"__name__": "__main__", "__builtins__": __builtins__}))
        state.shell.user_ns.update(copy.deepcopy(self._namespace))
        state.shell.user_ns.update(get_ipython=lambda: state.shell, display=build_display(state))
        for cell in self._history:
            run_cell(state, cell, float("inf"))
        return state

    def _keep_state(self, request: TrialRequest, trial: Trial) -> FakeKernel | None:
        failed = any(s.status != "ok" for s in trial.steps)
        way = Keep.ON_FAILURE if failed else Keep.ON_SUCCESS
        if request.keep not in (Keep.ALWAYS, way) or trial.ending is not Ending.FINISHED:
            return None
        ran = [
            s for s, r in zip(request.steps, trial.steps, strict=True) if isinstance(s, Run) and r.status != "skipped"
        ]
        after = Start.AFTER_FAILURE if failed else Start.BEFORE_CELL
        return FakeKernel((*self._history, *ran), namespace=self._namespace, start=after)


def _run_steps(state: State, steps: Sequence[Step], deadline: float) -> tuple[tuple[StepResult, ...], Ending]:
    results: list[StepResult] = []
    ending, over = Ending.FINISHED, False
    for step in steps:
        if over:
            results.append(_build_skipped_result(step))
            continue
        limit = min(deadline, time.process_time() + step.timeout if step.timeout else deadline)
        if isinstance(step, Run):
            result = run_cell(state, step, limit)
            over = not result.ok and not step.go_on
        else:
            result = run_probe(state, step, limit)
        results.append(result)
        if time.process_time() >= deadline:
            ending, over = Ending.TIMED_OUT, True
    return tuple(results), ending


def _build_skipped_result(step: Step) -> StepResult:
    if isinstance(step, Run):
        return StepResult("skipped", role=step.role.value, cell_id=step.cell_id)
    return StepResult("skipped", role="probe", name=step.name)


@contextlib.contextmanager
def _lend_process(paths: Sequence[str]) -> Iterator[None]:
    """This process for one trial, with these paths first. What cells change of it (paths, folder, recursion limit, warnings' filters) is
    taken back, as it goes with a process that is the trial's own."""
    path, folder, limit = sys.path[:], os.getcwd(), sys.getrecursionlimit()
    sys.path[:0] = paths
    with warnings.catch_warnings():
        try:
            yield
        finally:
            sys.path[:] = path
            sys.setrecursionlimit(limit)
            os.chdir(folder)
