"""What looking ahead costs the user: the latency of a cell that does nothing, with it on and without.

    python benchmarks/ahead_cost.py [--cells 60] [--rows FILE]

In one kernel, in turns: before every second cell a look is asked for, as a page does in idle time, and the cell is run while
the cells below run in copies. Writes p50 and p99 of both and their ratios, how long after the cell all processes of the copies had
ended, how soon after the cell was sent what ran in them had (then nothing takes the user's processor any more), and the memory of both, to benchmarks/rows/scripts/ahead-cost.jsonl for `make figures`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.measurements import FOLDER, Script, format_script
from tests.live.conftest import LiveKernel

LOOK = "get_ipython()._jupyter_selfheal.on_main('', 'look ahead', '', '')"
BELOW = "while True: pass"


def measure_cell(kernel: LiveKernel) -> float:
    """Milliseconds from sending a cell to its idle."""
    began = time.perf_counter()
    kernel.run("None", "a")
    return (time.perf_counter() - began) * 1e3


def measure_mb(kernel: LiveKernel) -> float:
    """MiB of the kernel and all processes below it, what several share counted once (proportional set size)."""
    total = 0
    for process in (psutil.Process(kernel.pid), *kernel.children()):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_full_info().pss
    return total / 2**20


def wait_for_copies(kernel: LiveKernel, wanted: bool) -> float:
    """Milliseconds until a copy runs, or none does any longer."""
    began = time.perf_counter()
    while kernel.has_copies_at_work() is not wanted:
        if time.perf_counter() - began > 60:
            raise SystemExit("the copies did not begin, or did not end")
        time.sleep(0.002)
    return (time.perf_counter() - began) * 1e3


def list_trials(kernel: LiveKernel) -> list[psutil.Process]:
    """What runs cells in copies: it goes behind the kernel, and has no name of ours."""
    found, own = [], psutil.Process(kernel.pid).nice()
    for process in kernel.children():
        with suppress(psutil.NoSuchProcess):
            if process.nice() > own and not process.name().startswith("selfheal-"):
                found.append(process)
    return found


def is_running(process: psutil.Process) -> bool:
    """Whether it takes the processor; one that nobody has collected yet does not."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def measure_stop(kernel: LiveKernel) -> float:
    """Milliseconds from sending a cell until no cell runs in a copy any more."""
    while not (trials := list_trials(kernel)):
        time.sleep(0.002)
    began = time.perf_counter()
    asked = kernel.queue("None", "a")
    while any(map(is_running, trials)):
        time.sleep(0.0005)
    took = (time.perf_counter() - began) * 1e3
    kernel.done(asked)
    return took


def main() -> None:
    """Run, write and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cells", type=int, default=60, help="cells of each kind")
    parser.add_argument("--rows", type=Path, default=FOLDER / "ahead-cost.jsonl")
    chosen = parser.parse_args()
    cells = chosen.cells
    script = Script(
        "Live: looking ahead",
        "A cell that does nothing, with a cell below it in an endless loop in a copy, and without.",
        f"python benchmarks/ahead_cost.py --cells {cells}",
    )
    with tempfile.TemporaryDirectory() as folder:
        kernel = LiveKernel(Path(folder), Path(folder) / "data")
        try:
            kernel.run("%load_ext jupyter_selfheal")
            told = [{"id": "a", "source": "None"}, {"id": "b", "source": BELOW}]
            kernel.tell({"action": "context", "cells": told, "path": "n.ipynb"})
            kernel.run("None", "a")
            kernel.run("%heal ahead on")
            without, during, ended = [], [], []
            memory_without, memory_during = [], []
            for _ in range(cells):
                without.append(measure_cell(kernel))
                memory_without.append(measure_mb(kernel))
                kernel.run(LOOK, silent=True, store_history=False)
                wait_for_copies(kernel, True)
                memory_during.append(measure_mb(kernel))
                during.append(measure_cell(kernel))
                ended.append(wait_for_copies(kernel, False))
            stopped = []
            for _ in range(cells):
                kernel.run(LOOK, silent=True, store_history=False)
                stopped.append(measure_stop(kernel))
                wait_for_copies(kernel, False)
        finally:
            kernel.stop()
    table = "a cell that does nothing, ms"
    for name, times in (("without", without), ("while cells below run in copies", during)):
        script.add(table, name, "p50", times, digits=1)
        script.add(table, name, "p99", _find_p99(times), digits=1)
    script.add(table, "ratio", "p50", median(during) / median(without), "×", 2)
    script.add(table, "ratio", "p99", _find_p99(during) / _find_p99(without), "×", 2)
    script.add(table, "until the copies had ended", "p50", ended, digits=1)
    script.add(table, "until the copies had ended", "p99", _find_p99(ended), digits=1)
    script.add(table, "from sending it until no cell ran in a copy", "p50", stopped, digits=1)
    script.add(table, "from sending it until no cell ran in a copy", "p99", _find_p99(stopped), digits=1)
    memory = "memory of the kernel, the worker and all copies together, MiB"
    for name, sizes in (("without", memory_without), ("while cells below run in copies", memory_during)):
        script.add(memory, name, "what several share counted once", sizes, digits=1)
    print(format_script(script.write(chosen.rows)))


def _find_p99(times: list[float]) -> float:
    return quantiles(times, n=100)[98]


if __name__ == "__main__":
    main()
