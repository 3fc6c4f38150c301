"""What was in a file before it was healed in place, so that it can be given back byte by byte.

A file of the user's own for each healed one, named by what was written in its stead; the newest are kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

MOST = 200
"""Files that are kept."""


def keep_original(held: bytes, written: str) -> None:
    """Keep what a file held, which is about to hold ``written``. Where that cannot be, it can still be undone cell by cell."""
    with contextlib.suppress(OSError):
        folder = _locate_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(folder / _digest(written.encode("utf-8")), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(held)
        for old in sorted(folder.iterdir(), key=lambda p: p.stat().st_mtime_ns)[:-MOST]:
            old.unlink(missing_ok=True)


def find_original(held: bytes) -> bytes | None:
    """What a file held before it was healed to what it holds now; None where that is not known."""
    try:
        return (_locate_folder() / _digest(held)).read_bytes()
    except OSError:
        return None


def _locate_folder() -> Path:
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    return locate_runs_folder().parent / "originals"


def _digest(held: bytes) -> str:
    return hashlib.sha256(held).hexdigest()
