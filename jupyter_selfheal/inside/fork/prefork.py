"""A guard and its trial, forked ahead of the request that they will serve.

Each fork copies the page tables of the whole state (15 ms at 1 GB), so a zygote makes its next pair when it has nothing else
to do, and a request meets processes that wait for it. A pair that waits has run no code of the user's; it goes when its end
of the socket is closed, when its zygote or the user's kernel ends, or when memory runs out, and nothing is lost with it.

    zygote ─order→ guard ─order→ trial

It is safe to fork here at any time. A zygote has one thread that does anything (idle workers of a kept state's pools wait for ever)
and runs no code of a notebook, so that no lock can be held by somebody who is not in the copy. The guard watches pidfds of the
user's kernel and of the zygote, and the trial is killed with its guard: whoever ends first, nothing stays behind.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from jupyter_selfheal.inside.fork import after_fork, descriptors, guard
from jupyter_selfheal.inside.fork.capture import Memory
from jupyter_selfheal.inside.fork.trial import State, Trial

_TAKEN = b"+"


class Pair:
    """The zygote's end of a guard and its trial."""

    def __init__(self, pid: int, orders: socket.socket) -> None:
        self.pid = pid
        self.process = os.pidfd_open(pid)
        """A pidfd of the guard."""
        self._orders = orders

    def give(self, order: dict[str, Any], channels: list[socket.socket]) -> None:
        """Hand over the request; whoever asked learns from the ends of its channels where the pair is gone."""
        with contextlib.suppress(OSError):
            socket.send_fds(self._orders, [json.dumps(order).encode()], [c.fileno() for c in channels])

    def has_taken(self) -> bool:
        """Wait until the trial has its order; False where one of the two has ended while they waited for it."""
        with contextlib.suppress(OSError):
            return self._orders.recv(1) == _TAKEN
        return False

    def let_go(self) -> None:
        """A pair that waits ends now."""
        with contextlib.suppress(OSError):
            self._orders.shutdown(socket.SHUT_WR)

    def reap(self) -> tuple[int, int]:
        """The guard has ended: the process id of its trial if that was kept (else 0), and the guard's exit status."""
        _, status = os.waitpid(self.pid, 0)
        kept = 0
        with contextlib.suppress(ConnectionResetError):
            while word := self._orders.recv(32):
                if word != _TAKEN:
                    kept = int(word)
        self.close()
        return kept, status

    def close(self) -> None:
        """Give the descriptors back, here or in a copy of the zygote."""
        os.close(self.process)
        self._orders.close()


def fork_pair(state: State, let_go: Callable[[], None]) -> Pair | Trial:
    """In this process the new pair; in the trial, a grandchild, the trial. The guard in between never returns.

    ``let_go`` is called in the copies: it closes what is the zygote's alone.
    """
    orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    zygote, began = os.getpid(), time.monotonic()
    pid = after_fork.fork()
    if pid:
        theirs.close()
        return Pair(pid, orders)
    try:
        orders.close()
        let_go()
        return _be_guard(state, theirs, zygote, began)
    except (OSError, MemoryError):  # never to the zygote's code above, which would take this process for itself
        os._exit(1)


def _be_guard(state: State, orders: socket.socket, zygote: int, began: float) -> Trial:
    after_fork.set_name(after_fork.SPARE)
    lifelines = [state.alive, os.pidfd_open(zygote)]  # no PDEATHSIG: a guard must not die without its trial
    os.setpgid(0, 0)
    after_fork.adopt_orphans()
    memory = Memory()
    words_read, words_write = os.pipe()
    onward, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    me = os.getpid()
    pid = after_fork.fork()
    if pid == 0:
        for end in (orders, onward):
            end.close()
        os.close(words_read)
        os.close(lifelines[1])
        return Trial(state, theirs, memory, words_write, me, began)
    theirs.close()
    os.close(words_write)
    order, status = _wait_for_order(orders, onward, pid, lifelines)
    after_fork.set_name(after_fork.GUARD)
    watch = guard.Guard(pid, order, status, words_read, memory)
    if watch.watch(lifelines) == guard.KEPT:
        watch.ending = "finished"
        orders.send(str(pid).encode())
    else:
        guard.kill_tree(pid)
    watch.report_end(finished=watch.code == 0 and watch.ending != "timed out")
    raise SystemExit(0)


def _wait_for_order(
    orders: socket.socket, onward: socket.socket, trial: int, lifelines: list[int]
) -> tuple[dict[str, Any], socket.socket]:
    """Wait for the order and hand it on; the end of this process, and of the trial, where none comes or is taken."""
    ended = os.pidfd_open(trial)
    poll = select.poll()
    for number in (orders.fileno(), ended, *lifelines):
        poll.register(number, select.POLLIN)
    ready = {number for number, _ in poll.poll()}
    data, channels = descriptors.receive_message(orders) if ready == {orders.fileno()} else (b"", [])
    word = b""
    if data:
        results, status, *kept = channels
        with contextlib.suppress(OSError):
            socket.send_fds(onward, [data], [c.fileno() for c in (results, *kept)])
            word = onward.recv(1)
    if not word:
        guard.kill_tree(trial)
        os.waitpid(trial, 0)
        raise SystemExit(0)
    orders.send(_TAKEN)
    os.close(ended)
    for end in (onward, results, *kept):
        end.close()
    return json.loads(data), status
