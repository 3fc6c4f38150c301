"""An interrupt of an idle kernel (JupyterLab's own button, say) ends the heal that goes on.

ipykernel (6.17 to 7.4) ignores SIGINT except while it handles a message; then Python's own handler is there, and afterwards what was
before. So ours is set between two messages, while a heal is at work, in place of ignoring it: an interrupt of a running cell stays the
cell's alone. Whoever has set a handler of their own keeps it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

from jupyter_selfheal import messages as m

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.live.session import LiveSession

LOOK_SECONDS = 0.2
"""Between two looks whether a heal is at work still, and whether the kernel is between two messages."""


class IdleInterrupt:
    """Sets the handler of one session's kernel, and takes it away again."""

    def __init__(self, session: LiveSession) -> None:
        self._session = session
        self._loop: Any = None
        self._is_looking = False
        self._is_over = False
        session.closers.append(self.stop)

    def watch(self) -> None:
        """A heal has begun; on any thread. Nothing where no event loop runs on the main thread: in a terminal, Ctrl-C ends the heal."""
        asyncio: Any = sys.modules.get("asyncio")
        if threading.current_thread() is threading.main_thread() and asyncio is not None:
            self._loop = asyncio._get_running_loop() or self._loop
        if self._loop is not None and not self._is_looking:
            self._is_looking = True
            self._loop.call_soon_threadsafe(self._look)

    def stop(self) -> None:
        """Healing is switched off; the next look puts back what was there."""
        self._is_over = True

    def _look(self) -> None:
        """On the main thread, in the loop. A copy of the kernel has this call in its loop too, and nothing to do."""
        if os.getpid() != self._session.pid:
            return
        found, is_wanted = signal.getsignal(signal.SIGINT), bool(self._list_working()) and not self._is_over
        if is_wanted and found is signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._handle_signal)
        elif not is_wanted and found == self._handle_signal:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        if is_wanted or found is signal.default_int_handler:  # a message is handled: what is put back then may be ours
            self._loop.call_later(LOOK_SECONDS, self._look)
        else:
            self._is_looking = False

    def _handle_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Nothing but what is safe wherever the main thread is, which may hold a lock: the rest is the loop's."""
        if os.getpid() == self._session.pid:
            self._loop.call_soon_threadsafe(self._end_heals)

    def _end_heals(self) -> None:
        for run in self._list_working():
            self._session.client.send(m.Cancel(run))

    def _list_working(self) -> list[str]:
        return [heal.run for heal in self._session.heals if heal.card.phase == "healing"]
