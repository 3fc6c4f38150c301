"""A notebook as a task for a worker anywhere: healed once, however often it is sent."""

from __future__ import annotations

import atexit
import math
import time
from dataclasses import dataclass, replace

from jupyter_selfheal.providers.pot import Pot
from jupyter_selfheal.surfaces.cli.one import Job, heal_once
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings


@dataclass(frozen=True, slots=True)
class Task:
    """A notebook of a run. ``ends_at`` is when the run must end, in seconds of the clock that all machines share."""

    job: Job
    settings: Settings
    run: str
    pot: Pot | None = None
    ends_at: float = math.inf


def heal_task(task: Task) -> NotebookReport:
    """Heal the notebook, or give the report of it if that was done before; what was paid for before is not paid again."""
    return heal_once(_open_session(task), task.job)


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
