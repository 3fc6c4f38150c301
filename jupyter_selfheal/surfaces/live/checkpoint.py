"""When this kernel is frozen, and what becomes of the frozen copies.

A copy before every cell makes the best proofs, and costs what a fork costs: it is made while that stays under
``LIMIT_MS``, always for ``%%heal``, and never where the gate refuses. One after the failure is made of every failure that
is healed. At most ``AT_MOST`` copies live that nobody works from: the oldest goes first.
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

BEFORE_CELL, AFTER_FAILURE = "before the cell", "after the failure"
"""Values of :class:`jupyter_selfheal.model.Start`."""

LIMIT_MS = 5.0
"""Milliseconds that a copy before an ordinary cell may cost."""

AT_MOST = 2
"""Frozen copies at a time: each holds the memory that the user's kernel has changed since."""

AT_WORK = 6
"""Copies at a time where several failures came before the first heal ended: those are not taken from under it."""

PAUSE_CELLS = 20
"""Cells run without a copy after one that cost too much, before the cost is measured again."""


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


class Checkpoints:
    """The frozen copies of one kernel. All methods but :meth:`release` must be called on the main thread."""

    def __init__(self, shell: Any, cells: CellLog) -> None:
        self._shell = shell
        self._cells = cells
        self._before: tuple[Frozen, ...] = ()
        self._handed: list[tuple[str, int]] = []
        """Run and process of each copy that a heal was given, the oldest first."""
        self.is_working: Callable[[str], bool] = lambda run: False
        self._has_forked = False
        self._last_ms = 0.0
        self._pause = 0
        self.abandoned = False
        """Set from any thread: the worker is gone, and with it whoever would have let go of the copies."""
        self.refusal = ""
        """Why the last copy could not be made; empty where it could."""

    @property
    def status_text(self) -> str:
        """For ``%heal status``."""
        if self.refusal:
            return f"off: {self.refusal}"
        if self._pause:
            return f"only for %%heal: the last one cost {self._last_ms:.1f} ms, the limit is {LIMIT_MS:g} ms"
        return f"before every cell ({self._last_ms:.1f} ms)" if self._last_ms else "none made yet"

    def freeze_before_cell(self, *, forced: bool, suggesting: bool) -> None:
        """A cell is about to run. ``forced``: it has ``%%heal``; ``suggesting``: suggestions are on and none is open."""
        self.discard_state_before_cell()
        if self.abandoned:
            self.close()
            self.abandoned = False
        if self._has_forked:
            zygote.collect_ended()
        if self._pause and not forced:
            self._pause -= 1
        elif forced or suggesting:
            self._before = self._freeze(BEFORE_CELL, None)
            if self._last_ms > LIMIT_MS:
                self._pause = PAUSE_CELLS

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
        after = self._freeze(AFTER_FAILURE, error) if error is not None else ()
        if alone and after:
            self.discard_state_before_cell()
        states, self._before = (*self._before, *after), ()
        for state in states:
            self._hand_to_run(run, state)
        return tuple(state.address for state in states)

    def freeze_now(self, run: str, start: str = BEFORE_CELL) -> tuple[StateAddress, ...]:
        """The state as it is, to prove a patch from again. ``start`` says what is to be run from here: whatever comes next,
        or what was left after the failure."""
        return tuple(state.address for state in self._freeze_for_run(run, start, None))

    def release(self, states: tuple[StateAddress, ...]) -> None:
        """Nobody took these."""
        for state in states:
            zygote.discard(state.pid)

    def close(self) -> None:
        """End every copy, and wait for that."""
        self._before = ()
        self._handed.clear()
        if self._has_forked:
            zygote.discard_all()

    def _freeze_for_run(self, run: str, start: str, error: BaseException | None) -> tuple[Frozen, ...]:
        states = self._freeze(start, error)
        for state in states:
            self._hand_to_run(run, state)
        return states

    def _hand_to_run(self, run: str, state: Frozen) -> None:
        zygote.collect_ended()
        self._handed = [*(entry for entry in self._handed if _is_alive(entry[1])), (run, state.pid)]
        idle = [entry for entry in self._handed if entry[0] != run and not self.is_working(entry[0])]
        while len(self._handed) > AT_MOST and (idle or len(self._handed) > AT_WORK):
            dropped = idle.pop(0) if idle else self._handed[0]
            self._handed.remove(dropped)
            zygote.discard(dropped[1])

    def _freeze(self, start: str, error: BaseException | None) -> tuple[Frozen, ...]:
        self._has_forked = True
        try:
            reply = zygote.checkpoint(self._shell, error=error)
        except OSError as refused:
            reply = {"refused": f"the system would not fork: {refused.strerror}"}
        self.refusal = str(reply.get("refused", ""))
        if self.refusal:
            return ()
        self._last_ms = float(reply["ms"])
        return (Frozen(str(reply["socket"]), int(reply["pid"]), start),)


def _is_alive(pid: int) -> bool:
    """Whether a child of this process, collected or not, is still there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
