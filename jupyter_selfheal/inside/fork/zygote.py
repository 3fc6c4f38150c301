"""A frozen copy of a kernel, from which trials are forked.

    made = checkpoint(shell)        # in the user's kernel, on its main thread: {"socket": …, "pid": …} or {"refused": why}

``checkpoint`` forks the kernel. The copy (the *zygote*) never runs user code: it waits on a Unix socket in a private
folder for requests, and forks a *guard* for each, ahead of it, which forks the *trial*. A trial that is kept freezes and
becomes a zygote itself. Nothing of it outlives the user's kernel (every process waits on its pidfd) or the engine's connection.

    kernel ─fork→ zygote ─fork→ guard ─fork→ trial (─kept→ zygote ─fork→ …)

This is the user's kernel's half; the copy's is :mod:`~jupyter_selfheal.inside.fork.server`. The first zygote of a lineage is the
subreaper of all that follows and goes last, so that no process ever becomes an orphan.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import sys
import tempfile
import time
from typing import Any

from jupyter_selfheal.inside.fork import after_fork, descriptors, event_loop, gate
from jupyter_selfheal.inside.fork.layer_reports import LayerReports
from jupyter_selfheal.inside.fork.server import Inherited, Zygote, remove_socket, serve_forever
from jupyter_selfheal.inside.fork.steps import Last

_children: dict[int, tuple[str, str]] = {}
"""Zygotes of this process, each with its socket and, where it was made for it, the folder of that."""

_APART_SECONDS = 2.0
"""How long the user's kernel waits at most for its copy to copy the memory that both share; then it goes on."""

_layers = LayerReports()
"""What the copies of this process have found of the sandbox's layers."""

_watched: dict[int, tuple[Any, int]] = {}
"""The event loop that watches over a zygote, and the pidfd by which it does."""


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
    ``OSError`` where the system cannot fork. Call :func:`collect_ended` now and then.
    """
    why = gate.find_refusal(headroom_mb)
    if why:
        return {"refused": why}
    began = time.monotonic()
    collect_ended()
    own = "" if socket_dir else make_private_folder()
    path = os.path.join(socket_dir or own, f"z{os.getpid()}-{time.monotonic_ns():x}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(1)
    alive = os.pidfd_open(os.getpid())
    _flush_streams()
    loop = event_loop.find_loop()
    offsets = descriptors.list_offsets()
    apart, is_apart = os.pipe2(os.O_CLOEXEC) if descriptors.shares_memory() else (-1, -1)
    report = _layers.open_report()
    pid = after_fork.fork()
    if pid == 0:
        last = Last(result, error, stdout)
        ours = Inherited(listener, (path, own), alive, is_apart, offsets, _layers.known, report)
        serve_forever(lambda: Zygote.first(shell, last, loop, ours, headroom_mb))
    listener.close()
    os.close(alive)
    if apart >= 0:
        os.close(is_apart)
        _wait_until_apart(apart)
    _children[pid] = (path, own)
    _collect_when_ended(pid, loop)
    return {"socket": path, "pid": pid, "ms": round((time.monotonic() - began) * 1e3, 2)}


def _wait_until_apart(apart: int) -> None:
    """What the user's kernel writes to shared memory next must not be seen in the copy: wait until that has its own."""
    ready = select.poll()
    ready.register(apart, select.POLLIN)
    ready.poll(_APART_SECONDS * 1000)
    os.close(apart)


def make_private_folder() -> str:
    """A new folder (0700) whose name leaves room for a socket's: the system takes at most 107 bytes (unix(7))."""
    for base in (tempfile.gettempdir(), "/tmp", "/dev/shm"):
        if len(os.fsencode(base)) <= 60 and os.access(base, os.W_OK):
            return tempfile.mkdtemp(prefix="selfheal-", dir=base)
    return tempfile.mkdtemp(prefix="selfheal-")


def _collect_when_ended(pid: int, loop: Any) -> None:
    """Let the kernel's loop collect a zygote as soon as it has ended and no cell runs."""
    if loop is not None and loop.is_running():
        number = os.pidfd_open(pid)
        loop.add_reader(number, collect_ended)
        _watched[pid] = (loop, number)


def collect_ended() -> None:
    """Collect zygotes of this process that have ended, so that none stays as a zombie."""
    for pid in list(_children):
        with contextlib.suppress(ChildProcessError):
            if not os.waitpid(pid, os.WNOHANG)[0]:
                continue
        remove_socket(_children.pop(pid))
        if pid in _watched:
            loop, number = _watched.pop(pid)
            loop.remove_reader(number)
            os.close(number)


def discard(pid: int) -> None:
    """End a zygote of this process and all of its trials."""
    if pid in _children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        remove_socket(_children[pid])
        collect_ended()


def discard_at_once(pid: int) -> None:
    """End a zygote of this process, and what its trials run before anything else.

    Its guards do that too, but on a busy machine they come to it late: they go behind the user's cell, as their trials do. A guard
    whose trial has ended does the rest as ever.
    """
    if pid in _children:
        for trial in _list_trials(pid):
            with contextlib.suppress(OSError):
                os.kill(trial, signal.SIGKILL)
        discard(pid)


def _list_trials(pid: int) -> list[int]:
    """What runs below a process that is none of ours: trials, and what these have started
    (https://man7.org/linux/man-pages/man5/proc_pid_task.5.html)."""
    found = []
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(child) for child in file.read().split()]
        for child in children:
            with contextlib.suppress(OSError):
                with open(f"/proc/{child}/comm", encoding="utf-8", errors="replace") as file:
                    found += [] if file.read().startswith("selfheal-") else [child]
                found += _list_trials(child)
    return found


def discard_all(seconds: float = 5.0) -> None:
    """End every zygote of this process and wait until they are collected, at most so long."""
    for pid in list(_children):
        discard(pid)
    until = time.monotonic() + seconds
    while _children and time.monotonic() < until:
        time.sleep(0.005)
        collect_ended()


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(Exception):  # whatever the user put there
            stream.flush()  # type: ignore[union-attr]
    for reference in list(getattr(logging, "_handlerList", ())):
        with contextlib.suppress(Exception):
            reference().flush()
