"""Whether this process can be forked now without putting the user's kernel, or the fork, at risk.

A fork copies one thread and every lock as it is. Whatever another thread held (a BLAS pool, a CUDA context, an
executor's queue) is held for ever in the child, and some libraries hang the *parent* too. So this refuses on what is
known to be dangerous and on every thread it does not know; a refusal costs a slower fallback, never a session. What is
allowed is what nearly every notebook has: ipykernel's own threads, tqdm's monitor, idle executor workers, debugpy.

Trusted names of IPython and ipykernel, each asked for with a default: ``event_loop`` and ``bg_processes`` of the script magics,
``active_eventloop`` of the shell, ``eventloop`` of the kernel (IPython 8.18 and 9.18, ipykernel 6.29 and 7.4).

Standard library only: it is also sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType
from typing import Any

from jupyter_selfheal.inside.fork import thread_pools

OUR_THREADS = "selfheal-"
"""Prefix of the names of our own threads, which hold no lock that a fork would need."""

_KERNEL_MODULES = ("ipykernel.", "IPython.core.history", "zmq.", "tornado.", "tqdm._monitor")
_DEBUGGER_MODULES = (
    "debugpy",
    "_pydevd_bundle",
    "_pydev_bundle",
    "_pydev_runfiles",
    "pydevd",
    "_pydevd_sys_monitoring",
)
_NATIVE_THREADS = ("polars", "tokio", "rayon", "grpc", "cuda", "ray::", "tf_", "XLA", "gdbus", "QXcb", "QDBus")
_LOADED = {
    "polars": "polars is loaded: its thread pool hangs in a fork",
    "jax": "JAX is loaded: its threads do not survive a fork",
    "tensorflow": "TensorFlow is loaded: its threads do not survive a fork",
    "ray": "Ray is loaded: its connection does not survive a fork",
    "grpc": "gRPC is loaded: its threads do not survive a fork",
    "pyspark": "Spark is loaded: its gateway would be shared by a fork",
    "cupy": "CuPy is loaded: CUDA does not survive a fork",
    "cudf": "cuDF is loaded: CUDA does not survive a fork",
    "pycuda": "PyCUDA is loaded: CUDA does not survive a fork",
}
_QT = ("PyQt6.QtCore", "PySide6.QtCore", "PyQt5.QtCore", "PySide2.QtCore")


def find_refusal(headroom_mb: int = 512) -> str | None:
    """Why this process must not be forked now, in words; None where forking is safe.

    Called on the main thread of the process about to be forked. ``headroom_mb`` is the free memory, in MiB, below which a
    fork is refused. Never raises for what it finds; takes well under a millisecond.
    """
    if sys.platform != "linux":
        return f"forked trials need Linux, this is {sys.platform}"
    if threading.current_thread() is not threading.main_thread() or threading.get_native_id() != os.getpid():
        return "not on the main thread"
    return (
        _find_loaded_library()
        or _find_live_executor()
        or _find_user_thread()
        or _find_native_thread()
        or _find_gui()
        or _find_memory_shortage(headroom_mb)
    )


def measure_available_mb() -> int:
    """MiB of memory that can be used now without swapping: the machine's, or the control group's if that is less."""
    free = _read_meminfo("MemAvailable")
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        top, now = _read_number(limit), _read_number(used)
        if 0 <= now <= top:
            free = min(free, (top - now) // 1024)
    return free // 1024


def _read_meminfo(key: str) -> int:
    with open("/proc/meminfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    return 0


def _read_number(path: str) -> int:
    try:
        with open(path, encoding="utf-8") as f:
            return int(f.read())
    except (OSError, ValueError):  # no such control group, or "max"
        return -1


def _find_memory_shortage(headroom_mb: int) -> str | None:
    free = measure_available_mb()
    return f"only {free} MiB of memory are free, {headroom_mb} are needed" if free < headroom_mb else None


def _find_loaded_library() -> str | None:
    for name, why in _LOADED.items():
        if name in sys.modules:
            return why
    torch = getattr(sys.modules.get("torch"), "cuda", None)
    if torch is not None and torch.is_initialized():
        return "PyTorch has started CUDA, which does not survive a fork"
    driver = getattr(sys.modules.get("numba.cuda.cudadrv.driver"), "driver", None)
    if getattr(driver, "is_initialized", False):
        return "Numba has started CUDA, which does not survive a fork"
    return None


def find_script_magics(shell: Any) -> Any:
    """IPython's ``%%bash`` and the like; None where this is no such shell."""
    return getattr(getattr(shell, "magics_manager", None), "registry", {}).get("ScriptMagics")


def find_idle_script_loop(shell: Any) -> Any:
    """The event loop that IPython keeps in a thread of its own after a ``%%bash`` cell; None where a script may use it."""
    magics: Any = find_script_magics(shell)
    loop = getattr(magics, "event_loop", None)
    if loop is None or any(process.returncode is None for process in magics.bg_processes):
        return None
    return None if sys.modules["asyncio"].all_tasks(loop) else loop


def _find_shell() -> Any:
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


WAITS_FOR_A_SCRIPT = "asyncio-waitpid-"
"""asyncio's threads that wait for a process: one has told of its end a moment before it ends itself."""

LAST_BREATH = 2.0
"""Seconds that it is given for that, on a busy machine."""


def _find_user_thread() -> str | None:
    frames = sys._current_frames()
    script_loop = find_idle_script_loop(_find_shell())
    for thread in threading.enumerate():
        if script_loop is not None and thread.name.startswith(WAITS_FOR_A_SCRIPT):
            thread.join(LAST_BREATH)
        if thread is threading.main_thread() or not thread.is_alive():
            continue
        if script_loop is not None and getattr(getattr(thread, "_target", None), "__self__", None) is script_loop:
            continue
        why = _explain_thread(thread, frames.get(thread.ident or 0))
        if why:
            return why
    return None


def _explain_thread(thread: threading.Thread, frame: FrameType | None) -> str | None:
    """Why this one thread forbids a fork; None where it does not."""
    if thread.name.startswith(OUR_THREADS):
        return None
    target = getattr(thread, "_target", None)
    homes = [type(thread).__module__, str(getattr(target, "__module__", "") or "")]
    if any(home.startswith(_KERNEL_MODULES) for home in homes):
        return f"{thread.name} is running a cell" if _runs_cell(frame) else None
    if getattr(thread, "is_pydev_daemon_thread", False) or any(home.startswith(_DEBUGGER_MODULES) for home in homes):
        return None
    if homes[1] in thread_pools.HOMES:
        return None if thread_pools.becomes_idle(thread) else f"an executor is busy: {thread.name}"
    if isinstance(thread, threading._DummyThread) and not os.path.exists(f"/proc/self/task/{thread.native_id}"):
        return None  # a native thread that called Python once, and has ended
    return f"a user thread is alive: {thread.name}"


def _runs_cell(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name in ("run_cell", "run_cell_async", "run_code"):
            return True
        frame = frame.f_back
    return False


def _find_native_thread() -> str | None:
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8", errors="replace") as f:
                name = f.read().strip()
        except OSError:  # it ended meanwhile
            continue
        if name.startswith(_NATIVE_THREADS):
            return f"a native thread of a library is alive: {name}"
    return None


def _find_live_executor() -> str | None:
    for name in ("joblib.externals.loky.reusable_executor", "loky.reusable_executor"):
        executor = getattr(sys.modules.get(name), "_executor", None)
        if executor is not None and not getattr(getattr(executor, "_flags", None), "shutdown", False):
            return "a loky executor of joblib is alive"
    return None


_NO_LOOP = frozenset(
    [
        "",
        "inline",
        "asyncio",
        "loop_asyncio",
        "nbagg",
        "ipympl",
        "widget",
        "agg",
        "pdf",
        "svg",
        "ps",
        "cairo",
        "template",
    ]
)
"""Backends of Matplotlib that draw into the notebook or into files: IPython calls them event loops too."""


def _find_gui() -> str | None:
    for name in _QT:
        application = getattr(sys.modules.get(name), "QCoreApplication", None)
        if application is not None and application.instance() is not None:
            return f"a Qt application is running ({name.split('.')[0]})"
    shell = _find_shell()
    if shell is None:
        return None
    running: Any = getattr(getattr(shell, "kernel", None), "eventloop", None)
    loop = str(getattr(shell, "active_eventloop", None) or getattr(running, "__name__", "") or "")
    return None if loop in _NO_LOOP else f"a GUI event loop is running: {loop}"
