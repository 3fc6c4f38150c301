"""Notebooks on executors: one report each, healed once however often a task is sent, and a line for what was lost."""

from __future__ import annotations

import contextlib
import logging
import math
import operator
import os
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import KernelError, UsageError
from jupyter_selfheal.model import Cell
from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.targets import plan_jobs
from jupyter_selfheal.surfaces.cluster.calls import Call, call_in_own_process, end_idle_processes
from jupyter_selfheal.surfaces.cluster.dask_cluster import check_address, check_files, open_cluster
from jupyter_selfheal.surfaces.cluster.executors import heal_on_executor
from jupyter_selfheal.surfaces.cluster.tasks import Task, heal_task
from jupyter_selfheal.surfaces.notebook.api import heal_notebooks
from jupyter_selfheal.surfaces.notebook.kept_reports import KeptReports
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.settings import Settings
from tests.batches import notebook


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    yield tmp_path / "data" / "selfheal" / "runs"
    end_idle_processes()


def ran(name: str) -> NotebookReport:
    return NotebookReport(name, records=(Record(Cell("c", "1"), 1, Status.RAN),))


class ScriptedExecutor(Executor):
    """Answers each call as a script says, without making it."""

    def __init__(self, *answers: NotebookReport | Exception) -> None:
        self.answers, self.calls = list(answers), list[Call]()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        self.calls.append(arguments[0])
        answer, future = self.answers[len(self.calls) - 1], Future[Any]()
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future


def test_a_call_is_made_in_a_process_of_its_own(tmp_path: Path) -> None:
    call = Call(os.getenv, ("FRUIT",), str(tmp_path), {"FRUIT": "pear"})
    with ThreadPoolExecutor(2) as pool:
        answer = pool.submit(call_in_own_process, call)
        dies = pool.submit(call_in_own_process, Call(os._exit, (3,), str(tmp_path)))
        assert answer.result() == "pear"
        with pytest.raises(KernelError, match=r"ended \(exit code 3\)"):
            dies.result()


def test_what_a_call_raises_is_raised(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="ZeroDivisionError"):
        call_in_own_process(Call(operator.truediv, (1, 0), str(tmp_path)))
    with pytest.raises(KernelError, match="no process can be started there"):
        call_in_own_process(Call(os.getpid, (), str(tmp_path / "gone")))


def test_a_call_that_ended_its_process_is_not_made_again(tmp_path: Path) -> None:
    assert call_in_own_process(Call(len, ("ab",), str(tmp_path))) == 2
    once = "__import__('os').mkdir('made') or __import__('os')._exit(3)"
    with pytest.raises(KernelError, match=r"ended \(exit code 3\)"):
        call_in_own_process(Call(eval, (once,), str(tmp_path)))


def test_a_lost_worker_is_one_line_and_the_others_are_healed(runs: Path) -> None:
    jobs = [Job(Path(name), None, part) for part, name in enumerate("abc", start=1)]
    executor = ScriptedExecutor(ran("a"), KernelError("worker 7 was lost"), ran("c"))
    reports = {job.path.name: r for job, r in heal_on_executor(jobs, executor, Settings(), "abc", resuming=False)}
    assert {name: r.exit_code for name, r in reports.items()} == {"a": 0, "b": 2, "c": 0}
    assert reports["b"].error == "b: KernelError: worker 7 was lost; go on with --resume abc"
    tasks = [call.arguments[0] for call in executor.calls]
    assert {(task.run, task.pot) for task in tasks} == {("abc", tasks[0].pot)}, "one run, one pot"
    assert tasks[0].pot is not None
    assert not list(runs.glob("*.pot"))


def test_where_the_scheduler_is_gone_each_notebook_is_a_line() -> None:
    executor = ScriptedExecutor(ran("a"), CancelledError())
    jobs = [Job(Path(name), None, part) for part, name in enumerate("ab", start=1)]
    reports = {job.path.name: r for job, r in heal_on_executor(jobs, executor, Settings(), "abc", resuming=False)}
    assert (
        reports["b"].error
        == "b: the cluster has lost it: its worker, or the scheduler, is gone; go on with --resume abc"
    )


def test_dask_says_nothing_of_itself() -> None:
    pytest.importorskip("distributed", reason="the extra [dask]")
    logging.getLogger("distributed.client").setLevel(logging.WARNING)  # as its own settings do
    with contextlib.suppress(UsageError), open_cluster("dask://127.0.0.1:9"):
        pass
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR)


def test_a_notebook_that_is_done_is_not_healed_again(tmp_path: Path) -> None:
    kept, job = KeptReports("abc"), Job(tmp_path / "none.ipynb", None, 4)
    with kept.hold_part(4):
        kept.keep(4, ran(str(job.path)), job.path)
    assert heal_task(Task(job, Settings(), "abc")) == ran(str(job.path)), "it is not even looked at"
    kept.forget()
    again = heal_task(Task(job, Settings(), "abc"))
    assert (again.exit_code, "no such file" in again.error.lower()) == (2, True)
    assert kept.find(4) is None, "what could not be run is tried again"


def test_a_report_that_is_cut_is_none(runs: Path) -> None:
    runs.mkdir(parents=True)
    (runs / "abc-1.report").write_bytes(b"\x80\x05cut")
    assert KeptReports("abc").find(1) is None


def test_a_run_that_is_over_begins_nothing(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text("{}")
    task = Task(Job(tmp_path / "n.ipynb", None, 1), Settings(), "abc", ends_at=time.time() - 1)
    assert "not begun: the time for the run is up; go on with --resume abc" in heal_task(task).error
    assert Task(task.job, task.settings, "abc").ends_at == math.inf


def test_all_of_a_script_are_one_run() -> None:
    executor = ScriptedExecutor(ran("a"), ran("b"))
    found = heal_notebooks(["a", Path("b"), "a"], executor=executor, output_dir="out")
    assert sorted(r.path for r in found) == ["a", "b"]
    assert [call.arguments[0].job.target for call in executor.calls] == [Path("out/a"), Path("out/b")]
    with pytest.raises(UsageError, match=r"two of the notebooks are named n\.ipynb"):
        list(heal_notebooks(["x/n.ipynb", "y/n.ipynb"], executor=executor, output_dir="out"))


def test_who_leaves_off_leaves_no_fixes_behind(runs: Path) -> None:
    executor = ScriptedExecutor(ran("a"), ran("b"))
    reports = heal_notebooks(["a", "b"], executor=executor)
    next(reports)
    runs.mkdir(parents=True, exist_ok=True)
    kept = runs / f"{executor.calls[0].arguments[0].run}.fixes"
    kept.touch()
    assert isinstance(reports, Generator)
    reports.close()
    assert not kept.exists()


@pytest.mark.parametrize("address", ["", "local", "local:0", "tcp://h:1", "dask://h", "dask://h:x"])
def test_what_is_no_cluster_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="is no cluster: it takes local:N"):
        check_address(address)


def test_a_cluster_that_is_not_there_is_one_line() -> None:
    pytest.importorskip("distributed", reason="the extra [dask]")
    with (
        pytest.raises(UsageError, match=r"--cluster dask://127\.0\.0\.1:9: no scheduler answers there"),
        open_cluster("dask://127.0.0.1:9"),
    ):
        pass


def test_workers_that_do_not_see_the_notebooks_are_one_line(tmp_path: Path) -> None:
    class Client:
        """Dask's, of two workers; the files of one are as they are after ``changed``."""

        def __init__(self, changed: Callable[[], Any]) -> None:
            self.changed = changed

        def run(self, function: Callable[..., Any], *given: Any) -> dict[str, Any]:
            first = function(*given)
            self.changed()
            return {"tcp://a": first, "tcp://b": function(*given)}

    (tmp_path / "n.ipynb").write_text("{}")
    notebooks = [tmp_path / "n.ipynb", tmp_path / "not there.ipynb"]
    check_files(Client(lambda: None), "dask://h:1", notebooks)
    with pytest.raises(
        UsageError, match=r"its worker tcp://b does not see .*n\.ipynb as it is here: put the notebooks where"
    ):
        check_files(Client(lambda: (tmp_path / "n.ipynb").write_text("{} ")), "dask://h:1", notebooks)
    with pytest.raises(UsageError, match="its worker tcp://b does not see"):
        check_files(Client(notebooks[0].unlink), "dask://h:1", notebooks)


@pytest.mark.parametrize("words", [["--jobs", "2"], ["--approve", "ask"]])
def test_a_cluster_goes_with_neither_jobs_nor_questions(words: list[str], tmp_path: Path) -> None:
    import json

    (tmp_path / "n.ipynb").write_text(json.dumps(notebook("1")))
    options = build_parser().parse_args(["heal", str(tmp_path), "--cluster", "local:2", *words])
    with pytest.raises(UsageError, match=f"--cluster cannot be combined with {words[0]}"):
        plan_jobs(options)
