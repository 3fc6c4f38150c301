"""When this kernel is frozen, and what becomes of the frozen copies.

A copy before every cell makes the best proofs, and costs what a fork costs: it is made while the cells can pay for it
(:class:`CopyAllowance`), always for ``%%heal``, and never where the gate refuses. One after the failure is made of every
failure that is healed; where there is none from before the cell, a second one stands in for it. At most ``AT_MOST`` copies
live that nobody works from: the oldest goes first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from jupyter_selfheal.surfaces.live import LazyModule
from jupyter_selfheal.surfaces.live.cell_log import CellLog

if TYPE_CHECKING:
    from jupyter_selfheal.inside.fork import zygote
    from jupyter_selfheal.messages import StateAddress
else:
    zygote = LazyModule("inside.fork.zygote")  # half of what loading would cost, and nothing where no copy is made

BEFORE_CELL, AFTER_FAILURE, STANDS_IN = (
    "before the cell",
    "after the failure",
    "after the failure (the whole cell run again)",
)
"""Values of :class:`jupyter_selfheal.model.Start`."""

BASE_MS = 5.0
"""Milliseconds that every cell may wait for a copy, however short it is."""

SHARE = 0.02
"""Of what cells take, how much they may wait besides: 40 ms of a cell of two seconds."""

SAVED_AT_FIRST_MS, SAVED_AT_MOST_MS = 100.0, 1000.0
"""Milliseconds that a session begins with, and that it may save for a copy."""

AT_MOST = 2
"""Frozen copies at a time: each holds the memory that the user's kernel has changed since."""

AT_WORK = 6
"""Copies at a time where several failures came before the first heal ended: those are not taken from under it."""

REMEMBERED = 20
"""Cells of which ``%heal status`` says how many were copied before."""


class Frozen(NamedTuple):
    """A frozen copy: where it is reached, its process, and what it is to the cell at hand."""

    socket: str
    pid: int
    start: str

    @property
    def address(self) -> StateAddress:
        """As the worker is told of it."""
        from jupyter_selfheal.messages import StateAddress
        from jupyter_selfheal.model import Start

        return StateAddress(self.socket, Start(self.start), self.pid)


class Handed(NamedTuple):
    """A copy that a heal was given; ``is_loan`` where it is for one question alone, and the heal's own states are others."""

    run: str
    pid: int
    is_loan: bool = False


class CopyAllowance:
    """What copies before cells may cost: every cell earns a little, a long one more, and a copy spends what it cost.

    What one costs is taken to be the least of the last three: a single slow one on a loaded machine says nothing.
    """

    def __init__(self) -> None:
        self.saved_ms = SAVED_AT_FIRST_MS
        self._costs: list[float] = []

    @property
    def expected_ms(self) -> float:
        """What the next copy is expected to cost; 0 where none was made yet."""
        return min(self._costs, default=0.0)

    @property
    def is_enough(self) -> bool:
        """Whether the next copy can be paid."""
        return self.expected_ms <= self.saved_ms

    def earn(self, seconds: float) -> None:
        """A cell ran for so long."""
        self.saved_ms = min(self.saved_ms + BASE_MS + 1000 * SHARE * seconds, SAVED_AT_MOST_MS)

    def record_cost(self, ms: float) -> None:
        """A copy was made and cost so much."""
        self._costs = [*self._costs[-2:], ms]

    def spend(self, ms: float) -> None:
        """A cell waited for its copy."""
        self.saved_ms -= ms


class Checkpoints:
    """The frozen copies of one kernel. All methods but :meth:`release` must be called on the main thread."""

    def __init__(self, shell: Any, cells: CellLog) -> None:
        self._shell = shell
        self._cells = cells
        self._before: tuple[Frozen, ...] = ()
        self._handed: list[Handed] = []
        """The copies that heals were given, the oldest first."""
        self._agents: list[int] = []
        """Processes of the copies that a coding agent's server was given."""
        self.is_working: Callable[[str], bool] = lambda run: False
        self._has_forked = False
        self._last_ms = 0.0
        self.allowance = CopyAllowance()
        self._copied: list[bool] = []
        """Of the last cells that ran while suggestions were on: whether a copy was made before."""
        self._given: set[str] = set()
        """Runs that were given a state, and have not ended."""
        self.on_taken: Callable[[str], None] = lambda run: None
        """Called with a run whose states were taken from it, so that others may live."""
        self.abandoned = False
        """Set from any thread: the worker is gone, and with it whoever would have let go of the copies."""
        self.refusal = ""
        """Why the last copy could not be made; empty where it could."""

    @property
    def status_text(self) -> str:
        """For ``%heal status``."""
        if self.refusal:
            return f"off: {self.refusal}"
        if not self._copied:
            return "none made yet"
        made, cells, cost = sum(self._copied), len(self._copied), self.allowance.expected_ms
        if made == cells:
            return f"before every cell ({cost:.1f} ms)"
        why = "none is made while a fix waits for you, or where it would cost more than 2 % of what cells take"
        return f"before {made} of the last {cells} cells ({cost:.1f} ms each): {why}"

    def freeze_before_cell(self, *, forced: bool, suggesting: bool) -> None:
        """A cell is about to run. ``forced``: it has ``%%heal``; ``suggesting``: suggestions are on and none is open."""
        self.discard_state_before_cell()
        if self.abandoned:
            self.close()
            self.abandoned = False
        if self._has_forked:
            zygote.collect_ended()
        if forced or (suggesting and self.allowance.is_enough):
            self._before = self._freeze_kernel(BEFORE_CELL, None)
            self.allowance.spend(0.0 if forced or self.refusal else self._last_ms)
        self._copied = [*self._copied[1 - REMEMBERED :], bool(self._before)]

    @property
    def state_before_cell(self) -> tuple[StateAddress, ...]:
        """The copy that was made before the cell that runs; empty where none was."""
        return tuple(state.address for state in self._before)

    def discard_state_before_cell(self) -> None:
        """The cell ran: nobody needs the state before it."""
        for state in self._before:
            zygote.discard(state.pid)
        self._before = ()

    def freeze_after_failure(
        self, run: str, error: BaseException | None, *, alone: bool = False
    ) -> tuple[StateAddress, ...]:
        """The states of a heal that begins now; they are the worker's from here on. ``error`` None: nothing was raised.
        ``alone``: the state before the cell is not wanted where there is one after the failure."""
        after = self._freeze_kernel(AFTER_FAILURE, error) if error is not None else ()
        if alone and after:
            self.discard_state_before_cell()
        elif after and not self._before:
            self._before = self._freeze_kernel(STANDS_IN, error)
        states, self._before = (*self._before, *after), ()
        for state in states:
            self._hand_to_run(run, state)
        return tuple(state.address for state in states)

    def freeze_now(self, run: str, start: str = BEFORE_CELL, *, is_loan: bool = False) -> tuple[StateAddress, ...]:
        """The state as it is. ``start`` says what is to be run from here: whatever comes next, or what was left after the
        failure. ``is_loan``: to prove one patch again, after which it is let go; the heal does not go on from it."""
        states = self._freeze_kernel(start, None)
        for state in states:
            self._hand_to_run(run, state, is_loan=is_loan)
        return tuple(state.address for state in states)

    def freeze_for_agent(self, start: str) -> tuple[StateAddress, ...]:
        """The state as it is, for whoever asks from outside; it takes none of the copies of a heal. Of two at most the older goes."""
        zygote.collect_ended()
        self._agents = [pid for pid in self._agents if _is_alive(pid)]
        for pid in self._agents[: 1 - AT_MOST]:
            zygote.discard(pid)
        states = self._freeze_kernel(start, None)
        self._agents += [state.pid for state in states]
        return tuple(state.address for state in states)

    def release(self, states: tuple[StateAddress, ...]) -> None:
        """Let go of frozen states that nobody took over."""
        for state in states:
            zygote.discard(state.pid)

    def end_at_once(self, states: tuple[StateAddress, ...]) -> None:
        """Nobody is to wait for what runs in these."""
        for state in states:
            zygote.discard_at_once(state.pid)

    def close(self) -> None:
        """End every copy, and wait for that."""
        self._before = ()
        self._handed.clear()
        if self._has_forked:
            zygote.discard_all()

    def _hand_to_run(self, run: str, state: Frozen, *, is_loan: bool = False) -> None:
        zygote.collect_ended()
        if not is_loan:
            self._given.add(run)
        self._handed = [*(entry for entry in self._handed if _is_alive(entry.pid)), Handed(run, state.pid, is_loan)]
        idle = [entry for entry in self._handed if entry.run != run and not self.is_working(entry.run)]
        while len(self._handed) > AT_MOST and (idle or len(self._handed) > AT_WORK):
            dropped = idle.pop(0) if idle else self._handed[0]
            self._handed.remove(dropped)
            zygote.discard(dropped.pid)
            if not dropped.is_loan and not self._has_state(dropped.run):
                self.on_taken(dropped.run)

    def has_lost_states(self, run: str) -> bool:
        """Whether a run had states of which none is left; one that is only lent to it for a proof is none of them."""
        return run in self._given and not self._has_state(run)

    def _has_state(self, run: str) -> bool:
        return any(e.run == run and not e.is_loan and _is_alive(e.pid) for e in self._handed)

    def _freeze_kernel(self, start: str, error: BaseException | None) -> tuple[Frozen, ...]:
        self._has_forked = True
        try:
            reply = zygote.checkpoint(self._shell, error=error)
        except OSError as refused:
            reply = {"refused": f"the system would not fork: {refused.strerror}"}
        self.refusal = str(reply.get("refused", ""))
        if self.refusal:
            return ()
        self._last_ms = float(reply["ms"])
        self.allowance.record_cost(self._last_ms)
        return (Frozen(str(reply["socket"]), int(reply["pid"]), start),)


def _is_alive(pid: int) -> bool:
    """Whether a child of this process, collected or not, is still there. A process of that number which we may not signal is no child of ours."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
