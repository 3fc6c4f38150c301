"""What the live extension costs the user's kernel, and how soon a proven offline proposal is there.

    python benchmarks/live_cost.py [--repeat 7] [--failures 12]
    python benchmarks/live_cost.py --against CHECKOUT    # only loading, in turns with another checkout of this repository
    python benchmarks/live_cost.py --kinds [NAME...]     # the kinds of failure of benchmarks/kinds.py, each against a replay in the same run

Three ratios, each against an alternative in the same run: loading the extension against a bare IPython; a successful cell with
the extension, without checkpoints, and without the extension; the time from a failure to its proposal against a fresh
kernel that replays the same notebook up to the fixed cell. Writes benchmarks/rows/scripts/live-cost.jsonl, and ``--kinds`` live-kinds.jsonl, of which
`make figures` makes sections of benchmarks/RESULTS.md. Processor time is that of all processes of a kernel together: unlike time, it says something on a busy machine.
"""

from __future__ import annotations

import argparse
import compileall
import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.kinds import KINDS, Kind  # noqa: E402
from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from tests.live.conftest import LiveKernel  # noqa: E402

LOAD = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import sys
shell.run_cell("0")
before, began = len(sys.modules), time.process_time()
{load}
print(time.process_time() - began, len(sys.modules) - before)
"""
STATE = "import numpy as np\nblocks = [np.ones(1 << 17) for _ in range({mib})]"
NOTEBOOK = (
    "import numpy as np",
    "data = np.arange(100_000)",
    "import time; time.sleep(1); table = {'mean': data.mean()}",
)
FAILURES = ("data.meann()", "tabel['mean']", "np.arrange(3)", "[1, 2].appendd(3)")


LOADING = "shell.run_line_magic('load_ext', 'jupyter_selfheal')"
WITH_CELL = LOADING + "; shell.run_cell('None')"


def loading(load: str, repeat: int, checkout: Path = HERE.parent) -> tuple[list[float], int]:
    """Milliseconds of processor time, each, and modules, of loading in a new process.

    With byte code, as an installed package has it, whatever the environment says: the first process writes it, and is not counted.
    """
    costs = []
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "IPYTHONDIR": home, "JUPYTER_DATA_DIR": home, "PYTHONPYCACHEPREFIX": home}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(1 + repeat):
            done = subprocess.run(
                [sys.executable, "-c", LOAD.format(load=load)],
                cwd=checkout,
                env=env,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds, modules = done.stdout.split()[-2:]
            costs.append((float(seconds) * 1e3, int(modules)))
    return [ms for ms, _ in costs[1:]], costs[1][1]


def cell_cost(kernel: LiveKernel, cell: str, repeat: int) -> list[float]:
    """Milliseconds from sending a cell to its idle, each."""
    times = []
    for _ in range(repeat):
        began = time.monotonic()
        kernel.run(cell, "c", allow_stdin=True)
        times.append((time.monotonic() - began) * 1e3)
    return times


def kernel_with(extension: str) -> LiveKernel:
    """A new kernel: ``none``, ``off`` (loaded, suggestions and so checkpoints off) or ``on``."""
    root = Path(tempfile.mkdtemp())
    (root / "work").mkdir()
    kernel = LiveKernel(root / "work", root / "data")
    if extension != "none":
        kernel.run("%load_ext jupyter_selfheal")
        kernel.run("%heal " + extension)
    return kernel


def success_path(repeat: int, mib: int) -> dict[str, list[float]]:
    """A cell that does nothing, by how the kernel is set up."""
    found = {}
    for extension in ("none", "off", "on"):
        kernel = kernel_with(extension)
        try:
            kernel.run(STATE.format(mib=mib))
            found[extension] = cell_cost(kernel, "pass", repeat * 5)
        finally:
            kernel.stop()
    return found


def proposals(count: int) -> list[float]:
    """Milliseconds from sending a failing cell to its proven proposal."""
    kernel, times = kernel_with("on"), []
    try:
        for cell in NOTEBOOK:
            kernel.run(cell, "n", allow_stdin=True)
        for number in range(count):
            shown = len(kernel.displays)
            began = time.monotonic()
            kernel.run(f"{FAILURES[number % len(FAILURES)]}  # {number}", f"f{number}", allow_stdin=True)
            kernel.wait_for(lambda shown=shown: len(kernel.displays) > shown)  # type: ignore[misc]
            kernel.card("fix ready, tested")
            times.append((time.monotonic() - began) * 1e3)
            kernel.run("%heal stop")
    finally:
        kernel.stop()
    return times


def replays(count: int) -> list[float]:
    """Milliseconds for a fresh kernel to start, run the notebook and the fixed cell."""
    times = []
    for _ in range(count):
        began = time.monotonic()
        kernel = kernel_with("none")
        try:
            for cell in (*NOTEBOOK, "data.mean()"):
                kernel.run(cell)
            times.append((time.monotonic() - began) * 1e3)
        finally:
            kernel.stop()
    return times


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds that somebody waits, and of processor time."""

    ms: float
    cpu: float


@dataclass(frozen=True, slots=True)
class KindCost:
    """One kind: its first failure in a session, the same again (nothing is loaded or compiled any more), and a replay."""

    kind: Kind
    first: Cost
    again: Cost
    replay: Cost
    is_fixed: bool


def spent(kernel: LiveKernel) -> float:
    """Processor time of the kernel and all of its processes so far, in milliseconds; of those that have ended too."""
    seconds = 0.0
    for process in [psutil.Process(kernel.pid), *kernel.children()]:
        with suppress(psutil.NoSuchProcess):
            seconds += sum(process.cpu_times()[:4])
    return seconds * 1e3


def is_begun(message: dict[str, Any], asked: str) -> bool:
    """Whether it tells that the kernel took up the cell that was sent under that id."""
    return message["msg_type"] == "execute_input" and message["parent_header"].get("msg_id") == asked


def fail(kernel: LiveKernel, kind: Kind, number: int) -> tuple[Cost, str]:
    """Run the failing cell, and wait for its card, which is returned. A loop that never ends is stopped first, and not counted."""
    shown, source = len(kernel.displays), f"{kind.failing}\n# {number}"
    if kind.is_stopped:
        asked = kernel.queue(source, f"f{number}", allow_stdin=True)
        kernel.wait_for(lambda: any(is_begun(message, asked) for message in kernel.messages))
        time.sleep(1)
    used, began = spent(kernel), time.monotonic()
    if kind.is_stopped:
        kernel.manager.interrupt_kernel()
        kernel.done(asked)
    else:
        kernel.run(source, f"f{number}", allow_stdin=True)
    kernel.wait_for(lambda: len(kernel.displays) > shown)
    kernel.wait_for(lambda: any(end in kernel.card().splitlines()[0] for end in ("fix ready", "No working fix")))
    cost, card = Cost((time.monotonic() - began) * 1e3, spent(kernel) - used), kernel.card()
    kernel.run("%heal stop")
    return cost, card


def replay(kind: Kind) -> Cost:
    """A fresh kernel that runs the same cells: what a fix costs at least that is tried in one."""
    began, kernel = time.monotonic(), kernel_with("none")
    try:
        for cell in kind.above:
            kernel.run(cell)
        if not kind.is_stopped:
            kernel.run(kind.failing)
        return Cost((time.monotonic() - began) * 1e3, spent(kernel))
    finally:
        kernel.stop()


def measure_kind(kind: Kind, repeat: int) -> KindCost:
    """In a session of its own, and against a replay right after it."""
    kernel = kernel_with("on")
    try:
        for number, cell in enumerate(kind.above):
            kernel.run(cell, f"a{number}", allow_stdin=True)
        first, card = fail(kernel, kind, 0)
        is_fixed = bool(kind.fix) and all(line in card for line in kind.fix.splitlines())
        again = [fail(kernel, kind, number)[0] for number in range(1, repeat + 1)]
    finally:
        kernel.stop()
    middle = Cost(median(c.ms for c in again), median(c.cpu for c in again))
    return KindCost(kind, first, middle, replay(kind), is_fixed)


def report_kinds(names: Sequence[str], repeat: int) -> Script:
    """Measured now."""
    note = (
        "From sending the failing cell to its tested fix (*–*: to its explanation): waiting, and processor time of all processes together. *Again*: more failures "
        "of the kind in the same session; *replay*: a fresh kernel that runs the same cells, right after it. The aims (p50 150 ms, p95 500 ms of waiting) are for an idle machine."
    )
    script = Script(
        "Live: kinds of failure",
        note,
        " ".join(("python benchmarks/live_cost.py --kinds", *names, f"--repeat {repeat}")),
    )
    costs = [measure_kind(kind, repeat) for kind in KINDS if not names or kind.name in names]
    for c in costs:
        add = functools.partial(script.add, "kind", c.kind.name)
        add("fix", "right" if c.is_fixed else "–" if not c.kind.fix else "WRONG")
        for column, cost in (("first", c.first), ("again", c.again), ("replay", c.replay)):
            add(f"{column}, ms", cost.ms)
            add(f"{column}, CPU-ms", cost.cpu)
        add("replay ÷ again, waiting", c.replay.ms / c.again.ms, "×", 1)
        add("replay ÷ again, CPU", c.replay.cpu / c.again.cpu, "×", 1)
    again = [c.again.ms for c in costs]
    script.add("all kinds together", "again, p50, ms", "", again)
    script.add("all kinds together", "again, p95, ms", "", quantiles(again, n=20)[-1] if len(again) > 1 else again)
    script.add(
        "all kinds together", "replay ÷ again, waiting, median", "", [c.replay.ms / c.again.ms for c in costs], "×", 1
    )
    script.add(
        "all kinds together", "replay ÷ again, CPU, median", "", [c.replay.cpu / c.again.cpu for c in costs], "×", 1
    )
    return script


def compare_loading(other: Path, repeat: int) -> str:
    """Loading in another checkout and in this one, in turns, so that what the machine does meanwhile meets both."""
    lines = []
    for name, load in (("%load_ext", LOADING), ("and the first cell", WITH_CELL)):
        turns = [(loading(load, 1, other), loading(load, 1)) for _ in range(repeat)]
        for where, side in ((other, 0), (HERE.parent, 1)):
            ms, modules = median(turn[side][0][0] for turn in turns), turns[0][side][1]
            lines.append(f"{name}: {ms:.1f} ms, {modules} modules ({where})")
    return "\n".join(lines)


def report(repeat: int, failures: int) -> Script:
    """Measured now."""
    script = Script("Live", "", f"python benchmarks/live_cost.py --repeat {repeat} --failures {failures}")
    for name, load in (
        ("bare IPython", "pass"),
        ("`%load_ext jupyter_selfheal`", LOADING),
        ("the same, and the first cell with its checkpoint", WITH_CELL),
    ):
        times, modules = loading(load, repeat)
        script.add("loading", name, "processor time, ms", times, digits=1)
        script.add("loading", name, "modules", modules)
    for size, mib in (("small state", 1), ("512 MiB", 512)):
        costs = success_path(repeat, mib)
        for key, name in (
            ("none", "without the extension"),
            ("off", "with it, suggestions off (no checkpoint)"),
            ("on", "as shipped (checkpoint while it costs ≤ 5 ms)"),
        ):
            script.add("a cell that does nothing, sent to idle, ms", name, size, costs[key], digits=1)
    offered, replayed = proposals(failures), replays(3)
    table = "failure to proven offline proposal"
    script.add(table, f"p50 of {len(offered)}", "ms", offered)
    script.add(table, "p95", "ms", quantiles(offered, n=20)[-1])
    script.add(table, "fresh kernel and replay of the same notebook", "ms", replayed)
    script.add(table, "replay ÷ p50", "ms", median(replayed) / median(offered), "×", 1)
    return script


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--failures", type=int, default=12)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--kinds", nargs="*", metavar="NAME")
    parser.add_argument("--rows", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    compileall.compile_dir(HERE.parent / "jupyter_selfheal", quiet=2)  # an installed package has its byte code
    if chosen.against:
        print(compare_loading(chosen.against, chosen.repeat))
        return
    is_kinds = chosen.kinds is not None
    script = report_kinds(chosen.kinds, chosen.repeat) if is_kinds else report(chosen.repeat, chosen.failures)
    print(format_script(script.write(chosen.rows or FOLDER / ("live-kinds.jsonl" if is_kinds else "live-cost.jsonl"))))


if __name__ == "__main__":
    main()
