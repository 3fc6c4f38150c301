"""A frozen state that waits for requests: the loop of a zygote.

Its socket takes one connection, of the same user's. Each request comes with the ends of its channels, which go on to the
pair of processes that serves it. Nothing here runs code of a notebook.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, NamedTuple

from jupyter_selfheal.inside.fork import after_fork, descriptors, gate, guard, thread_pools
from jupyter_selfheal.inside.fork.capture import Capture
from jupyter_selfheal.inside.fork.prefork import Pair, fork_pair
from jupyter_selfheal.inside.fork.steps import Last
from jupyter_selfheal.inside.fork.trial import State, Trial

_PAUSE = 0.03
"""Seconds before a pair is made ahead where none may be wanted: the cell may run, or its success closes this state."""

_LONG_PAUSE = 1.0
"""And where none is, from the end of the trial on: nothing is taken from what still runs, or from the state's end."""

_MOST_FAILURES = 1000
"""Failures of the system one after the other, with :data:`_PAUSE` between, after which a zygote ends."""


def serve_forever(first: Any) -> None:
    """The life of a forked copy, which never returns to the kernel's code: wait as a zygote; in a trial forked from it, run; if that is kept, wait again; …

    A loop rather than calls within calls, so that the stack of the hundredth kept state is no deeper than the first's.
    """
    code = 1
    try:
        zygote: Zygote = first()
        while True:
            trial = zygote.serve()
            zygote = Zygote(trial.state, trial.run())
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


def remove_socket(files: tuple[str, str]) -> None:
    """Remove a socket and, where it was made for it, the folder that it is in."""
    socket_file, folder = files
    with contextlib.suppress(OSError):
        os.unlink(socket_file)
    if folder:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


class Inherited(NamedTuple):
    """What the user's kernel made for its copy before it forked.

    ``files``: the socket and, where it was made for it, the folder that it is in. ``alive``: pidfd of the kernel.
    ``is_apart``: a pipe to close once no memory is shared any more, -1 where none is. ``offsets``: of its open files.
    ``layers``: what an earlier copy found of the sandbox's layers, None where none did; ``report``: where to tell it then, else -1.
    """

    listener: socket.socket
    files: tuple[str, str]
    alive: int
    is_apart: int
    offsets: dict[int, int]
    layers: dict[str, str | None] | None = None
    report: int = -1


class Zygote:
    """A state that waits for requests."""

    def __init__(self, state: State, control: socket.socket | None = None) -> None:
        self.state = state
        self.control = control
        self.listener: socket.socket | None = None
        self.files = ("", "")
        self.is_first = False
        self.closing = False
        self.pairs: dict[int, Pair] = {}
        """By the pidfd of their guards."""
        self.spare: Pair | None = None
        self.spare_at = time.monotonic()
        """When a pair is to be made ahead."""
        self.last = -1
        """The pair whose trial is likely to be the last from here: while it runs, no other is made ahead."""
        self.kept: dict[int, int] = {}
        self.state_children = set(guard.list_children(os.getpid()))
        # Objects that are there already are never looked at by the collector again: it would write to each of them, and so
        # copy the memory that this process shares with the kernel. What must be found later is found without it.
        gc.freeze()
        self.end_asked, self._end_asked_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        """Readable once this process was asked to end: by a signal, as whoever forked it holds no end of a channel."""
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.set_wakeup_fd(self._end_asked_write)

    @classmethod
    def first(cls, shell: Any, last: Last, loop: Any, ours: Inherited, headroom_mb: int) -> Zygote:
        """Turn this fresh copy of the user's kernel into a zygote. The order:

        1. streams first, as a debugger prints when its hooks go; 2. signals and exit handlers, as nothing of the user's
        may run here; 3. descriptors and maps, from here on nothing is shared; 4. threads' remains and the event loop.
        """
        capture = Capture(shell)
        signals = after_fork.ignore_signals()
        os.setpgid(0, 0)
        after_fork.adopt_orphans()
        after_fork.be_first_to_be_killed()
        after_fork.set_name(after_fork.ZYGOTE)
        after_fork.forget_exit_handlers()
        after_fork.stop_tracing()
        after_fork.stop_history(shell)
        after_fork.forget_script_loop(shell)
        keep = [ours.listener.fileno(), ours.alive, *(end for end in (ours.is_apart, ours.report) if end >= 0)]
        descriptors.quarantine(keep, ours.offsets)
        descriptors.silence_streams()
        descriptors.unshare_memory()
        if ours.is_apart >= 0:
            os.close(ours.is_apart)
        thread_pools.renew_all()
        after_fork.use_one_native_thread()
        zygote = cls(State(shell, last, capture, loop, ours.alive, signals, headroom_mb))
        zygote.state.known_probe, zygote.state.report = ours.layers, ours.report
        zygote.listener = ours.listener
        zygote.files = ours.files
        zygote.is_first = True
        if last.error is None:
            zygote.spare_at += _PAUSE
        return zygote

    def serve(self) -> Trial:
        """Wait for requests until there is nobody left to wait for. Returns only in a trial.

        A system that has no process, file or memory left has them again soon: this state must not go with that.
        """
        failed = 0
        while failed < _MOST_FAILURES:
            try:
                trial = self._serve_event()
            except (OSError, MemoryError):
                failed += 1
                time.sleep(_PAUSE)
                continue
            if trial is not None:
                return trial
            failed = 0
        raise SystemExit(1)

    def _serve_event(self) -> Trial | None:
        ready = self._wait_for_event()
        if ready & {self.state.alive, self.end_asked}:
            self._end_state(everything=True)
        kept_ended = ready & set(self.kept)  # now: the number of a guard's pidfd is soon that of its kept trial's
        for number in ready & set(self.pairs):
            self._forget_pair(number)
        for number in kept_ended:
            os.close(number)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.kept.pop(number), 0)
        trial = None
        if self.listener is not None and self.listener.fileno() in ready:
            self._accept_connection()
        elif self.control is not None and self.control.fileno() in ready:
            trial = self._take_request()
        elif self._wants_spare() and time.monotonic() >= self.spare_at:
            trial = self._make_spare()
        if trial is not None:
            return trial
        self._adopt_orphans()
        if self.closing and not self.pairs and not self.kept:
            self._end_state(everything=not self._list_other_processes())
        return None

    def _wait_for_event(self) -> set[int]:
        """Descriptors at which something has happened; none where it is time to make a spare."""
        poll = select.poll()
        watched = [self.state.alive, self.end_asked, *self.pairs, *self.kept]
        watched += [s.fileno() for s in (self.listener, self.control) if s is not None]
        for number in watched:
            poll.register(number, select.POLLIN)
        timeout = max(0.0, self.spare_at - time.monotonic()) * 1000 if self._wants_spare() else None
        return {number for number, _ in poll.poll(timeout)}

    # --- the connection -------------------------------------------------------------------------------------------

    def _accept_connection(self) -> None:
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
        remove_socket(self.files)
        self.spare_at = time.monotonic()

    def _take_request(self) -> Trial | None:
        assert self.control is not None
        data, channels = descriptors.receive_message(self.control)
        if not data:
            self.control.close()
            self.control = None
            self.closing = True
            if self.spare is not None:
                self.spare.let_go()
                self.spare = None
            return None
        order = json.loads(data)
        try:
            if order["do"] == "run":
                return self._run_order(order, channels)
            channels[0].sendall(json.dumps(self.state.probe_layers()).encode())
        except (OSError, MemoryError, LookupError):  # whoever asked hears nothing, and asks again
            for pair in self.pairs.values():
                pair.let_go()  # where it waits for an order still
        for channel in channels:
            channel.close()
        return None

    # --- trials ---------------------------------------------------------------------------------------------------

    def _run_order(self, order: dict[str, Any], channels: list[socket.socket]) -> Trial | None:
        """In this process None, in the trial (a grandchild) what it is to do."""
        order["received"] = time.monotonic()
        spare, self.spare = self.spare, None
        if spare is not None:
            self._give_order(spare, order, channels)
        if spare is None or not spare.has_taken():
            pair = self._fork_pair(channels)
            if isinstance(pair, Trial):
                return pair
            self._give_order(pair, order, channels)
            spare = pair
        self.last = spare.process if order.get("last") else -1
        for channel in channels:
            channel.close()
        is_followed = len(channels) <= 2 and not order.get(
            "asks"
        )  # what may be kept, or answers questions, goes on by itself
        pause = _LONG_PAUSE if order.get("last") else 0.0 if is_followed else _PAUSE
        self.spare_at = time.monotonic() + pause
        return None

    def _give_order(self, pair: Pair, order: dict[str, Any], channels: list[socket.socket]) -> None:
        if order["sandboxed"]:
            self.state.probe_layers()
        pair.give({**order, "probed": self.state.known_probe}, channels)

    def _wants_spare(self) -> bool:
        return self.spare is None and not self.closing and self.last not in self.pairs

    def _make_spare(self) -> Trial | None:
        """A pair ahead of the next request, where there is memory to spare, and what its sandbox will want to know."""
        self.spare_at = time.monotonic() + 1.0
        if gate.measure_available_mb() < self.state.headroom_mb:
            return None
        pair = self._fork_pair([])
        if isinstance(pair, Trial):
            return pair
        self.spare = pair
        self.state.probe_layers()
        return None

    def _fork_pair(self, channels: list[socket.socket]) -> Pair | Trial:
        pair = fork_pair(self.state, lambda: self._let_go(channels))
        if isinstance(pair, Pair):
            self.pairs[pair.process] = pair
        return pair

    def _let_go(self, channels: list[socket.socket]) -> None:
        """In a copy: what is the zygote's alone."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(self.end_asked)
        os.close(self._end_asked_write)
        for end in (self.listener, self.control, *channels):
            if end is not None:
                end.close()
        for pair in self.pairs.values():
            pair.close()

    def _forget_pair(self, number: int) -> None:
        pair = self.pairs.pop(number)
        if number == self.last:
            self.spare_at = time.monotonic() + _LONG_PAUSE
        if pair is self.spare:
            self.spare = None
        kept, status = pair.reap()
        if kept:
            with contextlib.suppress(ProcessLookupError):
                self.kept[os.pidfd_open(kept)] = kept
        if status:
            self._kill_strays()

    def _kill_strays(self) -> None:
        """A guard was killed (by its trial, say): what it would have killed is ours now."""
        known = self.state_children | set(self.kept.values()) | {pair.pid for pair in self.pairs.values()}
        while strays := [
            p
            for p in guard.list_children(os.getpid())
            if p not in known and after_fork.read_name(p) != after_fork.ZYGOTE
        ]:
            guard.kill_and_reap(strays)

    # --- the end --------------------------------------------------------------------------------------------------

    def _adopt_orphans(self) -> None:
        """Zygotes whose own zygote has gone are watched like those kept from this one."""
        if self.is_first:
            known = set(self.kept.values()) | {pair.pid for pair in self.pairs.values()}
            for pid in guard.list_children(os.getpid()):
                if pid not in known and after_fork.read_name(pid) == after_fork.ZYGOTE:
                    with contextlib.suppress(ProcessLookupError):
                        self.kept[os.pidfd_open(pid)] = pid

    def _list_other_processes(self) -> list[int]:
        ours = (after_fork.ZYGOTE, after_fork.GUARD, after_fork.SPARE)
        return [p for p in guard.list_children(os.getpid()) if after_fork.read_name(p) in ours]

    def _end_state(self, *, everything: bool) -> None:
        """End this state. ``everything``: also the processes that its cells started."""
        remove_socket(self.files)
        while everything and (rest := guard.list_children(os.getpid())):
            guard.kill_and_reap(rest)
        raise SystemExit(0)
