"""A frozen copy of a kernel, from which trials are forked.

    found = checkpoint(shell)       # in the user's kernel, on its main thread: {"socket": …, "pid": …} or {"refused": why}

``checkpoint`` forks the kernel. The copy (the *zygote*) never runs user code: it waits on a Unix socket in a private
folder for requests, and forks a *guard* for each, which forks the *trial*. A trial that is kept freezes and becomes a
zygote itself. Nothing of it outlives the user's kernel (every process waits on its pidfd) or the engine's connection.

    kernel ─fork→ zygote ─fork→ guard ─fork→ trial (─kept→ zygote ─fork→ …)

The first zygote of a lineage is the subreaper of all that follows and goes last, so that no process ever becomes an orphan.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import select
import signal
import socket
import sys
import tempfile
import time
from typing import Any

from jupyter_selfheal.kernels import descriptors, event_loop, gate, guard, hygiene
from jupyter_selfheal.kernels.capture import Capture, Memory
from jupyter_selfheal.kernels.steps import Last, known_cells
from jupyter_selfheal.kernels.trial import State, Trial

_children: dict[int, tuple[str, str]] = {}
"""Zygotes of this process, each with its socket and, where it was made for it, the folder of that."""


# --- in the user's kernel -----------------------------------------------------------------------------------------


def checkpoint(
    shell: Any,
    *,
    socket_dir: str = "",
    result: Any = None,
    error: BaseException | None = None,
    stdout: str = "",
    headroom_mb: int = 512,
) -> dict[str, Any]:
    """Freeze a copy of this process, now. Must be called on the main thread.

    ``socket_dir`` is an existing folder (0700) for the socket; without it one is made, and the zygote removes it.
    ``result``, ``error`` (with its live traceback) and ``stdout`` are what the last cell left, for probes.

    Returns ``{"socket": path, "pid": …, "ms": …}``, or ``{"refused": why}`` where the gate finds forking unsafe. Raises
    ``OSError`` where the system cannot fork. Call :func:`reap` now and then.
    """
    why = gate.refusal(headroom_mb)
    if why:
        return {"refused": why}
    began = time.monotonic()
    reap()
    own = "" if socket_dir else private_folder()
    path = os.path.join(socket_dir or own, f"z{os.getpid()}-{time.monotonic_ns():x}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(1)
    alive = os.pidfd_open(os.getpid())
    _flush()
    loop = event_loop.current()
    pid = hygiene.fork()
    if pid == 0:
        _live(lambda: _Zygote.first(shell, Last(result, error, stdout), loop, listener, (path, own), alive))
    listener.close()
    os.close(alive)
    _children[pid] = (path, own)
    return {"socket": path, "pid": pid, "ms": round((time.monotonic() - began) * 1e3, 2)}


def private_folder() -> str:
    """A new folder (0700) whose name leaves room for a socket's: the system takes at most 107 bytes (unix(7))."""
    for base in (tempfile.gettempdir(), "/tmp", "/dev/shm"):
        if len(os.fsencode(base)) <= 60 and os.access(base, os.W_OK):
            return tempfile.mkdtemp(prefix="selfheal-", dir=base)
    return tempfile.mkdtemp(prefix="selfheal-")


def reap() -> None:
    """Collect zygotes of this process that have ended, so that none stays as a zombie."""
    for pid in list(_children):
        with contextlib.suppress(ChildProcessError):
            if not os.waitpid(pid, os.WNOHANG)[0]:
                continue
        _remove(_children.pop(pid))


def discard(pid: int) -> None:
    """End a zygote of this process and all of its trials."""
    if pid in _children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        _remove(_children[pid])
        reap()


def _remove(files: tuple[str, str]) -> None:
    socket_file, folder = files
    with contextlib.suppress(OSError):
        os.unlink(socket_file)
    if folder:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def discard_all(seconds: float = 5.0) -> None:
    """End every zygote of this process and wait until they are collected, at most so long."""
    for pid in list(_children):
        discard(pid)
    until = time.monotonic() + seconds
    while _children and time.monotonic() < until:
        time.sleep(0.005)
        reap()


def in_trial() -> bool:
    """True in a trial: hooks of this product that came along with the fork must do nothing there."""
    return bool(getattr(sys, "_selfheal_trial", False))


def register_cell(file: str, cell_id: str) -> None:
    """Say which cell was compiled under a file name, so that frames in its functions are found to be that cell's."""
    known_cells()[file] = cell_id


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(Exception):  # whatever the user put there
            stream.flush()  # type: ignore[union-attr]
    for reference in list(getattr(logging, "_handlerList", ())):
        with contextlib.suppress(Exception):
            reference().flush()


# --- the copy -----------------------------------------------------------------------------------------------------


def _live(first: Any) -> None:
    """The life of a forked copy: wait as a zygote; in a trial forked from it, run; if that is kept, wait again; …

    A loop rather than calls within calls, so that the stack of the hundredth kept state is no deeper than the first's.
    """
    code = 1
    try:
        zygote: _Zygote = first()
        while True:
            trial = zygote.serve()
            zygote = _Zygote(trial.state, trial.run())
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


class _Zygote:
    """A state that waits for requests."""

    def __init__(self, state: State, control: socket.socket | None = None) -> None:
        self.state = state
        self.control = control
        self.listener: socket.socket | None = None
        self.files = ("", "")
        self.is_first = False
        self.closing = False
        self.guards: dict[int, tuple[int, int]] = {}
        """pidfd of each guard → its pid, and the pipe on which it names a kept trial."""
        self.kept: dict[int, int] = {}
        self.state_children = set(guard.children(os.getpid()))
        gc.freeze()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    @classmethod
    def first(
        cls, shell: Any, last: Last, loop: Any, listener: socket.socket, files: tuple[str, str], alive: int
    ) -> _Zygote:
        """Turn this fresh copy of the user's kernel into a zygote. The order:

        1. streams first, as a debugger prints when its hooks go; 2. signals and exit handlers, as nothing of the user's
        may run here; 3. descriptors and maps, from here on nothing is shared; 4. threads' remains and the event loop.
        """
        capture = Capture(shell)
        signals = hygiene.deaf_to_signals()
        os.setpgid(0, 0)
        hygiene.adopt_orphans()
        hygiene.be_first_to_be_killed()
        hygiene.set_name(hygiene.ZYGOTE)
        hygiene.forget_exit_handlers()
        hygiene.stop_tracing()
        hygiene.stop_history(shell)
        descriptors.quarantine([listener.fileno(), alive])
        descriptors.silence()
        descriptors.unshare_memory()
        hygiene.new_executor_workers()
        hygiene.one_native_thread()
        zygote = cls(State(shell, last, capture, loop, alive, signals))
        zygote.listener = listener
        zygote.files = files
        zygote.is_first = True
        return zygote

    def serve(self) -> Trial:
        """Wait for requests until there is nobody left to wait for. Returns only in a trial."""
        while True:
            poll = select.poll()
            watched = [self.state.alive, *self.guards, *self.kept]
            watched += [s.fileno() for s in (self.listener, self.control) if s is not None]
            for number in watched:
                poll.register(number, select.POLLIN)
            ready = {number for number, _ in poll.poll()}
            if self.state.alive in ready:
                self._end(everything=True)
            kept_ended = ready & set(self.kept)  # now: the number of a guard's pidfd is soon that of its kept trial's
            for number in ready & set(self.guards):
                self._guard_ended(number)
            for number in kept_ended:
                os.close(number)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self.kept.pop(number), 0)
            if self.listener is not None and self.listener.fileno() in ready:
                self._accept()
            elif self.control is not None and self.control.fileno() in ready:
                trial = self._request()
                if trial is not None:
                    return trial
            self._adopt()
            if self.closing and not self.guards and not self.kept:
                self._end(everything=not self._others())

    # --- the connection -------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        """Take one connection of the same user's; there never is another."""
        assert self.listener is not None
        connection, _ = self.listener.accept()
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        user = int.from_bytes(credentials[4:8], sys.byteorder)
        if user not in (os.getuid(), 0):
            connection.close()
            return
        self.control = connection
        self.listener.close()
        self.listener = None
        _remove(self.files)

    def _request(self) -> Trial | None:
        assert self.control is not None
        try:
            data, numbers, _, _ = socket.recv_fds(self.control, 65536, 8)
        except ConnectionResetError:
            data, numbers = b"", []
        if not data:
            self.control.close()
            self.control = None
            self.closing = True
            return None
        for number in numbers:
            os.set_inheritable(number, False)
        order = json.loads(data)
        channels = [socket.socket(fileno=number) for number in numbers]
        if order["do"] == "probe":
            channels[0].sendall(json.dumps(self.state.probed()).encode())
            for channel in channels:
                channel.close()
            return None
        order["received"] = time.monotonic()
        return self._fork_guard(order, channels)

    # --- trials ---------------------------------------------------------------------------------------------------

    def _fork_guard(self, order: dict[str, Any], channels: list[socket.socket]) -> Trial | None:
        """In this process None, in the trial (a grandchild) what it is to do; the guard in between never returns."""
        if order["sandboxed"]:
            self.state.probed()
        names_read, names_write = os.pipe()
        me = os.getpid()
        pid = hygiene.fork()
        if pid == 0:
            os.close(names_read)
            return self._be_guard(order, channels, names_write, me)
        os.close(names_write)
        for channel in channels:
            channel.close()
        self.guards[os.pidfd_open(pid)] = (pid, names_read)
        return None

    def _be_guard(self, order: dict[str, Any], channels: list[socket.socket], names: int, zygote: int) -> Trial | None:
        order["guarded"] = time.monotonic()
        lifelines = [self.state.alive, os.pidfd_open(zygote)]  # no PDEATHSIG: a guard must not die without its trial
        hygiene.set_name(hygiene.GUARD)
        os.setpgid(0, 0)
        hygiene.adopt_orphans()
        for listening in (self.listener, self.control):
            if listening is not None:
                listening.close()
        for number, (_, other) in self.guards.items():
            os.close(number)
            os.close(other)
        status = channels.pop(1)
        memory = Memory()
        words_read, words_write = os.pipe()
        me = os.getpid()
        pid = hygiene.fork()
        if pid == 0:
            for number in (names, words_read, lifelines[1]):
                os.close(number)
            status.close()
            return Trial(self.state, order, channels, memory, words_write, me)
        os.close(words_write)
        for channel in channels:
            channel.close()
        watch = guard.Guard(pid, order, status, words_read, memory)
        if watch.watch(lifelines) == guard.KEPT:
            watch.ending = "finished"
            os.write(names, str(pid).encode())
        else:
            guard.kill_tree(pid)
        watch.report(finished=watch.code == 0 and watch.ending != "timed out")
        raise SystemExit(0)

    def _guard_ended(self, number: int) -> None:
        pid, names = self.guards.pop(number)
        os.close(number)
        _, status = os.waitpid(pid, 0)
        name = os.read(names, 32)
        os.close(names)
        if name:
            with contextlib.suppress(ProcessLookupError):
                self.kept[os.pidfd_open(int(name))] = int(name)
        if status:
            self._kill_strays()

    def _kill_strays(self) -> None:
        """A guard was killed (by its trial, say): what it would have killed is ours now."""
        known = self.state_children | set(self.kept.values()) | {pid for pid, _ in self.guards.values()}
        while strays := [
            p for p in guard.children(os.getpid()) if p not in known and hygiene.name_of(p) != hygiene.ZYGOTE
        ]:
            guard.kill_and_reap(strays)

    # --- the end --------------------------------------------------------------------------------------------------

    def _adopt(self) -> None:
        """Zygotes whose own zygote has gone are watched like those kept from this one."""
        if self.is_first:
            known = set(self.kept.values()) | {pid for pid, _ in self.guards.values()}
            for pid in guard.children(os.getpid()):
                if pid not in known and hygiene.name_of(pid) == hygiene.ZYGOTE:
                    with contextlib.suppress(ProcessLookupError):
                        self.kept[os.pidfd_open(pid)] = pid

    def _others(self) -> list[int]:
        return [p for p in guard.children(os.getpid()) if hygiene.name_of(p) in (hygiene.ZYGOTE, hygiene.GUARD)]

    def _end(self, *, everything: bool) -> None:
        """End this state. ``everything``: also the processes that its cells started."""
        _remove(self.files)
        while everything and (rest := guard.children(os.getpid())):
            guard.kill_and_reap(rest)
        raise SystemExit(0)
