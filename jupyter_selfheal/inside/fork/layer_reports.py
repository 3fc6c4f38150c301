"""What one frozen copy of a kernel found of the sandbox's layers, told to the kernel, so that its next copies need not look.

One pipe between the kernel and its copies. Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import time

from jupyter_selfheal.inside.fork import sandbox

LAYERS_SECONDS = 600.0
"""How long what one copy found of the sandbox's layers counts for the next: to find it takes a process and a network namespace, a
tenth of what a heal takes. A layer that is no more to be had by then fails, and the trial with it: it never runs outside."""

_NEEDED = (sandbox.NETWORK, sandbox.SOCKETS, sandbox.OVERLAY, sandbox.READ_ONLY)
"""What every trial relies on."""


class LayerReports:
    """What the copies of this process tell it of the sandbox's layers. Only a report that nothing is missing is kept: what is may be
    had again."""

    def __init__(self) -> None:
        self.known: dict[str, str | None] | None = None
        self._until = 0.0
        self._ends: tuple[int, int] | None = None
        self._pipe = 0
        """The system's number of that pipe: a cell may close descriptors of ours, and open something else under their numbers."""
        self._pid = 0

    def open_report(self) -> int:
        """The end on which the copy that is made now tells what it finds; -1 where that is known."""
        if os.getpid() != self._pid:  # a fork of the user's shares the pipe with the kernel
            self.known, self._ends, self._pid = None, None, os.getpid()
        if self.known is not None and time.monotonic() > self._until:
            self.known = None
        if self._ends is not None and not all(ours := [self._is_ours(end) for end in self._ends]):
            for end in itertools.compress(self._ends, ours):
                os.close(end)
            self._ends = None
        if self._ends is not None:
            self._take_report(self._ends)
        if self.known is not None:
            return -1
        if self._ends is None:
            self._ends = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            self._pipe = os.fstat(self._ends[0]).st_ino
        return self._ends[1]

    def _is_ours(self, end: int) -> bool:
        with contextlib.suppress(OSError):
            return os.fstat(end).st_ino == self._pipe
        return False

    def _take_report(self, ends: tuple[int, int]) -> None:
        try:
            found = json.loads(os.read(ends[0], 1 << 16).partition(b"\n")[0])
        except (OSError, ValueError):  # nothing was said yet
            return
        if not isinstance(found, dict):
            return
        if set(found) == set(sandbox.LAYERS) and not any(found[layer] for layer in _NEEDED):
            self.known, self._until, self._ends = found, time.monotonic() + LAYERS_SECONDS, None
            for end in ends:
                os.close(end)
