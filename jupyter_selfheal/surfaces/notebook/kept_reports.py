"""The reports of a run's notebooks that are done, beside its journals: whoever goes on with the run, or is sent one of them again, finds it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.surfaces.notebook.records import NotebookReport

DAYS_KEPT = 7
"""Days for which the reports of a run that was cut off stay, for ``--resume``."""

_ENDINGS = ("report", "lock", "draft", "command")


def locate_kept(run: str) -> Path:
    """The file that says what a run was told when it was begun."""
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    return locate_runs_folder() / f"{run}.command"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A report, and what the files of its notebook held when it was made: the one that was named, and the one that was written."""

    report: NotebookReport
    digests: tuple[tuple[Path, str], ...]


class KeptReports:
    """The kept reports of one run. ``part`` is the number of a notebook in the run.

    A worker that died may have been seen by the scheduler before its last process has ended: the lock makes the second one wait. Where the
    folder cannot be written to, nothing is kept and nobody waits; the journals, which stand there too, say so.
    """

    def __init__(self, run: str, folder: Path | None = None) -> None:
        from jupyter_selfheal.journal.jsonl import locate_runs_folder

        self._run, self._folder = run, folder or locate_runs_folder()

    def find(self, part: int, *files: Path | None) -> NotebookReport | None:
        """The report of a notebook that is done; None where it is not, cannot be read, one of its files was changed since, or it was
        written elsewhere than into one of ``files``."""
        try:
            kept = pickle.loads(self._locate(part, "report").read_bytes())
        except Exception:
            return None
        if not isinstance(kept, _Kept) or any(_digest_file(path) != known for path, known in kept.digests):
            return None
        places = {path for path, _ in kept.digests}
        return kept.report if places.issuperset(filter(None, files)) else None

    def keep(self, part: int, report: NotebookReport, *files: Path | None) -> None:
        """Keep a report, in one step; not of a notebook that could not be run, or that waits for something.

        It holds as long as ``files`` (those of the notebook) hold what they hold now.
        """
        if report.exit_code == 2:
            return
        kept = _Kept(report, tuple((path, _digest_file(path)) for path in dict.fromkeys(files) if path is not None))
        with contextlib.suppress(OSError):
            write_private(self._locate(part, "report"), pickle.dumps(kept))  # it holds the cells' sources

    @contextlib.contextmanager
    def hold_part(self, part: int) -> Iterator[None]:
        """Wait until nobody else heals this notebook of the run. The lock ends with the process that holds it."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError, ImportError):
                import fcntl

                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                file = stack.enter_context(open(self._locate(part, "lock"), "ab", opener=open_private))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def forget(self) -> None:
        """Remove all of them: the run is done. With them go those that runs left behind which nobody went on with."""
        oldest = time.time() - DAYS_KEPT * 86_400
        for ending in _ENDINGS:
            for path in self._folder.glob(f"*.{ending}"):
                with contextlib.suppress(OSError):  # another run that ends now removes it too
                    if path.name.startswith((f"{self._run}-", f"{self._run}.")) or path.stat().st_mtime < oldest:
                        path.unlink()

    def _locate(self, part: int, ending: str) -> Path:
        return self._folder / f"{self._run}-{part}.{ending}"


def _digest_file(path: Path) -> str:
    """A digest of what a file holds; empty where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def write_private(path: Path, held: bytes) -> None:
    """Write a file that is nobody else's to read, in one step. Raises :class:`OSError`, and leaves nothing then."""
    draft = path.with_suffix(f".{os.getpid()}.draft")
    try:
        with open(draft, "wb", opener=open_private) as file:
            file.write(held)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def open_private(path: str, flags: int) -> int:
    """An opener of files that are nobody else's to read."""
    return os.open(path, flags, 0o600)
