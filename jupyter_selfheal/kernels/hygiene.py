"""What a forked copy of a kernel must let go of before it may do anything: streams, threads, descriptors, signals, maps.

A fork of an IPython kernel shares with the user's kernel every socket, pipe and file offset, every shared mapping, the
history database and the event loop's epoll; the threads that all of it relied on are gone. Each function here cuts one of
these ties. The order in :mod:`~jupyter_selfheal.kernels.zygote` matters and is argued there.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
import gc
import os
import posix
import queue
import re
import signal
import stat
import sys
import threading
import warnings
from collections.abc import Iterable
from typing import Any

from jupyter_selfheal.kernels import syscalls

STOPPED = signal.SIGRTMIN + 7
"""What a guard sends to its trial when a limit has passed: no code of a notebook uses it."""

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


def name_of(pid: int) -> str:
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
    """Take a debugger's hooks off this thread."""
    sys.settrace(None)
    sys.setprofile(None)
    threading.settrace(None)
    threading.setprofile(None)
    monitoring: Any = getattr(sys, "monitoring", None)
    for tool in range(6) if monitoring else ():
        if monitoring.get_tool(tool):
            monitoring.set_events(tool, 0)


def stop_history(shell: Any) -> None:
    """Keep ``In`` and ``Out``, write nothing to the history database (it is one file for all of the user's kernels)."""
    history = getattr(shell, "history_manager", None)
    if history is None:
        return
    history.enabled = False
    history.save_thread = None
    history.db_cache_size = 1 << 30
    history.using_thread = False
    history.db_input_cache = []
    history.db_output_cache = []


def new_executor_workers() -> None:
    """Give thread pools of the state new workers: theirs did not survive the fork, and a pool waits for them for ever."""
    module: Any = sys.modules.get("concurrent.futures.thread")
    if module is None or not len(module._threads_queues):
        return
    for pool in gc.get_objects():
        if type(pool) is module.ThreadPoolExecutor:
            pool._threads = set()
            pool._idle_semaphore = threading.Semaphore(0)
            pool._work_queue = queue.SimpleQueue()
            pool._shutdown_lock = threading.Lock()
    module._threads_queues.clear()
    module._global_shutdown_lock = threading.Lock()


def one_native_thread() -> None:
    """Tell OpenMP and BLAS to use the calling thread alone: their pools are gone, and libgomp would wait for its own."""
    for path in _mapped_libraries():
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


def _mapped_libraries() -> set[str]:
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
        return {line.split(None, 5)[5].rstrip("\n") for line in lines if ".so" in line and " r-xp " in line}


# --- signals ------------------------------------------------------------------------------------------------------


def deaf_to_signals() -> dict[int, Any]:
    """Ignore interrupts (a kernel is interrupted by a signal to its whole group), give the rest their default action.

    Returns the handlers that were set, for :func:`hear_signals`.
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


def hear_signals(handlers: dict[int, Any]) -> None:
    """Set the handlers of the user's kernel again."""
    for number, handler in handlers.items():
        signal.signal(number, handler)


# --- descriptors --------------------------------------------------------------------------------------------------


def quarantine(keep: Iterable[int]) -> None:
    """Turn sockets, pipes and the like into ``/dev/null``, and give regular files an offset of their own.

    The numbers stay in use: an object of the user's that closes its descriptor later must not close one of ours.
    """
    kept = {0, 1, 2, *keep}
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        for number in _descriptors():
            if number in kept or number == null:
                continue
            kind = os.fstat(number).st_mode
            if stat.S_ISREG(kind):
                reopen(number)
            elif not stat.S_ISCHR(kind) and not stat.S_ISDIR(kind) and not stat.S_ISBLK(kind):
                os.dup2(null, number, inheritable=os.get_inheritable(number))
    finally:
        os.close(null)


def silence() -> None:
    """Descriptors 0, 1 and 2 lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)


def _descriptors() -> list[int]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the listing's own
            os.fstat(int(name))
            found.append(int(name))
    return found


def regular_files(keep: Iterable[int]) -> list[int]:
    """Descriptors of regular files other than those in ``keep``."""
    kept = {0, 1, 2, *keep}
    return [n for n in _descriptors() if n not in kept and stat.S_ISREG(os.fstat(n).st_mode)]


def reopen(number: int, path: str = "") -> None:
    """Put another opening of the same file, at the same offset, under a descriptor's number.

    ``path``: open that instead (the same file seen through an overlay). What cannot be opened again becomes a private
    copy of the file, so that nothing of the user's is ever moved or written.
    """
    flags = fcntl.fcntl(number, fcntl.F_GETFL)
    inheritable = os.get_inheritable(number)
    offset = os.lseek(number, 0, os.SEEK_CUR)
    wanted = flags & (os.O_ACCMODE | os.O_APPEND | os.O_NONBLOCK | os.O_SYNC)
    try:
        new = os.open(path or f"/proc/self/fd/{number}", wanted | os.O_CLOEXEC)
    except OSError:
        new = _private_copy(number)
    os.lseek(new, offset, os.SEEK_SET)
    os.dup2(new, number, inheritable=inheritable)
    os.close(new)


def _private_copy(number: int) -> int:
    copy = os.memfd_create("selfheal-copy")
    size = min(os.fstat(number).st_size, 256 << 20)
    with contextlib.suppress(OSError):  # a descriptor that may only be written
        done = 0
        while done < size:
            sent = os.sendfile(copy, number, done, size - done)
            if not sent:
                break
            done += sent
    return copy


def writable_files(keep: Iterable[int]) -> dict[int, str]:
    """Descriptors of regular files open for writing, each with its path where that still leads to the same file."""
    found = {}
    for number in regular_files(keep):
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            continue
        path = os.readlink(f"/proc/self/fd/{number}")
        here = os.fstat(number)
        try:
            there = os.stat(path)
            same = (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
        except OSError:
            same = False
        found[number] = path if same else ""
    return found


def detach_files(files: dict[int, str], is_discarded: bool) -> None:
    """Let writes to files that were open before the sandbox go where its other writes go, never to the user's file.

    ``files`` are :func:`writable_files` from before the sandbox was entered; ``is_discarded``: an overlay is on.
    """
    for number, path in files.items():
        if path and is_discarded:
            reopen(number, path)
            continue
        offset = os.lseek(number, 0, os.SEEK_CUR)
        copy = _private_copy(number)
        os.lseek(copy, offset, os.SEEK_SET)
        os.dup2(copy, number, inheritable=os.get_inheritable(number))
        os.close(copy)


# --- memory -------------------------------------------------------------------------------------------------------

_PROT, _PRIVATE, _ANONYMOUS, _FIXED = 3, 2, 0x20, 0x10
_MAYMOVE_FIXED = 3


def unshare_memory() -> None:
    """Replace every shared writable mapping (``np.memmap``, shared memory) by a private copy at the same address."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
        shared = [line.split(None, 5) for line in lines if " rw-s " in line or " -w-s " in line]
    for fields in shared:
        path = fields[5] if len(fields) > 5 else ""
        if path.startswith("/dev/") and not path.startswith(("/dev/shm", "/dev/zero")):
            continue  # a device's memory is no data of the user's
        begin, end = (int(part, 16) for part in fields[0].split("-"))
        _copy_in_place(begin, end - begin)


def _copy_in_place(address: int, size: int) -> None:
    mmap, mremap = _libc.mmap, _libc.mremap
    mmap.restype = mremap.restype = ctypes.c_void_p
    mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
    new = mmap(None, size, _PROT, _PRIVATE | _ANONYMOUS, -1, 0)
    if new in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(f"{size >> 20} MiB of shared memory cannot be copied for the trial")
    _read_memory(new, address, size)
    mremap(new, size, size, _MAYMOVE_FIXED, address)


def _read_memory(to: int, address: int, size: int) -> None:
    """Copy memory by ``pread`` of ``/proc/self/mem``: pages beyond the end of a mapped file are skipped, not a SIGBUS."""
    source = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        view = memoryview((ctypes.c_char * size).from_address(to)).cast("B")
        done = 0
        while done < size:
            try:
                done += os.preadv(source, [view[done : done + (1 << 24)]], address + done)
            except OSError:
                done += 4096
    finally:
        os.close(source)
