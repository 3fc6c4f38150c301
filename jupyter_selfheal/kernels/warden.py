"""The process between us and a kernel that we start: it isolates the kernel's writes, and leaves nothing behind.

    python warden.py '{"life": 5, "status": 6, "writes": "discard", "strict": false, "network": true,
                       "folders": [...], "shared": [...], "argv": [...]}'

It holds the read end of a pipe (``life``) whose write end is ours alone. When we close it, or die in whatever way, it kills
the kernel and all its descendants: it is their subreaper, so that not even ``setsid`` gets away. PDEATHSIG alone would not
do, as it follows the *thread* that started the process. It reports by JSON lines on ``status``: first
``{"pid": …, "layers": […], "why_not": "…"}``, at the end ``{"exit": code}``, negative for a signal.

``strict`` demands that writes are at least forbidden where they cannot be discarded; else the kernel starts unprotected and
``why_not`` says why. With ``{"probe": true}`` it only prints which layers there are.

Standard library only and started by path, so that it starts in 20 ms.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import sys
import time
from typing import Any


def main(order: dict[str, Any]) -> None:
    """Isolate, start the kernel, wait for its end or for ours."""
    life, status = int(order["life"]), int(order["status"])
    layers, why_not = _isolate_kernel(order)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(wake_write)
    me, kernel = os.getpid(), os.fork()
    if kernel == 0:
        _become_kernel(order["argv"], me)
    _report_status(status, {"pid": kernel, "layers": layers, "why_not": why_not})
    code = _wait_for_end(kernel, life, wake_read)
    _kill_all(kernel)
    if not _is_owned(life):  # all but the folder itself, where that is a mount here
        shutil.rmtree(order["shared"][0], ignore_errors=True)
    _report_status(status, {"exit": code})


def _isolate_kernel(order: dict[str, Any]) -> tuple[list[str], str]:
    """Layers that are on and why writes are not isolated (empty where they are, or were not asked to be)."""
    if sys.platform != "linux":
        return [], f"overlay: not on {sys.platform}" if order["writes"] != "allow" else ""
    from jupyter_selfheal.inside.fork import sandbox, syscalls

    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    if order["writes"] == "allow" and order["network"]:
        return [], ""
    probed = sandbox.probe()
    why_not = f"overlay: {probed[sandbox.OVERLAY]}" if probed[sandbox.OVERLAY] and order["writes"] == "discard" else ""
    if why_not and not order["strict"]:
        return [], why_not
    plan = {"limits": False, **{k: order[k] for k in ("network", "writes", "folders", "shared")}}
    try:
        layers = sandbox.enter(plan, probed)
        # ipykernel itself does not start without a temporary folder
        if sandbox.OVERLAY not in layers and order["writes"] != "allow":
            os.environ["TMPDIR"] = order["shared"][0]
        return layers, why_not
    except sandbox.LayerFailed as error:
        _report_status(int(order["status"]), {"error": str(error)})
        sys.exit(1)


def _probe_layers() -> dict[str, str | None]:
    from jupyter_selfheal.inside.fork import sandbox

    return sandbox.probe()


def _become_kernel(argv: list[str], warden: int) -> None:
    try:
        os.setsid()  # a group of its own, so that an interrupt reaches what it runs as well
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        if sys.platform == "linux":
            from jupyter_selfheal.inside.fork import syscalls

            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:
            os._exit(1)
        os.environ["JPY_PARENT_PID"] = str(warden)
        os.execvp(argv[0], argv)
    except OSError as error:
        os.write(2, f"{argv[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def _wait_for_end(kernel: int, life: int, wake: int) -> int:
    """Reap until the kernel ends (its exit code) or our owner is gone (-9)."""
    while True:
        ready, _, _ = select.select([life, wake], [], [])
        if wake in ready:
            os.read(wake, 512)
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    if ended[0] == kernel:
                        return os.waitstatus_to_exitcode(ended[1])
        if life in ready and not os.read(life, 512):
            return -signal.SIGKILL


def _is_owned(life: int) -> bool:
    """False once our owner closed the pipe, or died: then nobody else tidies up."""
    return not (select.select([life], [], [], 0)[0] and not os.read(life, 512))


def _kill_all(kernel: int) -> None:
    """SIGKILL every descendant, those adopted meanwhile too, until none is left (the kernel's group where not on Linux)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(kernel, signal.SIGKILL)
    while sys.platform == "linux":
        for child in _list_children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _list_children() -> list[int]:
    """Our direct children; a descendant becomes one once its parent is dead."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="utf-8") as f:
            return [int(pid) for pid in f.read().split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and _find_parent(pid) == os.getpid()]


def _find_parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _report_status(status: int, message: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(status, json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    # Python's own modules come first: what else lies beside our package may have any name
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    asked = json.loads(sys.argv[1])
    if asked.get("probe"):
        print(json.dumps(_probe_layers()))
    else:
        main(asked)
