"""Faults of our own: the traceback goes into a file, and one line says where."""

from __future__ import annotations

import errno
import platform
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from jupyter_selfheal._version import __version__
from jupyter_selfheal.inside.locate import format_traceback


def report_internal_error(error: BaseException) -> str:
    """Write the traceback of an error that nobody foresaw to a log; one line that names both.

    A package of others that cannot be imported is no fault of ours: then the line names its file.
    """
    if broken := describe_broken_import(error):
        return broken
    summary = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    text = format_traceback(error)
    text = f"jupyter-selfheal {__version__}, Python {platform.python_version()}, {platform.platform()}\n{text}"
    for folder in (_locate_log_folder(), Path(tempfile.gettempdir())):
        path = folder / f"selfheal-fault-{stamp}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
            path.chmod(0o600)  # source and messages of the user's may be in it
        except OSError:
            path.unlink(missing_ok=True)
            continue
        return f"internal error, not one of the notebook ({summary}): please report it with {path}"
    return (
        f"internal error, not one of the notebook ({summary}); no log could be written: the disk is full, or read-only"
    )


def describe_full_disk(error: BaseException) -> str | None:
    """One line on a disk without room, or a quota that is used up; None for any other error."""
    if not isinstance(error, OSError) or error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    place, temporary = str(error.filename or ""), tempfile.gettempdir()
    if place and not Path(place).is_relative_to(temporary):
        return f"{error.strerror}: {place}; make room there"
    return f"{error.strerror}: {place or temporary}; make room there, or set TMPDIR to a folder with room"


def describe_broken_import(error: BaseException) -> str | None:
    """One line on an error that a module of others raised while it was imported; None for any other error."""
    ours = Path(__file__).parents[2]
    frames = traceback.extract_tb(error.__traceback__)
    within = [Path(frame.filename).is_relative_to(ours) for frame in frames]
    if True not in within:
        return None
    imported = [Path(frame.filename) for frame in frames[within.index(True) :] if frame.name == "<module>"]
    if isinstance(error, SyntaxError) and error.filename:
        imported.append(Path(error.filename))
    file = next((file for file in reversed(imported) if file.is_file() and not file.is_relative_to(ours)), None)
    if file is None:
        return None
    summary = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"{file} cannot be imported ({summary}): mend or remove that package; PYTHONPATH may name it"


def _locate_log_folder() -> Path:
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "selfheal" / "faults"
