"""Generated notebooks on a cluster of this machine, a worker of which is killed in the middle: is one lost, or healed twice?

    python benchmarks/cluster.py [--notebooks 100] [--workers 2] [--kill] [--json FILE]

A fifth of the notebooks is broken, in four known ways. They are healed by the command (``--cluster local:N``, offline). With
``--kill`` one worker gets SIGKILL once a third of them is done. Printed are notebooks a minute, CPU seconds a notebook (of all processes), the
largest memory of a worker, and what came of each: *lost* is a notebook without a report or without its healed file, *healed
twice* one whose heal was begun again from nothing (its journal says so), *wrong* one that is healed otherwise than it must be.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
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
    exit_code: int
    healed: int
    offered: int
    lost: int
    healed_twice: int
    wrong: int


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


def run(folder: Path, count: int, workers: int, kill: bool) -> Result:
    """Make the notebooks, heal them, count."""
    given, runs = folder / "given", folder / "data" / "selfheal" / "runs"
    given.mkdir()
    wanted = write_notebooks(given, count)
    command = [
        sys.executable, "-m", "jupyter_selfheal", "heal", ".", "--offline", "--no-cache", "--quiet", "--output-dir",
        str(folder / "out"), "--cluster", f"local:{workers}", "--report", str(folder / "r.json"),
    ]  # fmt: skip
    began, killed, largest = time.monotonic(), 0, 0.0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=given, env={**os.environ, "JUPYTER_DATA_DIR": str(folder / "data")})
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        time.sleep(0.2)
        found = list(list_workers(watched)) if watched.is_running() else []
        for worker in found:
            try:
                largest = max(largest, worker.memory_info().rss / 1e6)
            except psutil.Error:
                continue
        if kill and not killed and len(list(runs.glob("*.report"))) >= count / 3 and found:
            found[-1].send_signal(signal.SIGKILL)
            killed = 1
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lost, wrong, healed, offered = count_outcomes(folder, wanted)
    return Result(
        count, workers, killed, seconds, cpu, 60 * count / seconds, cpu / count, largest, process.returncode, healed,
        offered, lost, count_twice(runs), wrong,
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
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), options.notebooks, options.workers, options.kill)
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
