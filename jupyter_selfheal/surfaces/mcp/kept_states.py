"""The states of a notebook that are kept between calls, so that a patch is tried without running the cells above it again.

A batch run closes each state as soon as it stands behind the next cell. Here its states are wrapped: one that stands directly before a
cell, or behind a failure, stays open when the run lets go of it, until the keeper is closed or has too many.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import JSON, Isolation, Keep, Probe, Role, Run, Start, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.mcp.meter import Meter, get_meter

MOST_STATES = 24
"""States kept of one notebook, those around failures not counted. Each is a process that shares its memory with the others."""

ASK_SECONDS = 20.0
"""Seconds that a question to a state may take."""


class StateKeeper:
    """The kept states of one version of a notebook, by cell id. Thread-safe."""

    def __init__(self, most: int = MOST_STATES) -> None:
        self._most = most
        self._lock = threading.RLock()
        self._open: set[KeptState] = set()
        self._before: dict[str, KeptState] = {}
        self._pinned: set[KeptState] = set()
        self._released: set[KeptState] = set()
        self._closed = False

    def wrap(self, state: TrialKernel, meter: Meter | None = None) -> KeptState:
        """A state that is run from through the keeper. Raises :class:`KernelError` once the keeper is closed."""
        wrapped = KeptState(state, self, meter)
        with self._lock:
            if not self._closed:
                self._open.add(wrapped)
                return wrapped
        state.close()
        raise KernelError("the call was cancelled, or the notebook's states were let go: call again")

    @property
    def is_closed(self) -> bool:
        with self._lock:
            return self._closed

    def mark_before(self, cell_id: str, state: TrialKernel) -> None:
        """Keep the state as the one directly before a cell."""
        with self._lock:
            if isinstance(state, KeptState):
                self._before.setdefault(cell_id, state)
            self._let_go_of_some(cell_id)

    def pin(self, states: Iterable[TrialKernel]) -> None:
        """Keep these for as long as the keeper is open: the states around a failure."""
        with self._lock:
            self._pinned |= {s for s in states if isinstance(s, KeptState)}

    def find_before(self, cell_id: str) -> KeptState | None:
        """The state directly before a cell, where it is kept."""
        with self._lock:
            return self._before.get(cell_id)

    def release(self, state: KeptState) -> None:
        """Whoever ran from the state is done with it: it stays open only if it is kept."""
        with self._lock:
            self._released.add(state)
            kept = state in self._pinned or state in self._before.values()
        if not kept:
            self._end_state(state)

    def close(self) -> None:
        """End every state, and what is being run from it. Idempotent."""
        with self._lock:
            self._closed = True
            states = list(self._open)
        for state in states:
            self._end_state(state)

    def _let_go_of_some(self, needed: str) -> None:
        """Every other of the states that are kept for speed alone: what is between two is made again from the first of them."""
        loose = [c for c, s in self._before.items() if s not in self._pinned and c != needed]
        if len(loose) <= self._most:
            return
        for cell_id in loose[1::2]:
            state = self._before.pop(cell_id)
            if state in self._released and state not in self._before.values():
                self._end_state(state)

    def _end_state(self, state: KeptState) -> None:
        with self._lock:
            self._open.discard(state)
        state.end()


class KeptState:
    """A :class:`~jupyter_selfheal.ports.TrialKernel` whose end the keeper decides on."""

    def __init__(self, state: TrialKernel, keeper: StateKeeper, meter: Meter | None = None) -> None:
        self._state = state
        self._keeper = keeper
        self._meter = meter

    @property
    def start(self) -> Start:
        return self._state.start

    @property
    def isolation(self) -> Isolation:
        return self._state.isolation

    @property
    def is_exact(self) -> bool:
        return self._state.is_exact

    def run(self, request: TrialRequest) -> tuple[Trial, KeptState | None]:
        """Run from the state, count it, and remember which cell the state stands before."""
        first = request.steps[0] if request.steps else None
        if isinstance(first, Run) and first.role is Role.CELL and first.cell_id and request.keep is Keep.ALWAYS:
            self._keeper.mark_before(first.cell_id, self)
        trial, after = self._state.run(request)
        (self._meter or get_meter()).count_trial(trial)
        return trial, self._keeper.wrap(after, self._meter) if after is not None else None

    def ask(self, source: str) -> JSON:
        """What a probe says of the state. It is no trial, and is not counted as one."""
        trial, _ = self._state.run(TrialRequest((Probe(source, timeout=ASK_SECONDS),), timeout=ASK_SECONDS))
        return trial.probe("probe")

    def count_by(self, meter: Meter) -> KeptState:
        """The same state, what is run from it counted for a call whose trials run on threads of their own."""
        return KeptState(self._state, self._keeper, meter)

    def close(self) -> None:
        """Let go of it; the keeper may go on holding it."""
        self._keeper.release(self)

    def end(self) -> None:
        """Close the state itself."""
        self._state.close()
