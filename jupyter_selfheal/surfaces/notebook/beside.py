"""The clean run of the healed notebook, begun while its last cells are still being healed: on another core, in a kernel of its own.

Nothing that it finds is held against a fix: what does not go as it should beside something else is run again, alone.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.inside.fork.gate import measure_available_mb
from jupyter_selfheal.loop.capabilities import SUBPROCESS
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.model import Ending, Keep, Notebook, Sandbox, Step, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline
from jupyter_selfheal.surfaces.project.modules import Finder, list_imported

log = logging.getLogger(__name__)

MOST_RESTARTS = 1
"""How often it begins anew because a fix changed a cell that it had run; then the clean run comes in the end, as ever."""

LEAST_SECONDS = 1.0
"""How long the cells took that are run at once, but for the last ones: to keep the state behind each of many quick cells would take longer than they do."""

CLOSE_SECONDS = 5.0
"""How long its end is waited for. It may be starting a kernel, which can take a minute and cannot be ended from here: that one is closed once it is there."""

SPARE_MB = 1_024
"""Memory that must be free beside twice what the notebook takes."""


# fmt: off
_SHARING = frozenset((
    "aiohttp", "asyncio", "bokeh", "concurrent", "dash", "dask", "distributed", "fastapi", "flask", "gradio", "h2o",
    "http", "ipyparallel", "jpype", "mlflow", "multiprocess", "multiprocessing", "nbclient", "panel", "Parallel", "pexpect",
    "psutil", "py4j", "pyspark", "ray", "selenium", "socket", "socketserver", "streamlit", "subprocess", "tensorboard",
    "tornado", "uvicorn", "voila", "wandb", "websockets", "xmlrpc", "zmq",
    # clients of what keeps its own state
    "asyncpg", "bigquery", "boto3", "cassandra", "celery", "clickhouse_connect", "clickhouse_driver", "confluent_kafka",
    "cx_Oracle", "databases", "django", "elasticsearch", "firebase_admin", "gspread", "happybase", "ibis", "impala",
    "influxdb", "influxdb_client", "kafka", "mariadb", "memcache", "mongoengine", "motor", "MySQLdb", "mysql", "neo4j",
    "opensearchpy", "oracledb", "paho", "pandas_gbq", "peewee", "pika", "pony", "psycopg", "psycopg2", "pydrive", "pyhive",
    "pymemcache", "pymongo", "pymssql", "pymysql", "pyodbc", "redis", "snowflake", "sqlalchemy", "sqlmodel", "supabase",
    "trino",
))
# fmt: on
"""Modules with which a notebook may serve, or reach, something that two runs at once would share: a port, a server, a process, a database."""

_IMPORT = re.compile(r"^\s*(?:import|from)\s(.*)", re.MULTILINE)

_UNSEEN = re.compile(
    r"\bn_jobs\b|\bnum_workers\b|\bsys\.path\b|\baddsitedir\b|^\s*%+(?:run|sql|load_ext\s+sql)\b"
    r"|\b(?:postgres\w*|mysql|mariadb|mongodb|oracle|mssql|amqps?|rediss?)(?:\+\w+)?://",
    re.MULTILINE,
)
"""What speaks of other processes or of a database without an import, and of code that is not found beside the notebook."""


_WORKERS = re.compile(r"\bn_jobs\b")


def count_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def stays_inside(notebook: Notebook, *, at_once: bool = True) -> bool:
    """Whether nothing in the notebook's code, nor in the files beside it that it imports, speaks for more than its own process: no shell,
    no server, no other process, no database. ``at_once``: two such processes would run at the same time; else workers of a fit do no harm."""
    sources = [c.source for c in notebook.cells if c.kind == "code"]
    modules = _read_modules(notebook, sources)
    texts = (*sources, *(modules or ()))
    return modules is not None and not any(_reaches_out(t if at_once else _WORKERS.sub("", t)) for t in texts)


def _reaches_out(text: str) -> bool:
    named = {word for line in _IMPORT.findall(text) for word in re.findall(r"\w+", line)}
    return not named.isdisjoint(_SHARING) or bool(_UNSEEN.search(text)) or SUBPROCESS in find_capabilities(text)


def _read_modules(notebook: Notebook, sources: Sequence[str]) -> list[str] | None:
    """The texts of the files beside the notebook that its cells lead to; None where one cannot be read, or there are too many."""
    folder = Path(notebook.folder or ".").resolve()
    finder = Finder(folder, (folder,))
    texts = [keep_imports(text) for text in sources]
    modules = finder.collect_modules(texts, ())
    read = {module.file.path for module in modules}
    imported = {finder.find(name) for text in texts for name in list_imported(text, "")}
    imported |= {finder.find(name) for m in modules for name in list_imported(m.file.text, m.package)}
    return [m.file.text for m in modules] if imported <= {None, *read} else None


def keep_imports(text: str) -> str:
    """A cell as it is, and of one that does not parse imports of every name that its import lines name."""
    if src.parse(text) is not None:
        return text
    words = (word for line in _IMPORT.findall(text) for word in re.findall(r"[\w.]+", line))
    return "\n".join(line for line in (f"import {word}" for word in words) if src.parse(line) is not None)


@dataclass(frozen=True, slots=True)
class CellSteps:
    """What the clean run runs of a cell, and how long that may take."""

    cell_id: str
    steps: tuple[Step, ...]
    seconds: float


class _GivenUp(Exception):
    """It cannot be gone on with here."""


class RunBeside:
    """Runs the first cells of the healed notebook as they become known. Close it.

    As many as are known are run at once, each time from the state that the last ones left. ``open_clean`` opens the state in which nothing has run.
    """

    def __init__(
        self,
        open_clean: Callable[[], TrialKernel],
        sandbox: Sandbox,
        deadline: Deadline,
        close_seconds: float = CLOSE_SECONDS,
        *,
        is_brief: bool = False,
    ) -> None:
        self._open_clean, self._sandbox, self._deadline = open_clean, sandbox, deadline
        self._close_seconds, self._is_brief = close_seconds, is_brief
        self._news = threading.Condition()
        self._wanted: tuple[CellSteps, ...] = ()
        self._paths: tuple[str, ...] = ()
        self._needed_mb = 0.0
        self._seconds, self._seconds_taken = 0.0, 0.0
        """What the notebook took until now, and until the last cells were taken up here."""
        self._is_all = False
        """Nothing comes after what is wanted now: its state need not be kept."""
        self._is_over = False
        self._restarts = -1
        self._ran: tuple[CellSteps, ...] = ()
        self._ran_paths: tuple[str, ...] = ()
        self._trials: list[Trial] = []
        self._state: TrialKernel | None = None
        self._thread: threading.Thread | None = None

    def follow(
        self, cells: Sequence[CellSteps], paths: Sequence[str], needed_mb: float = 0.0, seconds: float = 0.0
    ) -> None:
        """These are the first cells of the healed notebook, as far as it is known; until now its cells took so much memory and so many
        seconds. Nobody waits for them."""
        with self._news:
            self._seconds = max(seconds, self._seconds)
            self._wanted, self._paths = tuple(cells), tuple(paths)
            self._needed_mb = max(needed_mb, self._needed_mb)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="selfheal-beside", daemon=True)
                self._thread.start()
            self._news.notify_all()

    def finish(self, cells: Sequence[CellSteps], paths: Sequence[str]) -> Trial | None:
        """These are all cells: the trial of them together, once it is there. None where not every one was run here."""
        with self._news:
            if self._is_over or self._thread is None:
                return None
            self._is_all = True
        self.follow(cells, paths)
        with self._news:
            while not self._is_over and not self._is_done():
                self._news.wait(1.0)
            if not self._is_done() or not self._trials:
                return None
            steps = tuple(result for trial in self._trials for result in trial.steps)
            return replace(self._trials[-1], steps=steps, seconds=sum(t.seconds for t in self._trials))

    def close(self) -> None:
        """End what runs, and let go of the state: at once, or where a kernel is just being started once that is there. Idempotent."""
        with self._news:
            self._is_over = True
            state, self._state = self._state, None
            self._news.notify_all()
        if state is not None:
            state.close()
        if self._thread is not None:
            self._thread.join(self._close_seconds)

    def _is_done(self) -> bool:
        return not self._wanted or (self._ran == self._wanted and self._ran_paths == self._paths)

    # --- on its own thread --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            self._begin_anew(self._paths)  # cells will come while its kernel starts
            while self._wait_for_more():
                self._run_more()
        except (_GivenUp, SelfHealError, OSError):
            pass  # the clean run comes in the end, as ever
        except Exception as error:  # as after these; whoever reads the log may want to know
            log.warning("the clean run beside the healing ended: %s: %s", type(error).__name__, error)
        finally:
            with self._news:
                self._is_over = True
                state, self._state = self._state, None
                self._news.notify_all()
            if state is not None:
                state.close()

    def _wait_for_more(self) -> bool:
        """False once it is over."""
        with self._news:
            while not self._is_over and (self._is_done() or self._is_little()):
                if self._is_all:
                    return False
                self._news.wait()
            self._seconds_taken = self._seconds
            return not self._is_over

    def _is_little(self) -> bool:
        return bool(self._ran) and not self._is_all and self._seconds - self._seconds_taken < LEAST_SECONDS

    def _run_more(self) -> None:
        with self._news:
            wanted, paths, is_all = self._wanted, self._paths, self._is_all
        self._check_memory()
        if self._state is None or paths != self._ran_paths or wanted[: len(self._ran)] != self._ran:
            self._begin_anew(paths)
        more = wanted[len(self._ran) :]
        steps = tuple(step for cell in more for step in cell.steps)
        timeout = min(sum(cell.seconds for cell in more) + 60.0, self._deadline.seconds_left)
        keep = Keep.NEVER if is_all else Keep.ALWAYS
        with self._news:
            state = self._state
        if state is None:
            raise _GivenUp
        brief = self._is_brief
        request = TrialRequest(
            steps, timeout=timeout, keep=keep, sandbox=self._sandbox, paths=paths, is_brief=brief, is_last=True
        )
        trial, after = state.run(request)
        if after is not None:
            self._take_state(after)
        is_whole = trial.ending is Ending.FINISHED and len(trial.steps) == len(steps)
        if not is_whole or any(r.status == "skipped" for r in trial.steps) or (after is None and not is_all):
            raise _GivenUp
        with self._news:
            self._ran, self._ran_paths = wanted, paths
            self._trials.append(trial)
            self._news.notify_all()

    def _check_memory(self) -> None:
        with self._news:
            needed = 2 * self._needed_mb + SPARE_MB
        if measure_available_mb() < needed:
            raise _GivenUp

    def _begin_anew(self, paths: tuple[str, ...]) -> None:
        self._restarts += 1
        if self._restarts > MOST_RESTARTS:
            raise _GivenUp
        self._check_memory()
        self._ran, self._ran_paths, self._trials = (), paths, []
        self._take_state(self._open_clean())

    def _take_state(self, state: TrialKernel) -> None:
        with self._news:
            old, self._state = self._state, None if self._is_over else state
            is_unwanted = self._is_over
        if old is not None:
            old.close()
        if is_unwanted:
            state.close()
            raise _GivenUp
