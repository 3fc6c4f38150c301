"""How long a user waits in a live session until it is said that there is no fix.

    python benchmarks/no_fix_live.py [NAME...] [--rows FILE]

A real kernel with the extension; the failures of benchmarks/unfixable.py one after the other in one session, each from sending the cell to the
last word of its card. Writes benchmarks/rows/scripts/no-fix-live.jsonl, of which `make figures` makes a section of benchmarks/RESULTS.md.
Processor time is that of all processes of the kernel together: unlike time, it says something on a busy machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.live_cost import Cost, kernel_with, spent  # noqa: E402
from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from benchmarks.unfixable import UNFIXABLE, Unfixable  # noqa: E402
from tests.live.conftest import LiveKernel  # noqa: E402

PATIENCE = 240.0
"""Seconds after which it is not waited for any longer."""


def wait_for_last_word(kernel: LiveKernel, shown: int) -> str:
    """The first line of the newest card, once it says how the heal ended."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if len(kernel.displays) > shown and "healing…" not in kernel.card().splitlines()[0]:
            return kernel.card().splitlines()[0]
        kernel._take(0.05)
    return "no end"


def measure_one(kernel: LiveKernel, one: Unfixable) -> tuple[Cost, str]:
    """What is waited for, and what was said."""
    if one.above:
        kernel.run(one.above, f"{one.name} above", allow_stdin=True)
    shown, used, began = len(kernel.displays), spent(kernel), time.monotonic()
    kernel.run(one.failing, one.name, allow_stdin=True)
    said = wait_for_last_word(kernel, shown)
    cost = Cost((time.monotonic() - began) * 1e3, spent(kernel) - used)
    kernel.run("%heal stop")
    return cost, said


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so many of them do not exceed: one that was measured, none in between."""
    ranked = sorted(values)
    return ranked[min(int(share * len(ranked)), len(ranked) - 1)]


def report(names: Sequence[str]) -> Script:
    """Measured now."""
    note = (
        "From sending a cell that no small change mends to the last word of its card: waiting, and processor time of all processes together. *Checked*: "
        "asserts say what is right, so the search is asked. The aim (p95 under 10 s of waiting) is for an idle machine."
    )
    script = Script("Live: no fix", note, " ".join(("python benchmarks/no_fix_live.py", *names)))
    kernel = kernel_with("on")
    costs: dict[bool, list[Cost]] = {True: [], False: []}
    try:
        kernel.run("sum([1, 2)", "warm", allow_stdin=True)
        wait_for_last_word(kernel, 0)
        kernel.run("%heal stop")
        for one in UNFIXABLE:
            if names and one.name not in names:
                continue
            cost, said = measure_one(kernel, one)
            costs[one.checked].append(cost)
            print(f"{one.name:32} {cost.ms / 1e3:6.2f} s {cost.cpu / 1e3:6.2f} CPU-s  {said[:110]}", flush=True)
            for column, value in (("seconds", cost.ms), ("CPU-seconds", cost.cpu)):
                script.add("failure without a fix", one.name, column, value / 1e3, digits=2)
            script.add("failure without a fix", one.name, "said", said.removeprefix("Self-heal: ")[:90])
    finally:
        kernel.stop()
    for title, group in (("checked", costs[True]), ("others", costs[False]), ("all", costs[True] + costs[False])):
        for column, values in (("seconds", [c.ms / 1e3 for c in group]), ("CPU-seconds", [c.cpu / 1e3 for c in group])):
            if values:
                script.add("together", title, f"{column}, p50", percentile(values, 0.5), digits=2)
                script.add("together", title, f"{column}, p95", percentile(values, 0.95), digits=2)
    return script


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rows", type=Path, default=FOLDER / "no-fix-live.jsonl", metavar="FILE")
    chosen = parser.parse_args()
    print(format_script(report(chosen.names).write(chosen.rows)))


if __name__ == "__main__":
    main()
