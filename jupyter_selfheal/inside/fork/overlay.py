"""Folders whose writes are thrown away: overlay mounts on a private tmpfs that dies with the mount namespace.

The tmpfs (the *stage*) is mounted on a directory of sysfs that exists to be mounted on. It holds, for each folder, a bind
mount of what was there (``l0.0``), what is written (``u0``), and a list of both, ``selfheal.json``. A trial may itself start
inside such a namespace (the notebook's own kernel runs in one): overlays can be stacked two deep only, so a second overlay
over the same folder does not stack but gets all layers beneath, read from the earlier stage's list.

Everything else is made read-only by ``mount_setattr(2)``, not by Landlock: a process under Landlock can never mount again,
and a kept trial is the start of further trials, each with an overlay of its own (docs/adr/0010).

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping

from jupyter_selfheal.inside.fork import syscalls

STAGES = ("/sys/kernel/tracing", "/sys/fs/pstore", "/sys/kernel/debug", "/sys/fs/bpf", "/mnt", "/media", "/srv")
"""Where the stage may be mounted: the first that exists and is not above or below a folder in use."""

OURS = "selfheal"
"""The source of every mount that we make, as ``/proc/self/mountinfo`` shows it."""

NOBODY = 65534
"""The number under which the system shows users and groups that a user namespace does not know."""

_LIST = "selfheal.json"
_WRITABLE = ("/dev", "/proc")


def mount_overlays(
    folders: list[str], *, needed: list[str], shared: list[str], megabytes: int, options: str = ""
) -> None:
    """Mount an overlay over each folder, make everything else read-only, and go to the same working directory again.

    The process must already be in a mount namespace of its own, from which nothing goes back to the others. ``needed`` are those of ``folders`` (which must be real
    paths) that must succeed; another one that cannot be overlaid stays read-only. ``shared`` are folders to which writes
    go through. ``megabytes`` bounds all that can be written; ``options`` go to every overlay. Raises ``OSError``.
    """
    stage, earlier = _find_earlier()
    targets = _choose_targets([*earlier, *folders], list_mounts())
    make_read_only(shared)
    _mount_all(stage or _choose_stage(targets), earlier, targets, needed=needed, megabytes=megabytes, options=options)


def mount_again(*, megabytes: int, options: str = "") -> None:
    """Mount an overlay over each folder that has one, and change nothing else. As :func:`mount_overlays` otherwise."""
    stage, earlier = _find_earlier()
    _mount_all(stage, earlier, list(earlier), needed=list(earlier), megabytes=megabytes, options=options)


def measure_layers() -> tuple[int, int]:
    """How many layers the next overlay of this namespace would have beneath at most, 0 where it has none yet; and bytes that were written in them."""
    stage, earlier = _find_earlier()
    used_by_device = {}
    for *upper, _ in earlier.values():
        for path in (os.path.join(stage, name) for name in upper):
            room = os.statvfs(path)
            used_by_device[os.stat(path).st_dev] = (room.f_blocks - room.f_bfree) * room.f_frsize
    return max(map(len, earlier.values()), default=0), sum(used_by_device.values())


def _mount_all(
    stage: str, earlier: dict[str, list[str]], targets: list[str], *, needed: list[str], megabytes: int, options: str
) -> None:
    here = os.getcwd()
    layers = _mount_stage(stage, earlier, targets, megabytes)
    os.chdir(stage)
    done = {}
    for number, target in enumerate(targets):
        try:
            _mount_overlay(number, target, layers[target], options, replaces=target in earlier)
        except OSError:
            if any(is_below(path, target) for path in needed):
                raise
        else:
            done[target] = [f"u{number}", *layers[target]]
    with open(_LIST, "w", encoding="utf-8") as f:
        json.dump(done, f)
    os.chdir(here)


def make_read_only(writable: list[str]) -> None:
    """Make every mount read-only except devices, processes and the folders in ``writable``. Raises ``OSError``."""
    points = list_mounts()
    for path in writable:
        if os.path.isdir(path) and path not in points:
            syscalls.mount(path, path, flags=syscalls.MS_BIND)
    syscalls.set_read_only("/", True, below=True)
    points = list_mounts()
    for path in [*_WRITABLE, *writable]:
        if path in points:
            with contextlib.suppress(PermissionError):  # it was read-only before, and locked so
                syscalls.set_read_only(path, False, below=True)


def list_mounts() -> list[str]:
    """Mount points of this namespace, without repeats, shortest first."""
    return sorted(list_sources(), key=len)


def list_sources() -> dict[str, str]:
    """What each mount point of this namespace shows: the source of the mount that is uppermost there."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
        return {_unescape_path(line.split(" ", 5)[4]): line.rpartition(" - ")[2].split(" ")[1] for line in lines}


def find_source(path: str, by_point: Mapping[str, str]) -> str:
    """The source of the mount that a path is in; ``by_point`` is what :func:`list_sources` gave."""
    while path not in by_point and path != "/":
        path = os.path.dirname(path)
    return by_point.get(path, "")


def _unescape_path(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda digits: chr(int(digits[1], 8)), text)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _has_unknown_owner(path: str) -> bool:
    """Whether a folder's user or group has no number in this user namespace; the system then shows that of nobody."""
    was = os.stat(path)
    return NOBODY in (was.st_uid, was.st_gid)


def _find_earlier() -> tuple[str, dict[str, list[str]]]:
    """The stage of the namespace that this one was copied from and its layers by folder, without those in which nothing was written; empty
    where there is none."""
    for stage in STAGES:
        try:
            with open(os.path.join(stage, _LIST), encoding="utf-8") as f:
                earlier = json.load(f)
        except (OSError, ValueError):
            continue
        return stage, {
            target: [*(name for name in upper if os.listdir(os.path.join(stage, name))), lowest]
            for target, (*upper, lowest) in earlier.items()
        }
    return "", {}


def _choose_targets(
    folders: list[str], points: list[str], is_unknown: Callable[[str], bool] = _has_unknown_owner
) -> list[str]:
    """The folders to overlay, outermost first: one inside another is covered by it unless it is a mount of its own, or it or a folder
    between the two belongs to somebody who is unknown in this user namespace (another of the user's groups): the first write below
    would copy that folder up, which overlayfs refuses (EOVERFLOW)."""
    targets: list[str] = []
    for path in sorted(dict.fromkeys(folders), key=len):
        outer = next((other for other in reversed(targets) if is_below(path, other)), "")
        if path != "/" and (path in points or not outer or any(map(is_unknown, _list_inside(path, outer)))):
            targets.append(path)
    return targets


def _list_inside(path: str, outer: str) -> Iterator[str]:
    """A path and the folders above it, below another one that it is in."""
    while path != outer and is_below(path, outer):
        yield path
        path = os.path.dirname(path)


def _choose_stage(targets: list[str]) -> str:
    for stage in STAGES:
        if os.path.isdir(stage) and not any(is_below(t, stage) or is_below(stage, t) for t in targets):
            return stage
    raise OSError("no directory to mount the overlay's tmpfs on")


def _mount_stage(stage: str, earlier: dict[str, list[str]], targets: list[str], megabytes: int) -> dict[str, list[str]]:
    """Mount the stage; by target the names in it of the layers beneath, uppermost first.

    What the earlier stage held is taken over layer by layer, and that stage let go: the hundredth state has a hundred mounts more
    than the first, not some thousands.
    """
    copies = {target: [syscalls.copy_mounts(f"{stage}/{name}") for name in names] for target, names in earlier.items()}
    if earlier:
        with contextlib.suppress(OSError):  # that of another user namespace stays, below the new one
            syscalls.detach_mount(stage)
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV
    syscalls.mount(OURS, stage, "tmpfs", flags, f"size={megabytes}m,mode=0700")
    layers = {}
    for number, target in enumerate(targets):
        layers[target] = [f"l{number}.{n}" for n in range(len(copies.get(target, "1")))]
        for name in layers[target]:
            os.mkdir(f"{stage}/{name}")
        if target in copies:
            for name, copy in zip(layers[target], copies[target], strict=True):
                syscalls.attach_mounts(copy, f"{stage}/{name}")
            continue
        # without what is mounted below: that would be locked in the next user namespace, and overlayfs takes no such layer
        with contextlib.suppress(OSError):
            syscalls.mount(target, f"{stage}/{layers[target][0]}", flags=syscalls.MS_BIND)
            continue
        syscalls.mount(target, f"{stage}/{layers[target][0]}", flags=syscalls.MS_BIND | syscalls.MS_REC)
    return layers


def _mount_overlay(number: int, target: str, layers: list[str], options: str, *, replaces: bool) -> None:
    """Mount one, in the place of that which is there where it ``replaces`` it. The working directory must be the stage: the system takes a
    page of options and no more."""
    upper, work = f"u{number}", f"w{number}"
    was = os.stat(target)
    os.mkdir(work)
    os.mkdir(upper)
    with contextlib.suppress(OSError):  # an owner that is not mapped in this user namespace
        os.chown(upper, was.st_uid, was.st_gid)
    os.chmod(upper, was.st_mode & 0o7777)
    inner = _list_mounts_below(target)
    copies = {path: syscalls.copy_mounts(path) for path in inner} if replaces else {}
    numbers = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in inner if not replaces}
    if replaces:
        with contextlib.suppress(OSError):  # that of another user namespace stays, below the new one
            syscalls.detach_mount(target)
    try:
        text = f"lowerdir={':'.join(layers)},upperdir={upper},workdir={work}"
        syscalls.mount(OURS, target, "overlay", syscalls.MS_NODEV, text + options)
        put_back_mounts(numbers)
        for path in list(copies):
            with contextlib.suppress(FileNotFoundError):
                syscalls.attach_mounts(copies.pop(path), path)
    finally:
        for descriptor in (*numbers.values(), *copies.values()):
            os.close(descriptor)


def put_back_mounts(mounts: Mapping[str, int]) -> None:
    """Mount again what an overlay hides: open descriptors by path. One whose folder is gone since, as that of a drive that
    somebody has just unmounted, has no place to be seen. Raises ``OSError``."""
    for path, fd in mounts.items():
        with contextlib.suppress(FileNotFoundError):
            syscalls.mount(f"/proc/self/fd/{fd}", path, flags=syscalls.MS_BIND | syscalls.MS_REC)


def _list_mounts_below(target: str) -> list[str]:
    """Mounts directly below a folder, which an overlay would hide, as far as they are ours to see."""
    paths: list[str] = []
    for path in list_mounts():
        if path != target and is_below(path, target) and not any(is_below(path, other) for other in paths):
            with contextlib.suppress(OSError):
                os.stat(path)
                paths.append(path)
    return paths
