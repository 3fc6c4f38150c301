"""The fallback where forking is unsafe or impossible: a new kernel in which the earlier cells that matter run again.

The state is *reconstructed*: objects are equal, not the same, and side effects of the cells that run again are repeated
(into an overlay where there is one). Cells on which the request does not depend, and expensive cells, are left out.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.fork import sandbox, sandbox_errors
from jupyter_selfheal.kernels.kernel_pool import KernelPool, probe_layers
from jupyter_selfheal.kernels.replay_plan import PastCell, describe_replay, list_needed_cells
from jupyter_selfheal.kernels.trial_session import TrialSession, run_steps
from jupyter_selfheal.model import (
    Cell,
    Ending,
    Isolation,
    Keep,
    Launch,
    Run,
    Sandbox,
    Start,
    StepResult,
    Trial,
    TrialRequest,
)

REPLAY_GRACE, REPLAY_FACTOR = 20.0, 10.0
"""An earlier cell may take these seconds, and so many times what it took when it ran, when it is run again."""


@dataclass(slots=True)
class _Live:
    """A process that is in the state of a recipe, as far as the cells at ``done`` go. Belongs to one FreshKernel."""

    session: TrialSession
    done: tuple[int, ...]
    writes: str


class FreshKernel:
    """A :class:`~jupyter_selfheal.ports.TrialKernel` over real kernels of a kernelspec.

    ``recipe`` are the cells that ran, in the order in which they ran. The ``writes`` of ``launch`` are what holds where a request's sandbox
    allows writes, and its ``network`` what the kernels have before a request takes it from them. ``replay_timeout`` in seconds bounds the
    earlier cells together. With ``ahead`` a kernel is started in advance, so that a trial need not wait for one. ``paths`` are first on
    ``sys.path`` in this state (scratch installs).
    """

    is_exact = False

    def __init__(
        self,
        launch: Launch,
        recipe: Sequence[Cell | PastCell] = (),
        *,
        start: Start = Start.BEFORE_CELL,
        replay_timeout: float = 600.0,
        ahead: bool = True,
        paths: Sequence[str] = (),
    ) -> None:
        self._recipe = tuple(c if isinstance(c, PastCell) else PastCell(c.source, c.id, c.expensive) for c in recipe)
        self._paths = tuple(paths)
        self._start, self._writes, self._replay_timeout = start, launch.writes, replay_timeout
        self._pool = KernelPool(launch, ahead)
        self._pool.add_user()
        self._pool.start_ahead(launch.writes if ahead else "")
        self._lock = threading.Lock()
        self._live: _Live | None = None
        self._running: set[TrialSession] = set()
        self._closed = False

    @property
    def start(self) -> Start:
        """See :class:`~jupyter_selfheal.ports.TrialKernel`."""
        return self._start

    @property
    def isolation(self) -> Isolation:
        """What the default sandbox gives here, found by probing once."""
        return _describe_isolation(Sandbox(), probe_layers())

    def run(self, request: TrialRequest) -> tuple[Trial, FreshKernel | None]:
        """Rebuild the state as far as the request needs it (or go on in the process that is in it, where the process may be
        kept), and run the steps. See :meth:`jupyter_selfheal.ports.TrialKernel.run`."""
        began = time.monotonic()
        live, replayed = self._claim_process(request), ""
        try:
            if live is None:
                live, replayed = self._rebuild_state(request)
            trial = self._run_in_process(live, replayed, request, began)
        except BaseException as error:
            if live is not None:  # nobody else knows of its kernel
                live.session.stop()
            if isinstance(error, KernelError) and self._closed:
                return self._build_cancelled_trial(request, began), None
            raise
        return trial, self._keep_state(request, live, trial)

    def _run_in_process(self, live: _Live, replayed: str, request: TrialRequest, began: float) -> Trial:
        ready = time.monotonic()
        with self._register_session(live.session):
            if request.paths:
                live.session.prepend_paths(request.paths)
            if not (request.sandbox.network and request.sandbox.lets_write):
                live.session.enter_sandbox(request.sandbox)
            results, ending, detail = run_steps(live.session, request)
        if self._closed and not live.session.kernel.alive:
            ending, detail = Ending.CANCELLED, "the trial was cancelled"
        return Trial(
            patch_id=request.patch_id,
            steps=results,
            ending=ending,
            start=self._start,
            isolation=_describe_isolation(request.sandbox, probe_layers(), live.session.layers),
            detail="; ".join(filter(None, (detail, replayed))),
            seconds=time.monotonic() - began,
            phases={"replay": (ready - began) * 1e3, "steps": (time.monotonic() - ready) * 1e3},
            blocked=_list_blocked(results, request.sandbox),
            peak_mb=live.session.peak_mb(),
        )

    def _build_cancelled_trial(self, request: TrialRequest, began: float) -> Trial:
        return Trial(
            patch_id=request.patch_id,
            steps=tuple(StepResult("skipped").label(step) for step in request.steps),
            ending=Ending.CANCELLED,
            start=self._start,
            isolation=_describe_isolation(request.sandbox, probe_layers(), ()),
            detail="the trial was cancelled",
            seconds=time.monotonic() - began,
        )

    def close(self) -> None:
        """Stop every kernel of this state, those of running trials too."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            live, running = self._live, list(self._running)
            self._live = None
        for session in [*([live.session] if live else []), *running]:
            session.stop()
        self._pool.remove_user()

    # --- reaching the state -------------------------------------------------------------------------------------------

    def _claim_process(self, request: TrialRequest) -> _Live | None:
        """The process that is in this state, where the request may have it for good."""
        with self._lock:
            if self._closed:
                raise KernelError("this state was closed: open a new one")
            live = self._live
            if live is None or request.keep is Keep.NEVER or not live.session.kernel.alive:
                return None
            fits = live.writes == self._write_policy(request) and (
                live.session.has_network or not request.sandbox.network
            )
            if not fits or not set(list_needed_cells(self._recipe, request.steps)) <= set(live.done):
                return None
            self._live = None
            return live

    def _write_policy(self, request: TrialRequest) -> str:
        return self._writes if request.sandbox.lets_write else request.sandbox.writes

    def _rebuild_state(self, request: TrialRequest) -> tuple[_Live, str]:
        """A new process in this state, and what was run again in words."""
        policy, slice_ = self._write_policy(request), list_needed_cells(self._recipe, request.steps)
        everything = tuple(range(len(self._recipe)))
        for cells in dict.fromkeys((slice_, everything)):
            session = self._pool.take_kernel(policy)
            try:
                with self._register_session(session):
                    failure = self._replay_cells(session, cells)
            except BaseException:
                session.stop()
                raise
            if not failure:
                return _Live(session, cells, policy), describe_replay(self._recipe, cells)
            session.stop()
        raise KernelError(f"the state cannot be reconstructed: {failure}")

    def _replay_cells(self, session: TrialSession, cells: Sequence[int]) -> str | None:
        """Run earlier cells again; says which one fails that did not fail before, if one does."""
        deadline = time.monotonic() + self._replay_timeout
        if self._paths:
            session.prepend_paths(self._paths)
        for past in (self._recipe[n] for n in cells):
            left = max(deadline - time.monotonic(), 0.001)
            # a cell that took a moment, and now has no end, met another state than it did then
            limit = left if past.seconds is None else min(left, REPLAY_GRACE + REPLAY_FACTOR * past.seconds)
            result = session.run_step(Run(past.code, past.cell_id), limit)
            if result.status != "ok" and not (past.failed and result.errors):
                why = f"{result.errors[0].ename}: {result.errors[0].evalue}" if result.errors else result.status
                return f"cell {past.cell_id or past.code[:40]!r}, which ran before, now does not ({why})"
        return None

    @contextlib.contextmanager
    def _register_session(self, session: TrialSession) -> Iterator[None]:
        """While it runs, the session is stopped by :meth:`close`."""
        with self._lock:
            if self._closed:
                session.stop()
                raise KernelError("this state was closed: open a new one")
            self._running.add(session)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(session)

    # --- keeping it ---------------------------------------------------------------------------------------------------

    def _keep_state(self, request: TrialRequest, live: _Live, trial: Trial) -> FreshKernel | None:
        way = Keep.ON_SUCCESS if all(s.ok for s in trial.steps) else Keep.ON_FAILURE
        keeps = request.keep in (Keep.ALWAYS, way)
        if not keeps or trial.ending is not Ending.FINISHED or not live.session.kernel.alive or self._closed:
            live.session.stop()
            return None
        ran = [
            PastCell(step.code, step.cell_id, failed=result.status == "error", seconds=result.seconds)
            for step, result in zip(request.steps, trial.steps, strict=True)
            if isinstance(step, Run) and result.status != "skipped"
        ]
        failed = any(past.failed for past in ran)
        kept = FreshKernel.__new__(FreshKernel)
        kept.__dict__.update(self.__dict__)
        kept._recipe = (*self._recipe, *ran)
        kept._paths = tuple(dict.fromkeys((*request.paths, *self._paths)))
        kept._start = Start.AFTER_FAILURE if failed else Start.BEFORE_CELL
        kept._lock, kept._running, kept._closed = threading.Lock(), set(), False
        done = (*live.done, *range(len(self._recipe), len(kept._recipe)))
        kept._live = _Live(live.session, done, live.writes)
        kept._pool.add_user()
        return kept


def _list_blocked(results: Sequence[StepResult], limits: Sandbox) -> tuple[str, ...]:
    plan = {"network": limits.network, "writes": "allow" if limits.lets_write else limits.writes}
    causes = (sandbox_errors.find_cause(e.ename, e.evalue, plan) for result in results for e in result.errors)
    return tuple(dict.fromkeys(filter(None, causes)))


def _describe_isolation(
    limits: Sandbox, probed: Mapping[str, str | None], on: Sequence[str] | None = None
) -> Isolation:
    wanted_layers = sandbox.list_wanted_layers(limits.network, limits.writes)
    layers = [layer for layer in [*wanted_layers, sandbox.LIMITS] if not probed[layer]] if on is None else on
    missing = tuple(f"{layer}: {probed[layer] or 'not on'}" for layer in wanted_layers if layer not in layers)
    return Isolation("fresh", tuple(dict.fromkeys(layers)), missing)
