"""Generated notebooks on a cluster of this machine, parts of which fail in the middle: is one lost, healed twice, or paid twice?

    python benchmarks/cluster.py [--notebooks 100] [--workers 2] [--kill]
    python benchmarks/cluster.py --notebooks 1000 --workers 4 --faults killed,lost,memory,scheduler --paid --folder KEPT --piece 450
    python benchmarks/cluster.py --rates [--notebooks 40] [--rounds 2]

A fifth of the notebooks is broken, in four known ways. They are healed by the command (``--cluster local:N``, offline). With
``--kill`` one worker gets SIGKILL once a third of them is done. With ``--faults`` a real `dask scheduler` with `dask worker` processes is started
apart from the command, and the named faults come one after the other, evenly over the run: a worker is killed (SIGKILL), one is no
longer heard of (SIGSTOP, until the scheduler has given it up), the process that heals on a worker is killed, as a machine without memory does it, the scheduler is
killed and started anew on the same port; then the command ends, and goes on with ``--resume``. With ``--paid`` a quarter of the broken ones is healed only by
a model, for which a server on this machine answers (0.2 s a reply). With ``--piece`` the run is interrupted (SIGINT) after so many seconds, and the cluster stopped; the same command goes on.

Counted is what came of each notebook: *lost* has no report or no healed file, *healed twice* was begun again from nothing (its journal says so), *wrong* is healed otherwise than
it must be, *asked twice* is a request that the model got more than once. Memory is the largest that one process of each kind had in the first and
in the second half: it must stay flat. ``--rates`` heals the same notebooks without a cluster, and with 1, 2 and 4 workers, in turn. Writes benchmarks/rows/scripts/cluster.jsonl
(cluster-rates.jsonl) for `make figures`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.cluster_parts import (
    FAULTS,
    Cluster,
    Model,
    Outcomes,
    count_outcomes,
    list_healing,
    list_workers,
    write_notebooks,
)
from benchmarks.measurements import FOLDER, Script, format_script
from jupyter_selfheal.testing.fake_model_server import FakeModelServer

KINDS = ("worker", "healing process", "scheduler", "command")
"""Processes whose memory is looked at."""


@dataclass
class Progress:
    """How far a run is; kept in its folder, for the next piece."""

    faults_left: list[str]
    faults_made: list[str] = field(default_factory=list)
    run: str = ""
    pieces: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory: dict[str, list[float]] = field(default_factory=lambda: {kind: [0.0, 0.0] for kind in KINDS})
    """The largest of each kind in MB, in the first and in the second half."""
    asked: dict[str, int] = field(default_factory=dict)
    exit_code: int = -1
    loads: list[float] = field(default_factory=list)
    """The machine's load at the begin and the end of each piece."""

    def note_memory(self, kind: str, process: psutil.Process, half: int) -> None:
        """See how much a process has now."""
        with contextlib.suppress(psutil.Error):
            self.memory[kind][half] = max(self.memory[kind][half], process.memory_info().rss / 1e6)


class Run:
    """One run over a folder of notebooks, or a piece of it."""

    def __init__(self, folder: Path, options: argparse.Namespace, server: FakeModelServer | None = None) -> None:
        self.folder, self.options, self.count = folder, options, options.notebooks
        self.state = folder / "progress.json"
        self.progress = (
            Progress(**json.loads(self.state.read_text()))
            if self.state.exists()
            else Progress(faults_left=[f for f in options.faults.split(",") if f])
        )
        self.given = folder / "given"
        self.given.mkdir(exist_ok=True)
        self.wanted = write_notebooks(self.given, self.count, options.paid)
        self.environment = {**os.environ, "JUPYTER_DATA_DIR": str(folder / "data")}
        if server is not None:
            self.environment |= {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "no-key-is-needed"}
        self.cluster = Cluster(folder, options.workers, self.environment) if options.faults else None

    def run(self) -> bool:
        """Heal until the end, or until the piece is over; whether it is at its end."""
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        self.progress.loads.append(os.getloadavg()[0])
        process, killed = self._start_command(), False
        while process.poll() is None:
            time.sleep(0.5)
            done = self._count_done()
            self._note_memory(process, done)
            workers = self._list_workers(process)
            if self.options.kill and not killed and done >= self.count / 3 and workers:
                workers[-1].send_signal(signal.SIGKILL)
                killed = True
            if self._make_fault(done) == "scheduler":
                process = self._restart(process)
            if self.options.piece and time.monotonic() - began > self.options.piece:
                process.send_signal(signal.SIGINT)
                break
        said = process.communicate()[1]
        if self.cluster:
            self.cluster.stop()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        progress = self.progress
        progress.exit_code, progress.pieces = process.returncode, progress.pieces + 1
        progress.seconds += time.monotonic() - began
        progress.cpu_seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        progress.run = _find_run(said)
        progress.loads.append(os.getloadavg()[0])
        self.state.write_text(json.dumps(asdict(progress), indent=1))
        sys.stderr.write(said)
        return not progress.run

    def keep_asked(self, model: Model) -> None:
        """Note how often the model was asked in this piece."""
        for request, times in model.asked.items():
            self.progress.asked[request] = self.progress.asked.get(request, 0) + times
        self.state.write_text(json.dumps(asdict(self.progress), indent=1))

    def _start_command(self) -> subprocess.Popen[str]:
        options, words = self.options, []
        if options.workers:
            words = ["--cluster", self.cluster.address if self.cluster else f"local:{options.workers}"]
        words += ["--healers", "rules,language_model", "--budget", "50"] if options.paid else ["--offline"]
        words += ["--resume", self.progress.run] if self.progress.run else []
        command = [
            sys.executable, "-m", "jupyter_selfheal", "heal", ".", "--no-cache", "--quiet", "--jobs", "1", "--output-dir",
            str(self.folder / "out"), "--report", str(self.folder / "r.json"), *words,
        ]  # fmt: skip
        return subprocess.Popen(command, cwd=self.given, env=self.environment, stderr=subprocess.PIPE, text=True)

    def _restart(self, process: subprocess.Popen[str]) -> subprocess.Popen[str]:
        """Go on at a new scheduler with what the command says once the first one is gone."""
        _, said = process.communicate()
        assert self.cluster is not None
        self.cluster.stop()
        self.cluster.start()
        self.progress.run = _find_run(said)
        if not self.progress.run:
            raise SystemExit(f"the command did not say how to go on: {said}")
        return self._start_command()

    def _make_fault(self, done: int) -> str:
        """Let the next part fail where that is due; what it was."""
        left, made = self.progress.faults_left, self.progress.faults_made
        due = (len(made) + 1) * self.count / (len(left) + len(made) + 1)
        if self.cluster is None or not left or done < due or not self.cluster.fail(left[0]):
            return ""
        made.append(left.pop(0))
        return made[-1]

    def _count_done(self) -> int:
        return len(list((self.folder / "data" / "selfheal" / "runs").glob("*.report")))

    def _list_workers(self, process: subprocess.Popen[str]) -> list[psutil.Process]:
        return self.cluster.list_workers() if self.cluster else list_workers(process.pid)

    def _note_memory(self, process: subprocess.Popen[str], done: int) -> None:
        half = int(done > self.count / 2)
        for worker in self._list_workers(process):
            self.progress.note_memory("worker", worker, half)
            with contextlib.suppress(psutil.Error):
                for healing in list_healing(worker):
                    self.progress.note_memory("healing process", healing, half)
        with contextlib.suppress(psutil.Error):
            self.progress.note_memory("command", psutil.Process(process.pid), half)
            if self.cluster:
                self.progress.note_memory("scheduler", psutil.Process(self.cluster.processes[0].pid), half)


def _find_run(said: str) -> str:
    """The run that the command says is to be gone on with; empty where it came to its end."""
    again = re.search(r"--resume (\w+)", said)
    return again[1] if again else ""


def run_whole(folder: Path, options: argparse.Namespace) -> tuple[Run, Outcomes | None]:
    """A run, or the next piece of it; what came of it where it is at its end."""
    model = Model()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(FakeModelServer(model.answer_forever())) if options.paid else None
        run = Run(folder, options, server)
        ended = run.run()
        run.keep_asked(model)
    return run, count_outcomes(folder, run.wanted) if ended else None


def add_counts(script: Script, run: Run, outcomes: Outcomes) -> None:
    """The tables of one run."""
    progress, options = run.progress, run.options
    script.loads += progress.loads
    counts = {
        "notebooks": options.notebooks, "workers": options.workers, "pieces": progress.pieces, **asdict(outcomes),
        "calls of a model": sum(progress.asked.values()), "asked twice": sum(n > 1 for n in progress.asked.values()),
    }  # fmt: skip
    for name, value in counts.items():
        script.add("counted", name.replace("_", " "), "notebooks, or as said", value)
    for kind, (first, second) in progress.memory.items():
        script.add("largest memory of a process, MB", kind, "first half", first)
        script.add("largest memory of a process, MB", kind, "second half", second)
    script.add("time", "the whole run", "notebooks a minute", 60 * options.notebooks / progress.seconds, digits=1)
    script.add("time", "the whole run", "CPU seconds a notebook", progress.cpu_seconds / options.notebooks, digits=2)


def measure_rates(options: argparse.Namespace) -> Script:
    """The same notebooks without a cluster and with 1, 2 and 4 workers, in turn."""
    script = Script(
        "Notebooks a minute on a cluster",
        f"{options.notebooks} notebooks of three cells, a fifth of them broken, without a cluster (one after the other) and on workers that are started for it; starting them is part of it. "
        "What a notebook costs more than without a cluster is the overhead.",
        f"python benchmarks/cluster.py --rates --notebooks {options.notebooks} --rounds {options.rounds}",
    )
    found: dict[int, list[tuple[float, float]]] = {}
    for number in range(options.rounds):
        for workers in (0, 1, 2, 4) if number % 2 == 0 else (4, 2, 1, 0):
            options.workers = workers
            with tempfile.TemporaryDirectory() as folder:
                run, outcomes = run_whole(Path(folder), options)
            if outcomes is None or outcomes.lost or outcomes.wrong or outcomes.healed_twice:
                raise SystemExit(f"{workers} workers: {outcomes}")
            found.setdefault(workers, []).append((run.progress.seconds, run.progress.cpu_seconds))
    for workers in sorted(found):
        rates = [60 * options.notebooks / seconds for seconds, _ in found[workers]]
        costs = [cpu / options.notebooks for _, cpu in found[workers]]
        without = [cpu / options.notebooks for _, cpu in found[0]]
        row = str(workers or "none")
        script.add("workers", row, "notebooks a minute", rates)
        script.add("workers", row, "CPU seconds a notebook", costs, digits=2)
        more = [cost - base for cost, base in zip(costs, without, strict=True)]
        script.add("workers", row, "overhead, CPU seconds a notebook", more if workers else "–", digits=2)
    return script


def main() -> int:
    """Run as the options say; 1 where one was lost, healed twice, healed wrongly or paid twice, 3 where a piece is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notebooks", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--faults", default="", help=f"of {','.join(FAULTS)}, with commas between")
    parser.add_argument("--paid", action="store_true")
    parser.add_argument("--folder", type=Path, help="where all of it is kept, for the next piece")
    parser.add_argument("--piece", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rows", type=Path)
    options = parser.parse_args()
    if unknown := set(filter(None, options.faults.split(","))) - set(FAULTS):
        parser.error(f"--faults: {', '.join(sorted(unknown))} is none of {', '.join(FAULTS)}")
    if options.rates:
        print(format_script(measure_rates(options).write(options.rows or FOLDER / "cluster-rates.jsonl")))
        return 0
    script = Script(
        "A cluster whose parts fail",
        f"Faults, one after the other: {options.faults.replace(',', ', ') or 'a worker killed' if options.faults or options.kill else 'none'}. A fifth of the notebooks is broken"
        + (", a quarter of these for a model alone, for which a server on this machine answered." if options.paid else "."),
        f"python benchmarks/cluster.py --notebooks {options.notebooks} --workers {options.workers}"
        + (f" --faults {options.faults}" if options.faults else "")
        + (" --kill" if options.kill else "") + (" --paid" if options.paid else "")
        + (f" --folder KEPT --piece {options.piece:g}" if options.piece else ""),
    )  # fmt: skip
    with contextlib.ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        run, outcomes = run_whole(folder.resolve(), options)
    if outcomes is None:
        print(f"a piece is over ({run.progress.pieces}): the same command goes on")
        return 3
    add_counts(script, run, outcomes)
    print(format_script(script.write(options.rows or FOLDER / "cluster.jsonl")))
    asked_twice = any(times > 1 for times in run.progress.asked.values())
    return int(bool(outcomes.lost or outcomes.healed_twice or outcomes.wrong or asked_twice))


if __name__ == "__main__":
    sys.exit(main())
