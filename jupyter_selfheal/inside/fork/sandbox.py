"""What stands between a trial and the user's things: a barrier against mistakes, not against malice.

    probed = probe()                      # once in the process that forks trials
    layers = enter(plan, probed)          # in the fresh, single-threaded child, before any user code

A plan is ``{"network": bool, "writes": "discard" | "allow" | "forbid", "folders": [path, …], "memory_mb": int}`` with, where
wanted, ``"shared": [path, …]``: folders into which writes go through (our own sockets), and ``"limits": False`` for none of
the resource limits (a notebook's own kernel). The folders, the temporary folder and
the home folder (with its caches) get an overlay; everything else is read-only. Without a network there are no sockets of
the machine's either (:mod:`~jupyter_selfheal.inside.fork.sockets`); with one, they are services like those of the network. A
layer that was probed as available and then fails is a :class:`LayerFailed`: the trial must not run.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import posix
import socket
import struct
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

from jupyter_selfheal.inside.fork import overlay, sockets, syscalls

try:
    import resource
except ImportError:  # Windows and Pyodide, where nothing is forked
    resource = None  # type: ignore[assignment]

USER, NETWORK, SOCKETS, OVERLAY, READ_ONLY, LANDLOCK, LANDLOCK_TCP, LIMITS = (
    "user namespace",
    "network namespace",
    "hidden sockets",
    "overlay",
    "read-only mounts",
    "Landlock files",
    "Landlock TCP",
    "limits",
)
LAYERS = (USER, NETWORK, SOCKETS, OVERLAY, READ_ONLY, LANDLOCK, LANDLOCK_TCP, LIMITS)
"""Every layer that :func:`probe` looks for. Landlock is used where the namespaces are not to be had."""

_SYS_ADMIN = 1 << 21
_PROCESSES = 1024
_FILE_MB = 8192
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_probed: dict[int, dict[str, str | None]] = {}


class LayerFailed(Exception):
    """A layer that was probed as available failed, or nothing can keep the trial from writing files."""


# --- probing ------------------------------------------------------------------------------------------------------


def probe() -> dict[str, str | None]:
    """Layer → None where it is available to this process, else why not. Cached per process.

    Each layer is really entered, in a forked child that ends at once: nothing changes here.
    """
    if os.getpid() not in _probed:
        _probed.clear()
        if sys.platform == "linux":
            _probed[os.getpid()] = _probe_in_child()
        else:
            _probed[os.getpid()] = dict.fromkeys(LAYERS, f"not on {sys.platform}")
    return dict(_probed[os.getpid()])


def _probe_in_child() -> dict[str, str | None]:
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of threads; the child touches no lock
        child = posix.fork()
    if child == 0:
        try:
            os.write(write, json.dumps(_try_layers()).encode())
        except Exception as error:
            os.write(write, json.dumps(dict.fromkeys(LAYERS, f"the probe failed: {error!r}")).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        text = answer.read()
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
    return dict(json.loads(text)) if text else dict.fromkeys(LAYERS, "the probe died")


def _try_layers() -> dict[str, str | None]:
    layers: dict[str, str | None] = {LIMITS: None}
    version = syscalls.read_landlock_version()
    layers[LANDLOCK] = None if version >= 1 else "the kernel has no Landlock"
    layers[LANDLOCK_TCP] = None if version >= 4 else f"Landlock version {version} is too old"
    layers[USER] = _explain_refusal(_enter_user_namespace)
    layers[NETWORK] = layers[USER] or _explain_refusal(_enter_network_namespace)
    bound = sockets.list_bound()
    mounting = layers[USER] or _explain_refusal(_enter_mount_namespace)
    layers[OVERLAY] = layers[READ_ONLY] = layers[SOCKETS] = mounting
    if not mounting:
        layers[READ_ONLY] = _explain_refusal(lambda: overlay.make_read_only([]))
        layers[OVERLAY] = layers[READ_ONLY] or _explain_refusal(lambda: _try_overlay(_find_temporary_folder()))
        layers[SOCKETS] = _explain_refusal(lambda: sockets.hide(bound, [], []))
    return layers


def _explain_refusal(attempt: Callable[[], object]) -> str | None:
    """Why the system refuses what is attempted; None where it does not."""
    try:
        attempt()
    except OSError as error:
        return str(error).split("] ", 1)[-1] or type(error).__name__
    return None


def _try_overlay(folder: str) -> None:
    overlay.mount_overlays([folder], needed=[folder], shared=[], megabytes=1, options=_choose_overlay_options())
    with tempfile.TemporaryFile(dir=folder):
        pass


def _find_temporary_folder() -> str:
    """Where temporary files go, without asking ``tempfile``, which writes a file to find out."""
    return os.path.realpath(tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp")


def holds_further_in(probed: dict[str, str | None], layers: list[str]) -> bool:
    """Whether what a process that is shut in already has found of the layers holds as well where it was shut in once more, in ``layers``.

    Where all namespaces were to be had, they are again: an overlay takes the place of the one before it, and Landlock alone keeps a process from
    mounting. A layer that fails all the same is a :class:`LayerFailed`.
    """
    namespaces = (NETWORK, SOCKETS, OVERLAY, READ_ONLY)
    return all(probed.get(layer, "not probed") is None for layer in namespaces) and not {LANDLOCK, LANDLOCK_TCP} & {
        *layers
    }


# --- entering -----------------------------------------------------------------------------------------------------


def enter(plan: dict[str, Any], probed: dict[str, str | None]) -> list[str]:
    """Shut this process in, as far as ``plan`` asks and ``probed`` says is possible; returns the layers that are on.

    Must be called in a process of one thread. Raises :class:`LayerFailed` where a layer fails that should not, or where
    writes are not allowed and nothing here can stop them (ask the user, then plan ``"writes": "allow"``).
    """

    def has(layer: str) -> bool:
        return not probed.get(layer, "not probed")

    quiet, still = not plan.get("network", False), plan.get("writes", "discard") != "allow"
    mounting, hiding = still and has(READ_ONLY), quiet and has(SOCKETS)
    bound = sockets.list_bound() if hiding else []
    on: list[str] = []
    try:
        if (mounting or hiding or (quiet and has(NETWORK))) and _enter_user_namespace():
            on.append(USER)
        if quiet and has(NETWORK):
            _enter_network_namespace()
            on.append(NETWORK)
        if mounting or hiding:
            _enter_mount_namespace()
        if mounting:
            on += _mount_all(plan, has(OVERLAY))
        if hiding:
            sockets.hide(bound, _list_folders_in_use(plan), _list_shared_folders(plan))
            on.append(SOCKETS)
        if quiet:
            sockets.forget_variables()
        shared = list(plan.get("shared", ()))
        on += _enter_landlock(
            shared, files=still and not mounting and has(LANDLOCK), tcp=quiet and not has(NETWORK) and has(LANDLOCK_TCP)
        )
    except OSError as error:
        raise LayerFailed(f"the sandbox could not be entered ({', '.join(on) or 'no layer yet'}): {error}") from error
    if still and not {OVERLAY, READ_ONLY, LANDLOCK} & set(on):
        raise LayerFailed("nothing on this machine can keep a trial from writing files")
    limited = (quiet or still) and plan.get("limits", True)
    set_limits(int(plan.get("memory_mb", 0)), sandboxed=limited)
    return [*on, LIMITS] if limited else on


def stack_overlays() -> None:
    """A mount namespace of its own for this process, with another overlay over each that there is. Raises ``OSError``."""
    _enter_mount_namespace()
    overlay.mount_again(megabytes=_measure_room(), options=_choose_overlay_options())


def cut_network(shared: list[str]) -> list[str]:
    """Take the network, and the machine's sockets, from the calling thread and all that it starts; the layers that do it.

    For a process that is running already, with threads that must keep their sockets. ``shared``: see :func:`enter`.
    """
    on: list[str] = []
    if _read_capabilities() & _SYS_ADMIN:
        bound = sockets.list_bound()
        on += [NETWORK] * (not _explain_refusal(_enter_network_namespace))
        on += [SOCKETS] * (not _explain_refusal(lambda: _hide_sockets_from_thread(bound, shared)))
    if NETWORK not in on and not _explain_refusal(lambda: syscalls.enter_landlock([], files=False, tcp=True)):
        on.append(LANDLOCK_TCP)
    sockets.forget_variables()
    return on


def _hide_sockets_from_thread(bound: list[str], shared: list[str]) -> None:
    _enter_mount_namespace()
    sockets.hide(bound, _list_folders_in_use({}), [os.path.realpath(path) for path in shared])


def list_wanted_layers(network: bool, writes: str) -> list[str]:
    """The layers that a plan asks for, were all of them to be had; the limits, which always are, left out."""
    files = {"discard": [OVERLAY, READ_ONLY], "forbid": [READ_ONLY]}.get(writes, [])
    return [*([] if network else [NETWORK, SOCKETS]), *files]


def _list_shared_folders(plan: dict[str, Any]) -> list[str]:
    return [os.path.realpath(path) for path in plan.get("shared", ())]


def _list_folders_in_use(plan: dict[str, Any]) -> list[str]:
    """The plan's folders, the temporary and the home folder."""
    paths = [*plan.get("folders", ()), _find_temporary_folder(), os.path.expanduser("~")]
    return [path for path in map(os.path.realpath, paths) if os.path.isdir(path)]


def _mount_all(plan: dict[str, Any], can_overlay: bool) -> list[str]:
    shared = _list_shared_folders(plan)
    if plan.get("writes") == "forbid" or not can_overlay:
        here = os.getcwd()
        overlay.make_read_only(shared)
        os.chdir(here)
        return [READ_ONLY]
    needed = [path for path in map(os.path.realpath, plan.get("folders", ())) if os.path.isdir(path)]
    folders = list(dict.fromkeys(_list_folders_in_use(plan)))
    overlay.mount_overlays(
        folders, needed=needed, shared=shared, megabytes=_measure_room(), options=_choose_overlay_options()
    )
    return [OVERLAY, READ_ONLY]


def _measure_room() -> int:
    """MiB that may be written into an overlay."""
    return max(64, min(2048, _read_free_mb() // 4))


def _enter_landlock(shared: list[str], *, files: bool, tcp: bool) -> list[str]:
    """Landlock, where there are no namespaces. ``/dev/shm`` stays writable with the devices: Landlock knows no private copy,
    and closing it would take semaphores, and so joblib and ``multiprocessing``, from every trial; read-only mounts leave it
    open for the same reason. Under an overlay, writes there are discarded like any other.
    """
    if files or tcp:
        syscalls.enter_landlock(["/dev", "/proc", *shared], files=files, tcp=tcp)
    return [LANDLOCK] * files + [LANDLOCK_TCP] * tcp


def _enter_user_namespace() -> bool:
    """Enter a user namespace with the same user where this process may not mount by itself; True where that was needed."""
    if _read_capabilities() & _SYS_ADMIN:
        return False
    user, group = os.geteuid(), os.getegid()
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root after a setuid
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    return True


def _enter_mount_namespace() -> None:
    """Enter a mount namespace of our own: what is mounted from now on is seen nowhere else."""
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)


def _enter_network_namespace() -> None:
    """Enter a network namespace in which nothing but a loopback of its own exists."""
    syscalls.unshare(syscalls.CLONE_NEWNET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, struct.pack("16sh22x", b"lo", 0))
        flags = struct.unpack("16sh22x", asked)[1] | _IFF_UP
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags))


def _read_capabilities() -> int:
    with open("/proc/self/status", encoding="utf-8", errors="replace") as lines:
        return next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)


def _choose_overlay_options() -> str:
    """In a user namespace overlayfs may keep its marks in ``user.*`` attributes only."""
    with open("/proc/self/uid_map", encoding="utf-8") as f:
        return "" if f.read().split() == ["0", "0", "4294967295"] else ",userxattr"


def _read_free_mb() -> int:
    with open("/proc/meminfo", encoding="utf-8") as lines:
        return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:")), 1024)


def set_limits(megabytes: int, *, sandboxed: bool) -> None:
    """No core files; within a sandbox also bounded memory, file size and number of processes (root has no such bound).

    Memory is bounded as private writable memory beyond what the process has already (``RLIMIT_DATA``): address space that
    is only reserved, of which numerical libraries take a lot, does not count.
    """
    _lower_limit(resource.RLIMIT_CORE, 0)
    megabytes = megabytes or (max(256, _read_free_mb() * 3 // 4) if sandboxed else 0)
    if megabytes:
        with open("/proc/self/statm", encoding="utf-8") as f:
            has = int(f.read().split()[5]) * resource.getpagesize()
        _lower_limit(resource.RLIMIT_DATA, has + megabytes * 1024 * 1024)
    if sandboxed:
        _lower_limit(resource.RLIMIT_FSIZE, _FILE_MB * 1024 * 1024)
        _lower_limit(resource.RLIMIT_NPROC, _PROCESSES)


def _lower_limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))
