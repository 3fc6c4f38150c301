"""The Linux system calls that Python's standard library lacks, each as a function that raises ``OSError``.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import ctypes
import errno
import os

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV = 0x1000, 0x4000, 1 << 18, 0x2, 0x4
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38

_AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = -100, 0x8000, 1
_NR_OPEN_TREE, _NR_MOVE_MOUNT = 428, 429
_OPEN_TREE_CLONE, _MOVE_MOUNT_EMPTY_PATH = 1, 4
_NR_MOUNT_SETATTR, _NR_LANDLOCK_CREATE, _NR_LANDLOCK_ADD, _NR_LANDLOCK_RESTRICT = 442, 444, 445, 446
_O_PATH_RULE, _MNT_DETACH = 1, 2

_libc = ctypes.CDLL(None, use_errno=True)


class MountAttributes(ctypes.Structure):
    """``struct mount_attr`` of ``mount_setattr(2)``."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd")]


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64)]


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def _check_result(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """Leave namespaces (``unshare(2)``). A new user namespace needs a process of one thread."""
    _check_result(_libc.unshare(ctypes.c_int(flags)), "unshare")


def prctl(option: int, value: int) -> None:
    """``prctl(option, value, 0, 0, 0)``."""
    zero = ctypes.c_ulong(0)
    _check_result(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), "prctl")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """``mount(2)``; empty strings are passed as null pointers."""
    texts = [os.fsencode(text) or None for text in (source, target, kind, options)]
    result = _libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])
    _check_result(result, f"mount {kind or source or 'flags'} on {target}")


def detach_mount(path: str) -> None:
    """Take away what is mounted at ``path``, and all below it; what is in use lasts as long as it is (``umount2(2)``)."""
    _check_result(_libc.umount2(os.fsencode(path), ctypes.c_int(_MNT_DETACH)), f"umount {path}")


def copy_mounts(path: str) -> int:
    """A detached copy of the mount at ``path`` and of those below it, as a descriptor (``open_tree(2)``, Linux 5.2)."""
    flags = ctypes.c_uint(_OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC)
    result = _libc.syscall(ctypes.c_long(_NR_OPEN_TREE), ctypes.c_int(_AT_FDCWD), os.fsencode(path), flags)
    return _check_result(result, f"open_tree {path}")


def attach_mounts(tree: int, path: str) -> None:
    """Mount what :func:`copy_mounts` gave at ``path``; the descriptor is closed."""
    try:
        result = _libc.syscall(
            ctypes.c_long(_NR_MOVE_MOUNT),
            ctypes.c_int(tree),
            b"",
            ctypes.c_int(_AT_FDCWD),
            os.fsencode(path),
            ctypes.c_uint(_MOVE_MOUNT_EMPTY_PATH),
        )
        _check_result(result, f"move_mount to {path}")
    finally:
        os.close(tree)


def set_read_only(path: str, on: bool, *, below: bool) -> None:
    """Make the mount at ``path`` read-only or writable, and those below it too (``mount_setattr(2)``, Linux 5.12)."""
    attributes = MountAttributes()
    setattr(attributes, "set" if on else "clear", _MOUNT_ATTR_RDONLY)
    result = _libc.syscall(
        ctypes.c_long(_NR_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(path),
        ctypes.c_uint(_AT_RECURSIVE if below else 0),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _check_result(result, f"read-only {path}")


# --- Landlock (https://docs.kernel.org/userspace-api/landlock.html) -----------------------------------------------

_WRITES_ABI_1 = (1 << 1) | sum(1 << bit for bit in range(4, 13))  # write_file; remove_* and make_*
_REFER_ABI_2, _TRUNCATE_ABI_3 = 1 << 13, 1 << 14
_TCP_ABI_4 = 0b11


def read_landlock_version() -> int:
    """The ABI version of Landlock, 0 where the system has none."""
    result = int(_libc.syscall(ctypes.c_long(_NR_LANDLOCK_CREATE), None, ctypes.c_size_t(0), ctypes.c_uint32(1)))
    return max(result, 0)


def enter_landlock(writable: list[str], *, files: bool, tcp: bool) -> None:
    """Forbid this process and its children, for good, to write outside of ``writable`` (``files``), to use TCP (``tcp``).

    Raises ``OSError`` where the running version cannot do it. A process under Landlock cannot mount any more.
    """
    version = read_landlock_version()
    rights = _WRITES_ABI_1 | (_REFER_ABI_2 if version >= 2 else 0) | (_TRUNCATE_ABI_3 if version >= 3 else 0)
    if version < (4 if tcp else 1):
        raise OSError(errno.ENOSYS, "this system's Landlock cannot do it")
    rules = _Ruleset(rights if files else 0, _TCP_ABI_4 if tcp else 0)
    size = ctypes.sizeof(rules) if version >= 4 else 8
    create = _libc.syscall(ctypes.c_long(_NR_LANDLOCK_CREATE), ctypes.byref(rules), ctypes.c_size_t(size), 0)
    ruleset = _check_result(create, "landlock_create_ruleset")
    try:
        for path in writable if files else ():
            _allow_writes(ruleset, path, rights)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        restrict = _libc.syscall(ctypes.c_long(_NR_LANDLOCK_RESTRICT), ctypes.c_int(ruleset), ctypes.c_uint32(0))
        _check_result(restrict, "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _allow_writes(ruleset: int, path: str, rights: int) -> None:
    if not os.path.isdir(path):
        return
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathRule(rights, folder)
        added = _libc.syscall(
            ctypes.c_long(_NR_LANDLOCK_ADD), ctypes.c_int(ruleset), _O_PATH_RULE, ctypes.byref(rule), ctypes.c_uint32(0)
        )
        _check_result(added, "landlock_add_rule")
    finally:
        os.close(folder)
