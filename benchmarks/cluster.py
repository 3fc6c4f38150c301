"""Generated notebooks on a cluster of this machine, parts of which fail in the middle: is one lost, or healed twice?

    python benchmarks/cluster.py [--notebooks 100] [--workers 2] [--kill] [--json FILE]
    python benchmarks/cluster.py --notebooks 1000 --workers 4 --faults killed,lost,memory,scheduler

A fifth of the notebooks is broken, in four known ways. They are healed by the command (``--cluster local:N``, offline). With
``--kill`` one worker gets SIGKILL once a third of them is done. With ``--faults`` a real `dask scheduler` with `dask worker` processes is started
apart from the command, and the named faults come one after the other, evenly over the run: a worker is killed (SIGKILL), one is no
longer heard of (SIGSTOP, until the scheduler has given it up), the process that heals on a worker is killed, as a machine without memory does it, the scheduler is
killed and started anew on the same port; then the command ends, and goes on with ``--resume``. Printed are notebooks a minute, CPU seconds a notebook (of all processes), the
largest memory of a worker (in the first and in the second half: it must stay flat), and what came of each: *lost* is a notebook without a report or without its healed file, *healed
twice* one whose heal was begun again from nothing (its journal says so), *wrong* one that is healed otherwise than it must be.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

BROKEN = (
    ("names = ['a', 'b']\n[n.uper() for n in names]", "[n.upper() for n in names]"),
    ("total = 3\nprint(totl)", "print(total)"),
    ("import math\nmath.sqrtt(4)", "math.sqrt(4)"),
    (
        "stock = {'a': 1, 'b': 0}\nfor k in stock:\n    if not stock[k]:\n        del stock[k]\nlen(stock)",
        "list(stock)",
    ),
)
HEALTHY = "values = [n * n for n in range(100)]\nsum(values)"


@dataclass(frozen=True)
class Result:
    """What one run showed."""

    notebooks: int
    workers: int
    killed: int
    seconds: float
    cpu_seconds: float
    notebooks_a_minute: float
    cpu_seconds_a_notebook: float
    largest_worker_mb: float
    first_half_mb: float
    exit_code: int
    healed: int
    offered: int
    lost: int
    healed_twice: int
    wrong: int
    faults: str = ""
    resumed: int = 0


FAULTS = ("killed", "lost", "memory", "scheduler")
LOST_SECONDS = 20
"""After so long without a word a worker is lost to the scheduler."""


class Cluster:
    """A scheduler and workers, each a process of its own, on a port of this machine."""

    def __init__(self, folder: Path, workers: int, environment: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.folder, self.count = folder, workers
        self.environment = {**environment, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{LOST_SECONDS}s"}
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start()

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return f"dask://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the scheduler and its workers."""
        self._start_process("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show")
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            time.sleep(0.2)
        for _ in range(self.count):
            self._start_process(
                "worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", "1", "--no-dashboard", "--local-directory",
                str(self.folder / "dask"),
            )  # fmt: skip

    def _start_process(self, what: str, *words: str) -> None:
        with open(self.folder / "dask.log", "ab") as log:
            command = [sys.executable, "-m", "distributed.cli.dask_" + what, *words]
            self.processes.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def list_workers(self) -> list[psutil.Process]:
        """The processes of the workers themselves, each below the one that would start it again."""
        return [w for p in self.processes[1:] if p.poll() is None for w in list_workers(psutil.Process(p.pid))]

    def fail(self, how: str) -> bool:
        """Let a part of it fail; False where there is nothing yet that could."""
        if how == "scheduler":
            self.processes[0].kill()
            return True
        workers = self.list_workers()
        if how == "memory":
            below = [p for w in workers for p in w.children(recursive=True)]
            workers = [p for p in below if "surfaces.cluster.calls" in " ".join(p.cmdline())]
        if not workers:
            return False
        workers[-1].send_signal(signal.SIGSTOP if how == "lost" else signal.SIGKILL)
        return True

    def stop(self) -> None:
        """End all of it."""
        for process in self.processes:
            with contextlib.suppress(psutil.Error):
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        self.processes.clear()


def write_notebooks(folder: Path, count: int) -> dict[str, str]:
    """Write them; what must stand in each healed one."""
    wanted = {}
    for n in range(count):
        source, healed = BROKEN[n // 5 % len(BROKEN)] if n % 5 == 0 else (HEALTHY, HEALTHY)
        cells = [f"number = {n}", source, "print(number)"]
        raw = {
            "cells": [
                {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
                for i, s in enumerate(cells)
            ],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
        }  # fmt: skip
        (folder / f"n{n:04}.ipynb").write_text(json.dumps(raw))
        wanted[f"n{n:04}.ipynb"] = healed
    return wanted


def list_workers(command: psutil.Process) -> Iterator[psutil.Process]:
    """Dask's worker processes below the command (each below the process that would start it again)."""
    for process in command.children(recursive=True):
        try:
            if "spawn_main" in " ".join(process.cmdline()):
                yield process
        except psutil.Error:
            continue


def list_own_workers(command: subprocess.Popen[str]) -> list[psutil.Process]:
    """Dask's workers below the command itself."""
    with contextlib.suppress(psutil.Error):
        return list(list_workers(psutil.Process(command.pid)))
    return []


def run(folder: Path, count: int, workers: int, kill: bool, faults: Sequence[str] = ()) -> Result:
    """Make the notebooks, heal them, count."""
    given, runs = folder / "given", folder / "data" / "selfheal" / "runs"
    given.mkdir()
    wanted = write_notebooks(given, count)
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(folder / "data")}
    cluster = Cluster(folder, workers, environment) if faults else None
    command = [
        sys.executable, "-m", "jupyter_selfheal", "heal", ".", "--offline", "--no-cache", "--quiet", "--output-dir",
        str(folder / "out"), "--cluster", cluster.address if cluster else f"local:{workers}", "--report",
        str(folder / "r.json"),
    ]  # fmt: skip
    began, killed, largest, first_half, resumed = time.monotonic(), 0, 0.0, 0.0, 0
    left = list(faults)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=given, env=environment, stderr=subprocess.PIPE, text=True)
    while True:
        time.sleep(0.2)
        done = len(list(runs.glob("*.report")))
        found = cluster.list_workers() if cluster else list_own_workers(process)
        for worker in found:
            with contextlib.suppress(psutil.Error):
                largest = max(largest, worker.memory_info().rss / 1e6)
        first_half = largest if done <= count / 2 else first_half
        if kill and not killed and done >= count / 3 and found:
            found[-1].send_signal(signal.SIGKILL)
            killed = 1
        due = len(faults) - len(left) + 1
        if cluster and left and done >= due * count / (len(faults) + 1) and cluster.fail(left[0]):
            killed += 1
            if left.pop(0) == "scheduler":
                _, said = process.communicate()
                cluster.stop()
                cluster.start()
                again = re.search(r"--resume (\w+)", said)
                if again is None:
                    raise SystemExit(f"the command did not say how to go on: {said}")
                resumed += 1
                process = subprocess.Popen(
                    [*command, "--resume", again[1]], cwd=given, env=environment, stderr=subprocess.PIPE, text=True
                )
        if process.poll() is not None:
            break
    sys.stderr.write(process.communicate()[1])
    if cluster:
        cluster.stop()
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lost, wrong, healed, offered = count_outcomes(folder, wanted)
    return Result(
        count, workers, killed, seconds, cpu, 60 * count / seconds, cpu / count, largest, first_half, process.returncode,
        healed, offered, lost, count_twice(runs), wrong, ",".join(faults), resumed,
    )  # fmt: skip


def count_outcomes(folder: Path, wanted: dict[str, str]) -> tuple[int, int, int, int]:
    """How many are lost, healed otherwise than they must be, healed, and not healed by itself."""
    reports = json.loads((folder / "r.json").read_text())["notebooks"]
    names = Counter(Path(report["path"]).name for report in reports)
    lost = sum(names[name] != 1 or not (folder / "out" / name).exists() for name in wanted)
    healed = {Path(r["path"]).name for r in reports if any(c["status"] == "healed" for c in r["cells"])}
    written = {p.name: json.loads(p.read_text())["cells"] for p in (folder / "out").iterdir()}
    wrong = [n for n in healed if wanted[n] not in "\n".join("".join(c["source"]) for c in written.get(n, []))]
    return lost, len(wrong), len(healed), sum(r["exit_code"] == 1 for r in reports)


def count_twice(runs: Path) -> int:
    """Heals that were begun more than once for one notebook."""
    from jupyter_selfheal.journal.jsonl import read_journal
    from jupyter_selfheal.loop.events import Started

    begun: Counter[str] = Counter()
    for path in runs.glob("*.jsonl"):
        begun[path.name.partition(".")[0]] += sum(isinstance(e, Started) for e in read_journal(path).events())
    return sum(times > 1 for times in begun.values())


def main() -> int:
    """Run as the options say; 1 where one was lost, healed twice or wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notebooks", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--faults", default="", help=f"of {','.join(FAULTS)}, with commas between")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    faults = tuple(filter(None, options.faults.split(",")))
    if unknown := set(faults) - set(FAULTS):
        parser.error(f"--faults: {', '.join(sorted(unknown))} is none of {', '.join(FAULTS)}")
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), options.notebooks, options.workers, options.kill, faults)
    for name, value in asdict(result).items():
        print(
            f"{name.replace('_', ' '):24}{value:10.1f}"
            if isinstance(value, float)
            else f"{name.replace('_', ' '):24}{value:8}"
        )
    if options.json:
        options.json.write_text(json.dumps(asdict(result), indent=1) + "\n")
    return int(bool(result.lost or result.healed_twice or result.wrong))


if __name__ == "__main__":
    sys.exit(main())
