"""Several notebooks in one command, one after the other or several at once: one report, and none that stops the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.batches import cell
from tests.command import HEAL, heal, nothing_is_left_running, ours, place, read_cells, sleeping, write
from tests.waiting import wait_until

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def folder_of_notebooks(place: Path) -> list[Path]:
    """Healthy, healed, still broken, no notebook, a kernel that is not there, and a cell that kills its kernel."""
    (place / "bad.ipynb").write_text("{")
    return [
        write(place / "healthy.ipynb", "x = 1"),
        write(place / "healed.ipynb", "%%heal --expect 'A'\n'a'.uper()"),
        write(place / "broken.ipynb", "import os", "os.environ['NO_SUCH_KEY_EVER']"),
        place / "bad.ipynb",
        write(place / "foreign.ipynb", "x = 1", kernelspec={"name": "no-such-kernel", "display_name": "?"}),
        write(place / "deadly.ipynb", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "x = 'b'.uper()"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "3"])
def test_one_report_over_all_in_the_order_given_whatever_became_of_each(place: Path, jobs: str) -> None:
    given = folder_of_notebooks(place)
    before = [p.read_bytes() for p in given]
    words = ["--output-dir", "out", "--jobs", jobs, "--report", "r.json", "--report", "r.html"]
    done = heal(*given, *words, seconds=240, ends=2)
    report = json.loads((place / "r.json").read_text())
    found = {Path(n["path"]).name: n["exit_code"] for n in report["notebooks"]}
    assert list(found) == [p.name for p in given]
    assert found == {
        "healthy.ipynb": 0, "healed.ipynb": 0, "broken.ipynb": 1, "bad.ipynb": 2, "foreign.ipynb": 2, "deadly.ipynb": 1,
    }  # fmt: skip
    assert len(done.stderr.strip().splitlines()) == 2, "one line for each that could not be run"
    assert sorted(p.name for p in (place / "out").iterdir()) == [
        "broken.ipynb",
        "deadly.ipynb",
        "healed.ipynb",
        "healthy.ipynb",
    ]
    healed = read_cells(place / "out" / "healed.ipynb")[0]
    assert "".join(healed["source"]) == "%%heal --expect 'A'\n'a'.upper()"
    assert healed["outputs"][0]["data"]["text/plain"] == ["'A'"]
    assert [c["status"] for c in report["notebooks"][5]["cells"]] == ["not healed", "healed"]
    assert "6 notebooks: 2 run, 2 still broken, 2 could not be run; 2 cells healed" in done.stdout
    assert [p.read_bytes() for p in given] == before
    for notebook in report["notebooks"]:
        for run in notebook["runs"]:
            assert (place.parent / "data" / "selfheal" / "runs" / f"{run}.jsonl").exists(), run


def worker_of(command: int, cell: psutil.Process) -> int:
    """The process between the command and something that a cell of its notebook started."""
    return next(p.pid for p in cell.parents() if p.ppid() == command)


@pytest.mark.slow
def test_a_process_that_dies_costs_its_own_notebook_only(place: Path) -> None:
    slow = write(place / "slow.ipynb", "!sleep 300")
    others = [write(place / f"{n}.ipynb", "x = 'a'.uper()") for n in "abc"]
    command = [*HEAL, slow, *others, "--output-dir", "out", "--jobs", "2", "--report", "r.json", "--timeout", "300"]
    with subprocess.Popen(
        list(map(str, command)), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert wait_until(lambda: process.poll() is not None or sleeping(place))
        assert process.poll() is None
        os.kill(worker_of(process.pid, sleeping(place)[0]), signal.SIGKILL)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2, said
    assert len(said.strip().splitlines()) == 1
    assert "slow.ipynb: the process that healed it ended (exit code -9)" in said
    report = json.loads((place / "r.json").read_text())["notebooks"]
    assert [n["exit_code"] for n in report] == [2, 0, 0, 0]
    assert nothing_is_left_running(place)


def test_nothing_runs_on_where_the_command_itself_was_killed(place: Path) -> None:
    given = [write(place / f"{n}.ipynb", "!sleep 300") for n in "ab"]
    command = [*HEAL, *given, "--output-dir", "out", "--jobs", "2", "--timeout", "300"]
    with subprocess.Popen(
        list(map(str, command)), cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert wait_until(lambda: process.poll() is not None or len(sleeping(place)) == 2)
        assert process.poll() is None
        process.kill()
    assert nothing_is_left_running(place), ours(place)


def test_one_person_is_not_asked_about_several_notebooks_at_once(place: Path) -> None:
    given = [write(place / f"{n}.ipynb", "x = 1") for n in "ab"]
    done = heal(*given, "--approve", "ask", "--jobs", "2", ends=2)
    assert "one notebook at a time" in done.stderr


def test_the_kernel_of_somebody_elses_environment_is_replaced_and_that_is_said(place: Path) -> None:
    given = write(
        place / "n.ipynb", cell("print('a'.uper())"), kernelspec={"name": "conda-env-lab-py", "display_name": "?", "language": "python"}
    )  # fmt: skip
    done = heal(given, ends=0)
    assert "note: its kernel 'conda-env-lab-py' is not installed here: it ran on python3" in done.stdout


def test_a_kernel_can_be_named(place: Path) -> None:
    given = write(place / "n.ipynb", "x = 1", kernelspec={"name": "no-such-kernel", "display_name": "?"})
    assert heal(given, "--kernel", "python3").returncode == 0
    assert heal(given, "--kernel", "neither").returncode == 2
