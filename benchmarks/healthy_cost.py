"""What healthy notebooks cost: ``jupyter selfheal check`` against ``jupyter nbconvert --execute`` of the same set.

    python benchmarks/healthy_cost.py [--notebooks 6] [--seconds 2] [--rounds 3] [--rows FILE]

Each notebook imports pandas, makes a table, groups it, and computes for about ``--seconds`` CPU seconds in four cells. Both commands run the whole set, one after the
other and in turn, in ``--rounds`` rounds, so that what else the machine does meets both. Printed is the ratio of the wall time, and of the CPU time of all
their processes, in each round, and the median. Nothing is taken from the cache of healthy notebooks (``--no-cache``). Writes benchmarks/rows/scripts/healthy-cost.jsonl for `make figures`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.measurements import FOLDER, Script, format_script

COMPUTE = """
import time
_ends = time.process_time() + {seconds}
total = 0
while time.process_time() < _ends:
    total += table["b"].sum()
"""
CELLS = (
    "import pandas as pd",
    "table = pd.DataFrame({'a': [n % 7 for n in range(100_000)], 'b': range(100_000)})\ntable.head()",
    *(COMPUTE,) * 4,
    "table.groupby('a')['b'].mean()",
)


@dataclass(frozen=True)
class Cost:
    """Seconds of one command over the whole set."""

    wall: float
    cpu: float


def write_notebooks(folder: Path, count: int, seconds: float) -> list[str]:
    """Their names."""
    names = []
    for n in range(count):
        cells = [
            {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": source.replace("{seconds}", str(seconds / 4)),
             "outputs": [], "execution_count": None}
            for i, source in enumerate(CELLS)
        ]  # fmt: skip
        kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        raw = {"cells": cells, "metadata": {"kernelspec": kernelspec}, "nbformat": 4, "nbformat_minor": 5}
        names.append(f"n{n}.ipynb")
        (folder / names[-1]).write_text(json.dumps(raw))
    return names


def measure(command: list[str], folder: Path) -> Cost:
    """Run it. Raises where it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    env = {**os.environ, "JUPYTER_DATA_DIR": str(folder / "data")}
    subprocess.run(command, cwd=folder, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> int:
    """Run as the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notebooks", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=Path, default=FOLDER / "healthy-cost.jsonl")
    options = parser.parse_args()
    rounds: list[tuple[Cost, Cost]] = []
    script = Script(
        "What healthy notebooks cost",
        f"A set of {options.notebooks} notebooks of {options.seconds:g} s each, by both commands in turn.",
        f"python benchmarks/healthy_cost.py --notebooks {options.notebooks} --seconds {options.seconds:g} --rounds {options.rounds}",
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        names = write_notebooks(folder, options.notebooks, options.seconds)
        python = [sys.executable, "-m"]
        executes = [*python, "nbconvert", "--to", "notebook", "--execute", "--output-dir", "out", *names]
        checks = [*python, "jupyter_selfheal", "check", "--no-cache", "--offline", "--quiet", *names]
        for number in range(options.rounds):
            commands = (executes, checks) if number % 2 == 0 else (checks, executes)
            costs = [measure(command, folder) for command in commands]
            rounds.append((costs[0], costs[1]) if number % 2 == 0 else (costs[1], costs[0]))
    for number, (executed, checked) in enumerate(rounds, 1):
        for name, cost in (("nbconvert --execute", executed), ("jupyter selfheal check", checked)):
            script.add("round", str(number), f"{name}, wall, s", cost.wall, digits=1)
            script.add("round", str(number), f"{name}, CPU, s", cost.cpu, digits=1)
        script.add("round", str(number), "ratio, wall", checked.wall / executed.wall, digits=2)
        script.add("round", str(number), "ratio, CPU", checked.cpu / executed.cpu, digits=2)
    script.add(
        "round", "median", "ratio, wall", [checked.wall / executed.wall for executed, checked in rounds], digits=2
    )
    script.add("round", "median", "ratio, CPU", [checked.cpu / executed.cpu for executed, checked in rounds], digits=2)
    print(format_script(script.write(options.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
