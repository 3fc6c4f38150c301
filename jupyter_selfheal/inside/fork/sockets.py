"""Unix sockets of the machine, kept from what has no network: a database, Docker or an ssh-agent listens on them.

A network namespace takes abstract sockets away, but not those that are files. An overlay shows such a file without what is
behind it (its inodes are its own, on every system on which :mod:`~jupyter_selfheal.inside.fork.overlay` works). What is left:

* ``/run`` becomes an empty, read-only folder, but for the folders in use and a few that hold no sockets;
* over every other socket that the system lists now, ``/dev/null`` is mounted. Nothing is searched for: the list is exact.

Whoever connects is refused, as where no server runs. Out of reach of this, and all outside of overlays and ``/run``: a
socket that is made later; one of another network namespace (of a container, say) in a folder that is shared with it; one
that was bound to a relative path by another user, or by a server that has changed its folder since.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping

from jupyter_selfheal.inside.fork import overlay, syscalls

VARIABLES = (
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "BUILDKIT_HOST",
    "PGHOST",
    "PGHOSTADDR",
    "MYSQL_HOST",
    "MYSQL_UNIX_PORT",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "WAYLAND_DISPLAY",
    "PULSE_SERVER",
    "NOTIFY_SOCKET",
)
"""Variables by which programs find the machine's services; none of them leads anywhere without a network."""

_FOLDERS = ("/run", "/var/run")
_WITHOUT_SOCKETS = ("media", "secrets", "wrappers")
"""Of ``/run``: removable disks, a container's secrets, NixOS's programs."""


def list_bound() -> list[str]:
    """Paths of all sockets of this network namespace that are files; to be asked before another one is entered."""
    bound: list[str] = []
    relative: dict[str, str] = {}
    with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as lines:
        next(lines)  # the names of the columns
        for line in lines:
            _, _, _, _, _, _, inode, *path = line.rstrip("\n").split(None, 7)
            if path and path[0].startswith("/"):
                bound.append(path[0])
            elif path and not path[0].startswith("@"):  # that is an abstract one
                relative[inode] = path[0]
    return list(dict.fromkeys([*bound, *_resolve_path(relative)]))


def _resolve_path(relative: Mapping[str, str]) -> Iterator[str]:
    """Full paths of sockets that were bound to a relative one: it is relative to the folder of whoever holds the socket."""
    paths = {f"socket:[{inode}]": path for inode, path in relative.items()}
    for process in filter(str.isdigit, os.listdir("/proc")) if paths else ():
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            for number in os.listdir(f"/proc/{process}/fd"):
                path = paths.get(os.readlink(f"/proc/{process}/fd/{number}"))
                if path:
                    yield os.path.join(os.readlink(f"/proc/{process}/cwd"), path)


def hide(bound: Iterable[str], in_use: Iterable[str], shared: Iterable[str]) -> None:
    """Put the sockets at ``bound`` out of reach. Raises ``OSError``.

    The process must be in a mount namespace of its own, after all other mounts. ``in_use`` are folders that stay as they
    are, ``shared`` those whose sockets stay too (real paths).
    """
    here = os.getcwd()
    bound, shared = list(map(os.path.realpath, bound)), list(shared)
    sources = overlay.list_sources()
    for folder in dict.fromkeys(map(os.path.realpath, _FOLDERS)):
        if os.path.isdir(folder) and sources.get(folder) != overlay.OURS:
            _mount_empty_folder(folder, [*in_use, *shared, here], bound)
    sources = overlay.list_sources()
    for path in bound:
        is_ours = overlay.find_source(path, sources) == overlay.OURS
        if not is_ours and _is_socket(path) and not any(overlay.is_below(path, folder) for folder in shared):
            with contextlib.suppress(FileNotFoundError):  # its server has just removed it
                syscalls.mount("/dev/null", path, flags=syscalls.MS_BIND)
    os.chdir(here)


def forget_variables() -> None:
    """Take the variables that lead to services from this process's environment."""
    for name in VARIABLES:
        os.environ.pop(name, None)


def _mount_empty_folder(folder: str, in_use: Iterable[str], bound: Iterable[str]) -> None:
    """Mount an empty folder over this one. Symbolic links come back, and the folders in use as they are.

    Where a socket was there is a plain file, so that it is told to whoever connects in the same words as elsewhere.
    """
    wanted = [*in_use, *(os.path.join(folder, name) for name in _WITHOUT_SOCKETS)]
    below = sorted({path for path in wanted if overlay.is_below(path, folder) and os.path.isdir(path)}, key=len)
    outermost = [p for p in below if p != folder and not any(overlay.is_below(p, q) for q in below if q != p)]
    kept = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in outermost}
    links = {entry.name: os.readlink(entry.path) for entry in os.scandir(folder) if entry.is_symlink()}
    try:
        flags = syscalls.MS_NOSUID | syscalls.MS_NODEV
        syscalls.mount(overlay.OURS, folder, "tmpfs", flags, "size=1m,mode=0755")
        for name, target in links.items():
            os.symlink(target, os.path.join(folder, name))
        for path, number in kept.items():
            os.makedirs(path, exist_ok=True)
            syscalls.mount(f"/proc/self/fd/{number}", path, flags=syscalls.MS_BIND | syscalls.MS_REC)
    finally:
        for number in kept.values():
            os.close(number)
    for path in bound:
        if overlay.is_below(path, folder) and not any(overlay.is_below(path, other) for other in kept):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "ab"):
                os.chmod(path, 0o666)
    syscalls.set_read_only(folder, True, below=False)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False
