"""The notebooks of a command, one after the other or several at once, each of those in a process with kernels of its own."""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import connection
from typing import Any

from jupyter_selfheal.inside.fork.gate import measure_available_mb
from jupyter_selfheal.own_process import keep_byte_code
from jupyter_selfheal.providers.pot import Pot
from jupyter_selfheal.surfaces.cli.interrupts import delay_interrupts, ignore_interrupts, resend_lost_interrupts
from jupyter_selfheal.surfaces.cli.one import Job, heal_once
from jupyter_selfheal.surfaces.notebook.beside import count_cores
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.notebook.shared_pot import open_pot

NOTEBOOK_MB = 2_048
"""Memory that a notebook may need while others run, unless a limit says how much it may have."""

LEAST_NOTEBOOKS = 4
"""Notebooks that each process should have: starting one, and kernels for it, takes as long as a small notebook."""

PATIENCE = 30.0
"""Seconds that a process gets to stop its kernels before it is killed (then they end with it)."""

_SAFE_PATH, _OURS = "PYTHONSAFEPATH", "selfheal"


def choose_workers(options: argparse.Namespace, settings: Settings, notebooks: int) -> int:
    """How many notebooks are healed at once: ``--jobs``, or as many as the machine can take.

    One at a time where they could get in each other's way: where cells write files, files of the project are replaced, or questions are asked.
    """
    if options.jobs is not None:
        return max(min(int(options.jobs), notebooks), 1)
    if settings.writes == "allow" or settings.project is not None or settings.approve == "ask":
        return 1
    memory = settings.config.memory_mb or NOTEBOOK_MB
    return count_workers(count_cores(), _measure_free_mb(), notebooks, memory)


def count_workers(cores: int, free_mb: int, notebooks: int, memory_mb: int) -> int:
    """Half of the cores (a notebook runs while trials for it do), as far as the memory goes, and no more than there is to do for."""
    return max(min(cores // 2, free_mb // memory_mb, notebooks // LEAST_NOTEBOOKS), 1)


def _measure_free_mb() -> int:
    """Memory in MiB that can be used now; 0 where that is not known, as on other systems than Linux."""
    try:
        return measure_available_mb()
    except OSError:
        return 0


def heal_in_processes(
    jobs: Sequence[Job], workers: int, settings: Settings, run: str, resuming: bool
) -> Generator[tuple[Job, NotebookReport], None, None]:
    """Heal ``jobs`` in up to ``workers`` processes; each report as soon as it is there.

    All of them pay out of one pot, as they need it, so that together they cannot spend more than the budget; where no pot can be
    shared, each may spend its share. One that dies is a line in the report of its notebook, and another takes its place.
    """
    config = settings.config.with_(parallel=max(settings.config.parallel // workers, 1))
    pot = open_pot(config, run, resuming)
    if pot is None:
        config = config.with_(session_budget_usd=config.session_budget_usd / workers)
    crew = _Crew(replace(settings, config=config), run, resuming, pot)
    waiting = deque(jobs)
    try:
        while waiting or crew.busy:
            while waiting and len(crew.busy) < workers:
                crew.give_job(waiting.popleft())
            yield from crew.wait_for_reports()
        crew.dismiss()
    except BaseException:
        crew.stop()
        raise
    finally:
        if pot is not None:
            pot.remove()


@dataclass(slots=True)
class _Worker:
    process: Any
    pipe: Any
    job: Job | None = None


class _Crew:
    """Worker processes. An idle one is used before a new one is started."""

    def __init__(self, settings: Settings, run: str, resuming: bool, pot: Pot | None) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._arguments = (settings, run, resuming, pot)
        self._workers: list[_Worker] = []

    @property
    def busy(self) -> list[_Worker]:
        return [w for w in self._workers if w.job is not None]

    def give_job(self, job: Job) -> None:
        worker = next((w for w in self._workers if w.job is None), None) or self._start_worker()
        worker.job = job
        with contextlib.suppress(OSError):  # it died: the end of its pipe says so below
            worker.pipe.send(job)

    def wait_for_reports(self) -> Iterator[tuple[Job, NotebookReport]]:
        """Wait until some notebook is done."""
        ready = connection.wait([w.pipe for w in self.busy])
        for worker in [w for w in self.busy if w.pipe in ready]:
            job, worker.job = worker.job, None
            assert job is not None
            try:
                yield job, worker.pipe.recv()
            except (EOFError, OSError):
                worker.process.join(PATIENCE)
                self._workers.remove(worker)
                why = f"the process that healed it ended (exit code {worker.process.exitcode}): heal it again, alone"
                yield job, NotebookReport(str(job.path), error=f"{job.path}: {why}")

    def dismiss(self) -> None:
        """Let all of them end."""
        for worker in self._workers:
            with contextlib.suppress(OSError):
                worker.pipe.send(None)
        self._end_workers()

    def stop(self) -> None:
        """End all of them at once, as Ctrl-C does."""
        for worker in self._workers:
            if worker.process.is_alive():
                os.kill(worker.process.pid, signal.SIGINT)
        self._end_workers()

    def _start_worker(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        # a Ctrl-C that comes while Python starts there waits until it can be answered in good order
        delay_interrupts(True)
        trust_own_folder(False)
        try:
            process = self._context.Process(target=_run_worker, args=(theirs, *self._arguments), name="selfheal")
            process.start()
        finally:
            trust_own_folder(True)
            delay_interrupts(False)
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _end_workers(self) -> None:
        for worker in self._workers:
            worker.process.join(PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()
        self._workers = []


def _run_worker(pipe: Any, settings: Settings, run: str, resuming: bool, pot: Pot | None) -> None:
    """A worker process: heal what comes, until nothing more comes or there is nobody to tell."""
    keep_byte_code()
    trust_own_folder(True)  # kernels that it starts keep the user's rules
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # a terminal's Ctrl-C goes to the command, which passes it on once
    warnings.filterwarnings("ignore", category=SyntaxWarning, module="<cell>")  # as in the command's own process
    session = Session(settings, run, resuming=resuming, pot=pot)
    try:
        threading.Thread(target=_end_with_command, daemon=True).start()
        resend_lost_interrupts()
        delay_interrupts(False)
        while (job := pipe.recv()) is not None:
            pipe.send(heal_once(session, job))
    except (KeyboardInterrupt, EOFError, OSError):
        pass
    finally:
        ignore_interrupts()
        session.close()


def _end_with_command() -> None:
    """End this process as Ctrl-C does where the command itself was killed."""
    command = multiprocessing.parent_process()
    if command is not None:
        connection.wait([command.sentinel])
        if hasattr(signal, "pthread_kill"):  # to the main thread, which may be waiting for something
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)


def trust_own_folder(trusted: bool) -> None:
    """Whether a Python that starts now looks for modules in the working directory first: a worker process must not."""
    if not trusted:
        os.environ.setdefault(_SAFE_PATH, _OURS)
    elif os.environ.get(_SAFE_PATH) == _OURS:
        del os.environ[_SAFE_PATH]
