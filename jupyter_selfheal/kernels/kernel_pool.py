"""Kernels started before they are needed, and what can isolate them."""

from __future__ import annotations

import contextlib
import functools
import json
import subprocess
import sys
import threading
from pathlib import Path

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.launch import build_environment, start_kernel
from jupyter_selfheal.kernels.trial_session import TrialSession
from jupyter_selfheal.model import Launch


class KernelPool:
    """Kernels started in advance, one at a time, for all states that came from one."""

    def __init__(self, launch: Launch, ahead: bool) -> None:
        self._launch, self._ahead = launch, ahead
        self._lock = threading.Lock()
        self._users = 0
        self._ready: dict[str, TrialSession] = {}
        self._starting: threading.Thread | None = None

    def add_user(self) -> None:
        with self._lock:
            self._users += 1

    def remove_user(self) -> None:
        """The last one to leave stops the kernel in reserve, the one that is being started too."""
        with self._lock:
            self._users -= 1
            last, starting = self._users == 0, self._starting
        if last:
            if starting is not None:
                starting.join()
            with self._lock:
                unused, self._ready = self._ready, {}
            for session in unused.values():
                session.stop()

    def take_kernel(self, writes: str) -> TrialSession:
        """A session whose writes are handled so; another one is started behind it."""
        with self._lock:
            starting = self._starting
        if starting is not None:
            starting.join()
        with self._lock:
            session = self._ready.pop(writes, None)
        if session is None or not session.kernel.alive:
            session = self._start_session(writes)
        self.start_ahead(writes)
        return session

    def start_ahead(self, writes: str) -> None:
        """Start a kernel in the background, if none is ready or being started."""
        with self._lock:
            if not self._ahead or self._users == 0 or self._ready or self._starting is not None:
                return
            self._starting = threading.Thread(
                target=self._fill_pool, args=(writes,), name="selfheal-ahead", daemon=True
            )
            self._starting.start()

    def _fill_pool(self, writes: str) -> None:
        session: TrialSession | None = None
        try:
            with contextlib.suppress(KernelError, OSError):  # the one who needs it will meet the same error, and say it
                session = self._start_session(writes)
        finally:
            with self._lock:
                self._starting = None
                if session is not None and self._users:
                    self._ready[writes] = session
                    session = None
        if session is not None:
            session.stop()

    def _start_session(self, writes: str) -> TrialSession:
        return TrialSession(
            start_kernel(
                self._launch.kernelspec,
                self._launch.folder,
                writes=writes,
                strict=writes != "allow",
                network=self._launch.network,
                env=build_environment(self._launch),
            )
        )


@functools.cache
def probe_layers() -> dict[str, str | None]:
    """The layers of this machine, asked of a process of its own: ours has threads."""
    warden = str(Path(__file__).with_name("warden.py"))
    asked = subprocess.run(
        [sys.executable, "-I", "-S", warden, '{"probe": true}'], capture_output=True, text=True, timeout=60, check=False
    )
    try:
        return dict(json.loads(asked.stdout))
    except ValueError as error:
        raise KernelError(f"the sandbox cannot be probed: {asked.stderr.strip()[-300:]}") from error
