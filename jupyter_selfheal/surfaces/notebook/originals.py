"""What was in a file before it was healed in place, so that it can be given back byte by byte.

A file of the user's own for each healed one, named by what was written in its stead; the newest are kept. Which Python files were fixed
with a notebook stands beside them: the notebook itself may not have been changed at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

MOST = 200
"""Files that are kept."""


def keep_original(held: bytes, written: bytes) -> None:
    """Keep what a file held, which is about to hold ``written``. Where that cannot be, it can still be undone cell by cell."""
    _keep_file(_digest_bytes(written), held)


def find_original(held: bytes) -> bytes | None:
    """What a file held before it was healed to what it holds now; None where that is not known."""
    try:
        return (_locate_folder() / _digest_bytes(held)).read_bytes()
    except OSError:
        return None


def note_fixed_files(notebook: Path, files: Iterable[Path]) -> None:
    """Note which files were fixed with a notebook, beside those of earlier times."""
    paths = {*map(str, list_fixed_files(notebook)), *(str(path.resolve()) for path in files)}
    _keep_file(_name_notes(notebook), json.dumps(sorted(paths)).encode())


def list_fixed_files(notebook: Path) -> list[Path]:
    """Files that were fixed with a notebook on this machine, hold the fix still, and can be given back as they were."""
    try:
        paths = [Path(path) for path in json.loads((_locate_folder() / _name_notes(notebook)).read_bytes())]
        return [path for path in paths if path.exists() and find_original(path.read_bytes()) is not None]
    except (OSError, ValueError):
        return []


def _keep_file(name: str, held: bytes) -> None:
    with contextlib.suppress(OSError):
        folder = _locate_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(held)
        for old in sorted(folder.iterdir(), key=lambda p: p.stat().st_mtime_ns)[:-MOST]:
            old.unlink(missing_ok=True)


def _name_notes(notebook: Path) -> str:
    return f"files-{_digest_bytes(str(notebook.resolve()).encode())}"


def _locate_folder() -> Path:
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    return locate_runs_folder().parent / "originals"


def _digest_bytes(held: bytes) -> str:
    return hashlib.sha256(held).hexdigest()
