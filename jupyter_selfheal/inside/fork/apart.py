"""An overlay for each run of a notebook's own cells: what they write is seen by whoever goes on from the state behind them, and by nobody else.

Where a cell fails, its patches are tried from the state before it, and the folder that it had made must not be there yet. The
writes of a trial are thrown away with its overlay anyway; those of a cell stay, in that of a state that is kept.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from jupyter_selfheal.inside.fork import after_fork, descriptors, guard, overlay, sandbox

APART = "apart"
"""What a plan says of its writes: as ``allow``, but in an overlay of their own where there is one already."""

_MOST_LAYERS = 100
"""Layers in which something was written, upon each other: a file that is not there is looked for in each. The system takes five hundred."""

_MOST_WRITTEN = 256 << 20
"""Bytes written so far: a file that is changed again is copied into the new overlay, in memory."""

_GUARDS = (after_fork.SPARE, after_fork.GUARD)
"""What processes are named whose children are trials."""


def enter_where_possible(keep: Iterable[int], history: str = "") -> None:
    """Enter such an overlay where it can be had, with the files that are read; ``keep`` are descriptors of ours.

    ``history`` is the path of a file that is open for writing and not written to.

    Raises :class:`~jupyter_selfheal.inside.fork.sandbox.LayerFailed`.
    """
    kept = tuple(keep)
    layers, written = overlay.measure_layers()
    if not 0 < layers < _MOST_LAYERS or written > _MOST_WRITTEN:
        return
    # SQLite and HDF5 know a file by its number, which is another one in a new overlay: they would not write any more
    if set(descriptors.list_writable_files(kept).values()) - {"", history} or _has_company():
        return
    files = {number: descriptors.find_path(number) for number in descriptors.list_regular_files(kept)}
    try:
        sandbox.stack_overlays()
    except OSError as error:
        raise sandbox.LayerFailed(f"another overlay could not be mounted: {error}") from error
    for number, path in files.items():
        if path:
            descriptors.reopen_file(number, path)


def _has_company() -> bool:
    """Whether a process that a cell has started lives on where this one is: it would not see what is written elsewhere."""
    here = os.readlink("/proc/self/ns/mnt")
    return any(_is_in(pid, here) and not _is_ours(pid) for pid in map(int, filter(str.isdigit, os.listdir("/proc"))))


def _is_in(pid: int, namespace: str) -> bool:
    with contextlib.suppress(OSError):  # it has ended, or is somebody else's
        return os.readlink(f"/proc/{pid}/ns/mnt") == namespace
    return False


def _is_ours(pid: int) -> bool:
    """Whether a process is one of ours, a trial too, or one that a library has beside its work and that writes nothing."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as f:
        if b"resource_tracker" in f.read():
            return True
    parent = after_fork.read_name(guard.read_parent(pid))
    return parent in _GUARDS or after_fork.read_name(pid) in (after_fork.ZYGOTE, *_GUARDS)
