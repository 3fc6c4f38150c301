"""A real scheduler with two worker processes, one of which is killed: nothing is lost, and nothing is healed twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from jupyter_selfheal.journal.jsonl import read_journal
from jupyter_selfheal.loop.events import Started
from tests.command import HEAL, nothing_is_left_running, place, sleeping, write
from tests.waiting import wait_until

__all__ = ["place"]

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
pytest.importorskip("distributed", reason="the extra [dask]")


def find_worker(cell: psutil.Process) -> psutil.Process:
    """The Dask worker that a cell's process descends from: the third below the command (nanny, spawned worker, our process)."""
    return next(p for p in cell.parents() if "spawn_main" in " ".join(p.cmdline()))


def test_a_worker_that_is_killed_costs_nothing(place: Path) -> None:
    flag = place / "go"
    given = [write(place / f"{name}.ipynb", "x = 1", "x = 'a'.uper()") for name in "ab"]
    wait = f"import os\nif not os.path.exists({str(flag)!r}):\n    !sleep 300"
    given.append(write(place / "c.ipynb", wait, "x = 'c'.uper()"))
    words = ["--output-dir", "out", "--cluster", "local:2", "--report", "r.json", "--timeout", "300"]
    command = [*HEAL, *given, *words]
    with subprocess.Popen(
        list(map(str, command)), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert wait_until(lambda: process.poll() is not None or sleeping(place))
        assert process.poll() is None
        flag.touch()
        os.kill(find_worker(sleeping(place)[0]).pid, signal.SIGKILL)
        said, problems = process.communicate(timeout=240)
    assert process.returncode == 0, said + problems
    notebooks = json.loads((place / "r.json").read_text())["notebooks"]
    assert [Path(n["path"]).name for n in notebooks] == ["a.ipynb", "b.ipynb", "c.ipynb"]
    assert [[c["status"] for c in n["cells"]] for n in notebooks] == [["ran", "healed"]] * 3
    assert sorted(p.name for p in (place / "out").iterdir()) == ["a.ipynb", "b.ipynb", "c.ipynb"]
    runs = place.parent / "data" / "selfheal" / "runs"
    begun = [e for path in runs.glob("*.jsonl") for e in read_journal(path).events() if isinstance(e, Started)]
    assert len(begun) == 3, "each was healed once"
    assert not [p for p in runs.iterdir() if p.suffix != ".jsonl"], "nothing is left beside the journals"
    assert nothing_is_left_running(place)
