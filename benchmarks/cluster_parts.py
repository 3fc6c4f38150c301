"""What `cluster.py` is made of: notebooks, a stand-in for a model, a scheduler with workers that fail on demand, and counts of what came of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from jupyter_selfheal.testing.fake_model_server import Line, Received, Says

FAULTS = ("killed", "lost", "memory", "scheduler")
LOST_SECONDS = 20
"""After so long without a word a worker is lost to the scheduler."""

FREE = (
    ("names = ['a', 'b']\n[n.uper() for n in names]", "[n.upper() for n in names]"),
    ("total = 3\nprint(totl)", "print(total)"),
    (
        "stock = {'a': 1, 'b': 0}\nfor k in stock:\n    if not stock[k]:\n        del stock[k]\nlen(stock)",
        "list(stock)",
    ),
    ("import math\nmath.sqrtt(4)", "math.sqrt(4)"),
)
"""Cells that rules heal or offer to heal, and what must stand in them then."""
PAID = (
    "def label(count):\n    return str(count)\nassert label(7) == '{n}: 007 (odd)'\nassert label(12) == '{n}: 012 (even)'\nassert label(345) == '{n}: 345 (odd)'",
    """return f"{n}: {count:03d} ({'odd' if count % 2 else 'even'})\"""",
)
"""A cell that only a model heals, another one in each notebook, and what the stand-in for a model writes."""
HEALTHY = "values = [n * n for n in range(100)]\nsum(values)"


def write_notebooks(folder: Path, count: int, paid: bool) -> dict[str, str]:
    """Write them, a fifth of them broken; what must stand in each healed one, and in the others."""
    wanted = {}
    for n in range(count):
        source, healed = choose_cell(n, paid)
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


def choose_cell(n: int, paid: bool) -> tuple[str, str]:
    """The cell of the n-th notebook, another text in each broken one, and what must stand in it once it is healed."""
    if n % 5:
        return HEALTHY, HEALTHY
    kinds = (
        [*FREE[:3], PAID] if paid else FREE
    )  # the last one is not sure enough for a rule alone: a model would be asked for it too
    cell, healed = kinds[n // 5 % len(kinds)]
    return f"# {n}\n" + cell.replace("{n}", str(n)), healed.replace("{n}", str(n))


class Model:
    """Answers for a model. ``asked`` counts how often each request came, by its digest."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def answer_forever(self) -> Iterator[Callable[[Received], Line]]:
        """The same answer for ever."""
        while True:
            yield self.answer

    def answer(self, received: Received) -> Line:
        """The one right fix, or which of two versions does what it is for; *ok* where it is only asked whether it is there."""
        messages = received.body["messages"]
        text = "\n\n".join(part["text"] for message in messages for part in message["content"])
        wanted = json.dumps(received.body.get("output_config", {}))
        if not received.body.get("output_config"):
            return Says("ok")
        self.asked[hashlib.sha256(json.dumps(received.body).encode()).hexdigest()] += 1
        said = write_judgement(text) if "score_a" in wanted else write_fix(text)
        return Says(json.dumps(said), input_tokens=len(text) // 4, output_tokens=100, delay=0.2)


def write_fix(text: str) -> dict[str, Any]:
    """The right fix of a cell that only a model heals; nothing for another one."""
    found = re.search(r"assert label\(7\) == '(\d+): 007", text)
    words = {"title": "Write the label", "cause": "the label is not written out", "risk": "none that is known"}
    diagnosis = {"cause": words["cause"], "cell": "cell-2", "class": "code", "confidence": 95}
    if found is None:
        return {"diagnosis": diagnosis, "hypotheses": []}
    source, healed = (part.replace("{n}", found[1]) for part in PAID)
    source = f"# {found[1]}\n{source}".replace("return str(count)", healed)
    edits = [{"cell": "cell-2", "action": "replace", "source": source}]
    return {"diagnosis": diagnosis, "hypotheses": [{**words, "edits": edits}]}


def write_judgement(text: str) -> dict[str, Any]:
    """Eight for the version that ran."""
    first = text.split("# Version A")[1].split("# Version B")[0]
    scores = (8, 3) if "it ran" in first else (3, 8)
    words = ("does what the cell is for", "fails")
    return {
        "feedback_a": words[scores[0] != 8], "feedback_b": words[scores[1] != 8], "score_a": scores[0],
        "score_b": scores[1], "better": "AB"[scores[1] == 8],
    }  # fmt: skip


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
        return [w for p in self.processes[1:] if p.poll() is None for w in list_workers(p.pid)]

    def fail(self, how: str) -> bool:
        """Let a part of it fail; False where there is nothing yet that could."""
        if how == "scheduler":
            self.processes[0].kill()
            return True
        workers = self.list_workers()
        victims = [p for w in workers for p in list_healing(w)] if how == "memory" else workers
        if not victims:
            return False
        victims[-1].send_signal(signal.SIGSTOP if how == "lost" else signal.SIGKILL)
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


def list_workers(pid: int) -> list[psutil.Process]:
    """Dask's worker processes below a process (each below the process that would start it again)."""
    with contextlib.suppress(psutil.Error):
        return list(_list_below(psutil.Process(pid), "spawn_main"))
    return []


def list_healing(worker: psutil.Process) -> Iterator[psutil.Process]:
    """Our processes that heal, below a worker."""
    return _list_below(worker, "surfaces.cluster.calls")


def _list_below(process: psutil.Process, word: str) -> Iterator[psutil.Process]:
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if word in " ".join(child.cmdline()):
                yield child


@dataclass(frozen=True)
class Outcomes:
    """Notebooks of a run that ended. *lost*: without a report or without a healed file. *wrong*: healed otherwise than it must be."""

    lost: int
    wrong: int
    healed: int
    offered: int
    healed_twice: int


def count_outcomes(folder: Path, wanted: dict[str, str]) -> Outcomes:
    """What came of each notebook."""
    reports = json.loads((folder / "r.json").read_text())["notebooks"]
    names = Counter(Path(report["path"]).name for report in reports)
    lost = sum(names[name] != 1 or not (folder / "out" / name).exists() for name in wanted)
    healed = {Path(r["path"]).name for r in reports if any(c["status"] == "healed" for c in r["cells"])}
    written = {p.name: json.loads(p.read_text())["cells"] for p in (folder / "out").iterdir()}
    wrong = [n for n in healed if wanted[n] not in "\n".join("".join(c["source"]) for c in written.get(n, []))]
    offered = sum(r["exit_code"] == 1 for r in reports)
    return Outcomes(lost, len(wrong), len(healed), offered, count_twice(folder / "data" / "selfheal" / "runs"))


def count_twice(runs: Path) -> int:
    """Notebooks whose heal was begun more than once."""
    from jupyter_selfheal.journal.jsonl import read_journal
    from jupyter_selfheal.loop.events import Started

    begun: Counter[str] = Counter()
    for path in runs.glob("*.jsonl"):
        begun[path.name.partition(".")[0]] += sum(isinstance(e, Started) for e in read_journal(path).events())
    return sum(times > 1 for times in begun.values())
