"""Notebooks on any ``concurrent.futures.Executor``: threads, processes, a cluster. We schedule nothing ourselves."""

from __future__ import annotations

import concurrent.futures
import os
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.cluster.calls import Call, call_in_own_process
from jupyter_selfheal.surfaces.cluster.tasks import Task, heal_task
from jupyter_selfheal.surfaces.notebook.kept_reports import KeptReports
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.notebook.shared_pot import open_pot

LOST = "the cluster has lost it: its worker, or the scheduler, is gone"


def heal_on_executor(
    jobs: Sequence[Job], executor: Executor, settings: Settings, run: str, resuming: bool
) -> Generator[tuple[Job, NotebookReport], None, None]:
    """Heal ``jobs``, each in a process that a worker of ``executor`` starts; each report as soon as it is there.

    All pay out of one pot. Workers see the same files under the same paths, the data folder with its journals among them.
    """
    pot = open_pot(settings.config, run, resuming)
    ends_at = time.time() + (settings.run_ends - time.monotonic())
    futures: dict[Future[NotebookReport], Job] = {}
    to_be_resumed = False
    try:
        for job in jobs:
            call = build_call(heal_task, Task(job, settings, run, pot, ends_at))
            futures[executor.submit(call_in_own_process, call)] = job
        for future in concurrent.futures.as_completed(futures):
            report = _read_report(futures[future], future, run)
            to_be_resumed = to_be_resumed or report.exit_code == 2
            yield futures[future], report
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    finally:
        if pot is not None:
            pot.remove()
    if not to_be_resumed:
        KeptReports(run).forget()


def call_on_executor(executor: Executor, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns, called in a process that a worker of ``executor`` starts. Raises what it raises."""
    return executor.submit(call_in_own_process, build_call(function, *arguments)).result()


def build_call(function: Callable[..., Any], *arguments: Any) -> Call:
    """A call that is made in this working directory, with this user's data folder."""
    from jupyter_core.paths import jupyter_data_dir

    return Call(function, arguments, os.getcwd(), {"JUPYTER_DATA_DIR": jupyter_data_dir()})


def _read_report(job: Job, future: Future[NotebookReport], run: str) -> NotebookReport:
    """The report, or one that says in a line why there is none: a worker that died again and again, a scheduler that is gone."""
    try:
        return future.result()
    except (Exception, CancelledError) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split()) if str(error) else LOST
        return NotebookReport(str(job.path), error=f"{job.path}: {why[:300]}; go on with --resume {run}")
