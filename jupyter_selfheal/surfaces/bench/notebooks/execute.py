"""Run a notebook as it is, cell by cell, errors allowed, in a process without a network; and count what a heal changed in it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.own_process import process_arguments
from jupyter_selfheal.surfaces.bench.notebooks.table import COUNTS
from jupyter_selfheal.surfaces.bench.workers import run_program

CELL_SECONDS, NOTEBOOK_SECONDS, WAIT_SECONDS = 25, 200, 1200
"""What a cell may run (twice that where other work takes the processors, as in a heal), what a notebook may run, and how long a run is waited for."""
PIP = "%pip install "
APART = ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child")
"""Linux's command for a process without a network, which takes its children with it when it is killed."""
NO_INDEX = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
"""What keeps a notebook's ``%pip install`` from changing the environment that others are measured in, from folders of this machine too."""
Status = Mapping[int, str]
"""By the number of a cell among the given code cells that are not empty: ``ran``, ``failed``, ``late`` (it ended in its time limit) or ``cut``."""


def run_cells(path: Path) -> list[dict[str, Any]]:
    """Run a notebook in a new kernel: for each code cell that is not empty its status, and whether a heal inserted or moved it."""
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    read: Any = nbformat.read
    notebook = read(path, as_version=4)
    until, dead, rows = time.monotonic() + NOTEBOOK_SECONDS, False, []
    sockets = tempfile.mkdtemp(prefix="aged-")  # in files: without a network there is no port
    manager = AsyncKernelManager(
        kernel_name="python3", transport="ipc", ip=f"{sockets}/k", connection_file=f"{sockets}/kernel.json"
    )
    client = NotebookClient(notebook, km=manager, timeout=CELL_SECONDS, interrupt_on_timeout=True)
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            status = "cut" if dead or time.monotonic() > until else "ran"
            if status == "ran":
                client.timeout = round(CELL_SECONDS * min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), 2.0))
                try:
                    client.execute_cell(cell, index)
                except CellExecutionError:
                    status = "failed"
                except CellTimeoutError:
                    status = "late"
                except DeadKernelError:
                    status, dead = "failed", True
            rows.append({"status": status, **dict(cell.metadata.get("selfheal", {}))})
    shutil.rmtree(sockets, ignore_errors=True)
    return rows


def list_installs(path: Path) -> list[str]:
    """What the inserted cells of a healed notebook install: each requirement of a line ``%pip install …``."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    inserted = ("".join(c["source"]) for c in cells if c["metadata"].get("selfheal", {}).get("inserted"))
    return [line.removeprefix(PIP).strip() for text in inserted for line in text.splitlines() if line.startswith(PIP)]


def run_apart(path: Path, installed: Sequence[str] = ()) -> tuple[Status, int]:
    """Run a notebook in a process without a network: the status of each given cell, and how many inserted ones fail.

    ``installed``: folders of what its inserted cells install, which find it there already.
    """
    if shutil.which(APART[0]) is None:
        raise UsageError("notebooks are run without a network by Linux's `unshare`, which is not here")
    own = process_arguments("surfaces.bench.notebooks.execute")
    try:
        words, given = [*APART, *own["args"]], "\n".join([str(path), *installed]).encode()
        ran = run_program(words, env={**own["env"], **NO_INDEX}, given=given, cwd=path.parent, timeout=WAIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{path.name} did not end within {WAIT_SECONDS} s: leave it out of the list") from error
    if ran.returncode:
        raise UsageError(
            f"{path.name} could not be run: {(ran.stderr.decode().strip().splitlines() or ['nothing was said'])[-1]}"
        )
    return read_statuses(json.loads(ran.stdout.splitlines()[-1]))


def read_statuses(rows: Sequence[Mapping[str, Any]]) -> tuple[Status, int]:
    """By the number of the given cell (a healed notebook says where a moved one was) its status, and how many inserted ones fail."""
    own = [row for row in rows if not row.get("inserted")]
    moved = {int(row["origin"]) for row in own if row.get("origin") is not None}
    stayed = (n for n in itertools.count() if n not in moved)  # in their order, also those that a moved one has passed
    found = {next(stayed) if row.get("origin") is None else int(row["origin"]): str(row["status"]) for row in own}
    return found, sum(row["status"] == "failed" for row in rows if row.get("inserted"))


def settle_late(before: Status, after: Status) -> tuple[Status, Status]:
    """Both runs without ``late``: such a cell failed, but for one that ran before and needs a little longer than its seconds now, beside whatever else
    the machine does: the limit cut that one off, and it says nothing."""
    given = {n: "failed" if status == "late" else status for n, status in before.items()}
    late = {n: "cut" if before.get(n) == "ran" else "failed" for n, status in after.items() if status == "late"}
    return given, {**after, **late}


def count_cells(before: Status, after: Status, inserted_failing: int) -> dict[str, int]:
    """What a heal changed, by the names in COUNTS. A given cell that is gone counts as lost."""
    failed = [n for n, status in before.items() if status == "failed"]
    lost = [n for n, status in before.items() if status == "ran" and after.get(n) not in ("ran", "cut")]
    healed = [n for n in failed if after.get(n) == "ran"]
    cut = sum(status == "cut" for status in after.values())
    return dict(zip(COUNTS, (len(before), len(failed), len(healed), len(lost), cut, inserted_failing), strict=True))


def main() -> None:
    """Run the notebook whose path the first line of standard input says, with the folders of the other lines on its path, and write what became of its cells."""
    path, *installed = sys.stdin.read().split("\n")
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([*installed, *([before] if before else [])])
    print(json.dumps(run_cells(Path(path))))
