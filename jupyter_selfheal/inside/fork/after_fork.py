"""What a forked copy of a kernel must let go of before it may do anything: hooks, history, threads, signals.

The history database is one file for all of the user's kernels, and the threads that the copy's objects rely on are gone.
Each function here cuts one tie; descriptors and memory are in :mod:`~jupyter_selfheal.inside.fork.descriptors`. The order in
:mod:`~jupyter_selfheal.inside.fork.zygote` matters and is argued there.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import io
import os
import posix
import re
import signal
import sys
import threading
import warnings
from typing import Any

from jupyter_selfheal.inside.fork import gate, syscalls

STOPPED = signal.SIGRTMIN + 7
"""What a guard sends to its trial when a limit has passed: no code of a notebook uses it."""

ZYGOTE, SPARE, GUARD, TRIAL = "selfheal-zygote", "selfheal-spare", "selfheal-guard", "python"
"""The names of our processes (a spare is a guard without a request yet); a trial's is not told from the user's, so that no process it forks is taken for ours."""

_PR_SET_NAME = 15
_OPENMP = re.compile(r"lib(gomp|iomp|omp)[^/]*\.so")
_BLAS = re.compile(r"(openblas|libblis|libmkl_rt)[^/]*\.so")
_BLAS_CALLS = (
    "openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
    "MKL_Set_Num_Threads",
    "bli_thread_set_num_threads",
)

_libc = ctypes.CDLL(None, use_errno=True)
_held: list[Any] = []
"""Loops that must not be finalised: Python would complain of it in the output of the trial."""


def fork() -> int:
    """``fork(2)`` that leaves the random state alone.

    ``posix.fork``, as debugpy replaces ``os.fork`` and hangs. Python reseeds ``random`` in the child; what the cell draws
    must be what the user's kernel would have drawn. (NumPy's global state is not touched by a fork.)
    """
    random: Any = sys.modules.get("random")
    state = random.getstate() if random else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of threads; the gate has looked at them
        pid = posix.fork()
    if pid == 0 and random:
        random.setstate(state)
    return pid


def set_name(name: str) -> None:
    """The process's name as ``ps`` and ``/proc/…/comm`` show it (15 characters)."""
    _libc.prctl(_PR_SET_NAME, ctypes.c_char_p(name.encode()), 0, 0, 0)


def read_name(pid: int) -> str:
    """The name of a process; empty where it is gone."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends, for whatever reason; at once where it has ended already."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def outlive_parent() -> None:
    """Take back :func:`die_with_parent`."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def be_first_to_be_killed() -> None:
    """Under memory pressure the system must kill this process, never the user's kernel."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="utf-8") as f:
        f.write("1000")


# --- threads, hooks, history --------------------------------------------------------------------------------------


def forget_exit_handlers() -> None:
    """The user's exit handlers are for the user's process."""
    atexit._clear()


def stop_tracing() -> None:
    """Take a debugger's hooks off this thread, without the warning that debugpy would print into the user's cell."""
    with contextlib.redirect_stderr(io.StringIO()):
        sys.settrace(None)
        sys.setprofile(None)
        threading.settrace(None)
        threading.setprofile(None)
    monitoring: Any = getattr(sys, "monitoring", None)
    for tool in range(6) if monitoring else ():
        if monitoring.get_tool(tool):
            monitoring.set_events(tool, 0)


def stop_history(shell: Any) -> None:
    """Keep ``In`` and ``Out``, write nothing to the history database (it is one file for all of the user's kernels).

    The thread that saves is not in this copy, and may have held the locks when the copy was made: new ones take their
    place. The attributes are those of IPython's ``HistoryManager`` (checked in IPython 8.18 and 9.18; one that a version
    lacks is set to no effect).
    """
    history = getattr(shell, "history_manager", None)
    if history is None:
        return
    history.enabled = False
    history.save_thread = None
    history.db_cache_size = 1 << 30
    history.using_thread = False
    history.db_input_cache = []
    history.db_output_cache = []
    history.db_input_cache_lock = threading.Lock()  # the thread that saves may have held it
    history.db_output_cache_lock = threading.Lock()


def find_history_file(shell: Any) -> str:
    """The database to which :func:`stop_history` lets nothing be written, though it stays open; empty where there is none."""
    path = getattr(getattr(shell, "history_manager", None), "hist_file", "")
    return os.path.realpath(path) if path else ""


def stop_script_loop(shell: Any) -> None:
    """End the thread that IPython keeps after a ``%%bash`` cell, so that the state can be forked; the next such cell
    starts another. Not while a script may still use it."""
    loop = gate.find_idle_script_loop(shell)
    if loop is None:
        return
    loop.call_soon_threadsafe(loop.stop)
    for thread in threading.enumerate():
        if getattr(getattr(thread, "_target", None), "__self__", None) is loop:
            thread.join(5.0)
        elif thread.name.startswith(gate.WAITS_FOR_A_SCRIPT):
            thread.join(
                gate.LAST_BREATH
            )  # the gate knows no loop any more, and would take it for a thread of the user's
    forget_script_loop(shell)


def forget_script_loop(shell: Any) -> None:
    """In a copy, where that thread is not: the loop is kept from its finaliser, which would wait for the thread.

    ``_event_loop_finalizer`` is a private name of IPython 9.18; 8.18 has none.
    """
    magics = gate.find_script_magics(shell)
    finalizer = getattr(magics, "_event_loop_finalizer", None)
    if finalizer is not None:
        finalizer.detach()
    if getattr(magics, "event_loop", None) is not None:
        _held.append(magics.event_loop)
        magics.event_loop = None


def use_one_native_thread() -> None:
    """Tell OpenMP and BLAS to use the calling thread alone: their pools are gone, and libgomp would wait for its own."""
    for path in _list_mapped_libraries():
        openmp = _OPENMP.search(path)
        if not openmp and not _BLAS.search(path):
            continue
        try:
            library = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:  # another file by that name now
            continue
        for name in ("omp_set_num_threads",) if openmp else _BLAS_CALLS:
            call = getattr(library, name, None)
            if call is not None:
                call(1)


def _list_mapped_libraries() -> set[str]:
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
        return {line.split(None, 5)[5].rstrip("\n") for line in lines if ".so" in line and " r-xp " in line}


# --- signals ------------------------------------------------------------------------------------------------------


def ignore_signals() -> dict[int, Any]:
    """Ignore interrupts (a kernel is interrupted by a signal to its whole group), give the rest their default action.

    Returns the handlers that were set, for :func:`restore_signals`.
    """
    signal.set_wakeup_fd(-1)
    before: dict[int, Any] = {}
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        handler = signal.getsignal(number)
        if handler is None or (handler is signal.SIG_DFL and number != signal.SIGINT):
            continue
        before[number] = handler
        if number not in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    return before


def restore_signals(handlers: dict[int, Any]) -> None:
    """Set the handlers of the user's kernel again."""
    for number, handler in handlers.items():
        signal.signal(number, handler)
