"""A notebook as a task for a worker anywhere: healed once, however often it is sent."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.providers.pot import Pot
from jupyter_selfheal.surfaces.cli.one import Job, heal_notebook
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.session import Session, Settings


@dataclass(frozen=True, slots=True)
class Task:
    """A notebook of a run. ``ends_at`` is when the run must end, in seconds of the clock that all machines share."""

    job: Job
    settings: Settings
    run: str
    pot: Pot | None = None
    ends_at: float = math.inf


class KeptReports:
    """The reports of a run's notebooks that are done, beside its journals: who is sent one of them again finds it.

    A worker that died may have been seen by the scheduler before its last process has ended: the lock makes the second one wait.
    """

    def __init__(self, run: str, folder: Path | None = None) -> None:
        from jupyter_selfheal.journal.jsonl import locate_runs_folder

        self._run, self._folder = run, folder or locate_runs_folder()

    def find(self, part: int) -> NotebookReport | None:
        """The report of a notebook that is done; None where it is not, or where the report cannot be read."""
        try:
            report = pickle.loads(self._locate(part, "report").read_bytes())
        except Exception:
            return None
        return report if isinstance(report, NotebookReport) else None

    def keep(self, part: int, report: NotebookReport) -> None:
        """Keep a report, in one step; not of a notebook that could not be run, or that waits for something."""
        if report.exit_code == 2:
            return
        draft = self._locate(part, f"{os.getpid()}.draft")
        with open(draft, "wb", opener=_open_private) as file:  # it holds the cells' sources
            file.write(pickle.dumps(report))
        draft.replace(self._locate(part, "report"))

    @contextlib.contextmanager
    def hold(self, part: int) -> Iterator[None]:
        """Wait until nobody else heals this notebook of the run. The lock ends with the process that holds it."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(self._locate(part, "lock"), "ab") as file:
            with contextlib.suppress(ImportError):
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def forget(self) -> None:
        """Remove all of them: the run is done."""
        for ending in ("report", "lock", "draft"):
            for path in self._folder.glob(f"{self._run}-*.{ending}"):
                path.unlink(missing_ok=True)

    def _locate(self, part: int, ending: str) -> Path:
        return self._folder / f"{self._run}-{part}.{ending}"


def heal_task(task: Task) -> NotebookReport:
    """Heal the notebook, or give the report of it if that was done before; what was paid for before is not paid again."""
    kept, part = KeptReports(task.run), task.job.part
    with kept.hold(part):
        if (known := kept.find(part)) is not None:
            return known
        report = heal_notebook(_open_session(task), task.job)
        kept.keep(part, report)
    return report


_open: list[tuple[tuple[object, ...], Session]] = []
"""The session of the run that this process works for, if there is one: its kernels serve notebook after notebook."""


def _open_session(task: Task) -> Session:
    """The session of the task's run."""
    key = (task.run, task.settings, task.pot, task.ends_at)
    if _open and _open[0][0] == key:
        return _open[0][1]
    close_session()
    settings = replace(task.settings, run_ends=time.monotonic() + (task.ends_at - time.time()))
    session = Session(settings, task.run, resuming=True, pot=task.pot)
    _open.append((key, session))
    return session


@atexit.register
def close_session() -> None:
    """Let go of what the last run holds."""
    while _open:
        _open.pop()[1].close()


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
