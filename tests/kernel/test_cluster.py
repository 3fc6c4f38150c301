"""A real scheduler with two worker processes: one is killed, one is lost, one runs out of memory, the command is interrupted. Nothing is
lost, and nothing is healed twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

import jupyter_selfheal
from jupyter_selfheal.journal.jsonl import read_journal
from jupyter_selfheal.loop.events import Started
from tests.command import HEAL, nothing_is_left_running, place, sleeping, write
from tests.waiting import wait_until

__all__ = ["place"]

pytestmark = [pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(600)]
pytest.importorskip("distributed", reason="the extra [dask]")


def find_worker(cell: psutil.Process) -> psutil.Process:
    """The Dask worker that a cell's process descends from: the third below the command (nanny, spawned worker, our process)."""
    return next(p for p in cell.parents() if "spawn_main" in " ".join(p.cmdline()))


def find_own_process(cell: psutil.Process) -> psutil.Process:
    """Our process that heals the cell's notebook: the one that the kernel of a machine without memory would end."""
    return next(p for p in cell.parents() if "surfaces.cluster.calls" in " ".join(p.cmdline()))


def write_notebooks(place: Path) -> tuple[Path, list[str]]:
    """Three notebooks, one of which sleeps until the file is there, and the command for them."""
    flag = place / "go"
    given = [write(place / f"{name}.ipynb", "x = 1", "x = 'a'.uper()") for name in "ab"]
    wait = f"import os\nif not os.path.exists({str(flag)!r}):\n    !sleep 300"
    given.append(write(place / "c.ipynb", wait, "x = 'c'.uper()"))
    words = ["--output-dir", "out", "--cluster", "local:2", "--report", "r.json", "--timeout", "300"]
    return flag, list(map(str, [*HEAL, *given, *words]))


def check_result(place: Path) -> None:
    """Each notebook is there, was begun once, and nothing is left behind."""
    notebooks = json.loads((place / "r.json").read_text())["notebooks"]
    assert [Path(n["path"]).name for n in notebooks] == ["a.ipynb", "b.ipynb", "c.ipynb"]
    assert [[c["status"] for c in n["cells"]] for n in notebooks] == [["ran", "healed"]] * 3
    assert sorted(p.name for p in (place / "out").iterdir()) == ["a.ipynb", "b.ipynb", "c.ipynb"]
    runs = place.parent / "data" / "selfheal" / "runs"
    begun = [e for path in runs.glob("*.jsonl") for e in read_journal(path).events() if isinstance(e, Started)]
    assert len(begun) == 3, "each was healed once"
    assert not [p for p in runs.iterdir() if p.suffix != ".jsonl"], "nothing is left beside the journals"
    assert nothing_is_left_running(place)


@pytest.mark.parametrize("how", ["killed", "lost", "out of memory"])
def test_a_worker_that_fails_costs_nothing(place: Path, how: str) -> None:
    flag, command = write_notebooks(place)
    # a worker that is not heard of for so long is lost to the scheduler
    env = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20s"} if how == "lost" else None
    with subprocess.Popen(
        command, cwd=place, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert wait_until(lambda: process.poll() is not None or sleeping(place))
        assert process.poll() is None
        cell = sleeping(place)[0]
        victim = find_own_process(cell) if how == "out of memory" else find_worker(cell)
        flag.touch()
        victim.send_signal(signal.SIGSTOP if how == "lost" else signal.SIGKILL)
        said, problems = process.communicate(timeout=240)
    assert process.returncode == 0, said + problems
    check_result(place)


def test_an_interrupted_command_is_gone_on_with(place: Path) -> None:
    flag, command = write_notebooks(place)
    runs, temporary = place.parent / "data" / "selfheal" / "runs", place.parent / "temporary"
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, cwd=place, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert wait_until(
            lambda: process.poll() is not None or (sleeping(place) and len([*runs.glob("*.report")]) == 2)
        )
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, problems = process.communicate(timeout=120)
    assert process.returncode == 2, problems
    found = re.fullmatch(
        r"jupyter selfheal: interrupted: .*; go on with: jupyter selfheal heal --resume (\w+)\n", problems
    )
    assert found, problems
    assert nothing_is_left_running(place)
    flag.touch()
    done = subprocess.run(
        [*command, "--resume", found[1]], cwd=place, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    check_result(place)
    assert not [*temporary.iterdir()], "no folder of Dask's is left, after an interrupt either"


def test_notebooks_of_an_object_store_are_healed_beside_their_files(place: Path) -> None:
    """As docs/scale.md shows it: got with their folder, healed there, put back; what S3 speaks is fsspec's matter."""
    store = pytest.importorskip("fsspec").filesystem("memory")
    (place / "local").mkdir()
    write(place / "local" / "n.ipynb", "price = int(open('price.txt').read())", "print(price.bit_lenth())")
    (place / "local" / "price.txt").write_text("12")
    store.put(f"{place / 'local'}/", "bucket/course/", recursive=True)
    store.get("bucket/course/", f"{place / 'course'}/", recursive=True)
    with ThreadPoolExecutor(1) as pool:
        notebooks = (place / "course").rglob("*.ipynb")
        reports = [*jupyter_selfheal.heal_all(notebooks, executor=pool, output_dir=place / "healed")]
    store.put(f"{place / 'healed'}/", "bucket/healed/", recursive=True)
    assert [report.exit_code for report in reports] == [0]
    assert b"bit_length" in store.cat("bucket/healed/n.ipynb")
    assert b"bit_lenth" in store.cat("bucket/course/n.ipynb")
