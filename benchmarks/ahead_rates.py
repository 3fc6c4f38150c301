"""How many failures are known before they come, and how many predictions come true: the example notebooks, cell by cell.

    python benchmarks/ahead_rates.py [NOTEBOOK…] [--rows FILE]

Each notebook runs in a kernel with the extension, as a user would go through it: before every cell the cells below are looked at in
copies, as a page asks in idle time, then the cell is run; where it fails and a fix is offered, the fix is approved. The counts are those
that ``%heal status`` shows, written to benchmarks/rows/scripts/ahead-rates.jsonl for `make figures`. A count, not a time: the load of the machine matters only where a look reaches its limits.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from tests.live.conftest import LiveKernel  # noqa: E402

EXAMPLES = HERE.parent / "examples" / "notebooks"
LOOK = "get_ipython()._jupyter_selfheal.on_main('', 'look ahead', '', 'asked')"
SESSION = "get_ipython()._jupyter_selfheal"
LOOK_SECONDS, CELL_SECONDS, HEAL_SECONDS = 90.0, 40.0, 90.0
"""After which it is gone on: a look has ended by its own limit long before; a cell is interrupted; a heal is left alone."""
COUNTS = ("compared", "right", "failures", "known")


def read_cells(path: Path) -> list[dict[str, str]]:
    """The code cells, as a page tells them."""
    raw = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in raw if cell["cell_type"] == "code"]
    return [{"id": f"cell-{n}", "source": source} for n, source in enumerate(sources) if source.strip()]


def wait_until(kernel: LiveKernel, expression: str, seconds: float) -> bool:
    """Whether the expression came true in that time."""
    until = time.monotonic() + seconds
    while kernel.value(expression) != "True":
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


def run_cell(kernel: LiveKernel, cell: dict[str, str]) -> bool:
    """Run a cell, interrupting one that does not end; whether it failed."""
    sent = kernel.queue(cell["source"], cell["id"], allow_stdin=True)
    until = time.monotonic() + CELL_SECONDS
    while True:
        message = kernel._take(0.5)
        is_own = message is not None and message["parent_header"].get("msg_id") == sent
        if is_own and message["content"].get("execution_state") == "idle":
            return bool(kernel._reply(sent)["status"] == "error")
        if time.monotonic() > until:
            kernel.manager.interrupt_kernel()
            until += CELL_SECONDS


def go_through(path: Path) -> dict[str, int]:
    """The counts of one notebook."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        shutil.copytree(path.parent, work)
        kernel = LiveKernel(work, Path(folder, "data"))
        try:
            kernel.run("%load_ext jupyter_selfheal")
            cells = read_cells(path)
            kernel.tell({"action": "context", "cells": cells, "path": path.name})
            for cell in cells:
                kernel.run(LOOK, silent=True, store_history=False)
                wait_until(kernel, f"not {SESSION}.ahead.describe()['looking']", LOOK_SECONDS)
                if run_cell(kernel, cell):
                    latest = f"({SESSION}.heals.latest is None or {SESSION}.heals.latest.card.phase != 'healing')"
                    wait_until(kernel, latest, HEAL_SECONDS)
                    kernel.run("%heal approve")
                    kernel.run("%heal reject")
                    wait_until(kernel, latest, HEAL_SECONDS)
                    kernel.run("%heal stop")
            return {name: int(kernel.value(f"{SESSION}.ahead.tally.{name}")) for name in COUNTS}
        finally:
            kernel.stop()


NOTE = (
    "Example notebooks run cell by cell, the cells below looked at before each, so that a prediction (*will run*, *will fail*) is from the state right above its "
    "cell. Our own notebooks, which the rules know. What was *not known* (long, input, network) is no prediction."
)
WORDS = {
    "compared": "predictions",
    "right": "came true",
    "failures": "cells that failed",
    "known": "known before they were run",
}


def main() -> None:
    """Run, write and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--rows", type=Path, default=FOLDER / "ahead-rates.jsonl")
    chosen = parser.parse_args()
    script = Script(
        "Live: known ahead", NOTE, "python benchmarks/ahead_rates.py" + (" NOTEBOOK…" if chosen.notebooks else "")
    )
    rows: dict[str, dict[str, int]] = {}
    for path in chosen.notebooks or sorted(EXAMPLES.glob("*.ipynb")):
        try:
            rows[path.stem] = go_through(path)
        except AssertionError as error:
            print(f"{path.stem}: left out: {error}", file=sys.stderr)
            continue
        print(path.stem, rows[path.stem], flush=True)
    rows["all"] = {name: sum(row[name] for row in rows.values()) for name in COUNTS}
    for notebook, row in rows.items():
        for name, words in WORDS.items():
            script.add("notebook", notebook, words, row[name])
    print(format_script(script.write(chosen.rows)))


if __name__ == "__main__":
    main()
