"""Cutting a forked copy of a kernel off from what it shares with the kernel: sockets, pipes, file offsets, memory.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import socket
import stat
import sys
import time
from collections.abc import Iterable, Mapping

_libc = ctypes.CDLL(None, use_errno=True)


def list_offsets() -> dict[int, int]:
    """Where every open regular file is read or written next: asked before a fork, as the user's kernel goes on at once.

    The kernel's other threads open and close files meanwhile (IPython's history does); what one closes is left out.
    """
    offset_by_number = {}
    for number in list_regular_files(()):
        with contextlib.suppress(OSError):
            offset_by_number[number] = os.lseek(number, 0, os.SEEK_CUR)
    return offset_by_number


def quarantine(keep: Iterable[int], at: Mapping[int, int]) -> None:
    """Turn sockets, pipes and the like into ``/dev/null``, and give regular files an offset of their own, as they were ``at``
    (where that is not told: as they are).

    The numbers stay in use: an object of the user's that closes its descriptor later must not close one of ours.
    """
    kept = {0, 1, 2, *keep}
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        for number, kind in _list_descriptors().items():
            if number in kept or number == null:
                continue
            if stat.S_ISREG(kind):
                reopen_file(number, offset=at.get(number, -1))
            elif not stat.S_ISCHR(kind) and not stat.S_ISDIR(kind) and not stat.S_ISBLK(kind):
                os.dup2(null, number, inheritable=os.get_inheritable(number))
    finally:
        os.close(null)


def silence_streams() -> None:
    """Descriptors 0, 1 and 2 lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)


def _list_descriptors() -> dict[int, int]:
    """The mode of what is behind each open descriptor."""
    mode_by_number = {}
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the listing's own, and what another thread has just closed
            mode_by_number[int(name)] = os.fstat(int(name)).st_mode
    return mode_by_number


def list_regular_files(keep: Iterable[int]) -> list[int]:
    """Descriptors of regular files other than those in ``keep``."""
    kept = {0, 1, 2, *keep}
    return [number for number, mode in _list_descriptors().items() if number not in kept and stat.S_ISREG(mode)]


def reopen_file(number: int, path: str = "", offset: int = -1) -> None:
    """Put another opening of the same file, at the same offset (or the one given), under a descriptor's number.

    ``path``: open that instead (the same file seen through an overlay). What cannot be opened again becomes a private
    copy of the file, so that nothing of the user's is ever moved or written.
    """
    flags = fcntl.fcntl(number, fcntl.F_GETFL)
    inheritable = os.get_inheritable(number)
    offset = os.lseek(number, 0, os.SEEK_CUR) if offset < 0 else offset
    wanted = flags & (os.O_ACCMODE | os.O_APPEND | os.O_NONBLOCK | os.O_SYNC)
    try:
        new = os.open(path or f"/proc/self/fd/{number}", wanted | os.O_CLOEXEC)
    except OSError:
        new = _make_private_copy(number)
    os.lseek(new, offset, os.SEEK_SET)
    os.dup2(new, number, inheritable=inheritable)
    os.close(new)


def _make_private_copy(number: int) -> int:
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


def list_writable_files(keep: Iterable[int]) -> dict[int, str]:
    """Descriptors of regular files open for writing, each with its path where that still leads to the same file."""
    path_by_number = {}
    for number in list_regular_files(keep):
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            continue
        path_by_number[number] = find_path(number)
    return path_by_number


def find_path(number: int) -> str:
    """The path of an open file; empty where that does not lead to the same file any more."""
    path = os.readlink(f"/proc/self/fd/{number}")
    with contextlib.suppress(OSError):
        if os.path.samestat(os.fstat(number), os.stat(path)):
            return path
    return ""


def detach_files(files: dict[int, str], is_discarded: bool) -> None:
    """Let writes to files that were open before the sandbox go where its other writes go, never to the user's file.

    ``files`` are :func:`list_writable_files` from before the sandbox was entered; ``is_discarded``: an overlay is on.
    """
    for number, path in files.items():
        if path and is_discarded:
            reopen_file(number, path)
            continue
        offset = os.lseek(number, 0, os.SEEK_CUR)
        copy = _make_private_copy(number)
        os.lseek(copy, offset, os.SEEK_SET)
        os.dup2(copy, number, inheritable=os.get_inheritable(number))
        os.close(copy)


def close_all(keep: Iterable[int]) -> None:
    """Close every descriptor but those in ``keep``: what they held (a port, a lock) is free before the process has ended."""
    kept = set(keep)
    for number in _list_descriptors():
        if number not in kept:
            with contextlib.suppress(OSError):
                os.close(number)


def receive_message(end: socket.socket) -> tuple[bytes, list[socket.socket]]:
    """One message and the sockets that came with it, which no program started here inherits; empty at the end."""
    try:
        data, numbers, _, _ = socket.recv_fds(end, 65536, 8)
    except ConnectionResetError:
        return b"", []
    for number in numbers:
        os.set_inheritable(number, False)
    return data, [socket.socket(fileno=number) for number in numbers]


def receive_bytes(end: socket.socket, size: int, seconds: float = -1.0) -> bytes:
    """So many bytes of a stream and none beyond; empty where it ends before, or where they do not come within the seconds
    (none given: there is no limit)."""
    data, until = bytearray(), time.monotonic() + seconds if seconds >= 0 else float("inf")
    poll = select.poll()
    poll.register(end, select.POLLIN)
    while len(data) < size:
        left = max(0.0, until - time.monotonic()) * 1000
        part = b""
        with contextlib.suppress(ConnectionResetError):
            part = end.recv(min(size - len(data), 1 << 20)) if poll.poll(left if seconds >= 0 else None) else b""
        if not part:
            return b""
        data += part
    return bytes(data)


# --- memory -------------------------------------------------------------------------------------------------------

_PROT, _PRIVATE, _ANONYMOUS = 3, 2, 0x20
_MAYMOVE_FIXED = 3


def shares_memory() -> bool:
    """Whether a copy of this process would share memory with it. Python makes such mappings by ``mmap``; without that module
    nobody asks the system, which takes a millisecond."""
    return "mmap" in sys.modules and bool(_list_shared_maps())


def unshare_memory() -> None:
    """Replace every shared writable mapping (``np.memmap``, shared memory) by a private copy at the same address."""
    for begin, end in _list_shared_maps():
        _copy_in_place(begin, end - begin)


def _list_shared_maps() -> list[tuple[int, int]]:
    """Begin and end of each; a device's memory is no data of the user's."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as f:
        text = f.read()
    maps = []
    for line in text.splitlines() if "w-s " in text else ():
        fields = line.split(None, 5)
        path = fields[5] if len(fields) > 5 else ""
        is_device = path.startswith("/dev/") and not path.startswith(("/dev/shm", "/dev/zero"))
        if fields[1] in ("rw-s", "-w-s") and not is_device:
            begin, end = (int(part, 16) for part in fields[0].split("-"))
            maps.append((begin, end))
    return maps


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
