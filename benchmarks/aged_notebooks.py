"""Public notebooks that no longer run, by a list: how many of their failing cells are healed?

    python benchmarks/aged_notebooks.py LIST.json --sources DIR [--only TEXT] [--sample N --seed S] [--rows FILE] [--heal COMMAND]

LIST names repositories, commits and paths (``benchmarks/aged_notebooks.json``, ``benchmarks/relancer.json``) and carries nothing of them. DIR
holds their clones, bare or not, as ``OWNER+NAME`` or ``OWNER+NAME/repo``: fetch them first. What a list names is taken out of the
clone at its commit, into a scratch folder for each notebook; a script with ``# In[ ]:`` is made a notebook first.

Each is run in a new kernel, cell by cell, errors allowed; healed by COMMAND, in which ``{in}`` and ``{out}`` stand for the
notebooks; and run again. Both runs are without a network (``unshare``, Linux). A cell is *healed* where it failed before and runs now, *lost* where it ran before and fails
now: a cell that the 200 s of a notebook cut off says nothing, and *inserted* cells that fail are counted apart. "Runs" is not "right":
read the diffs. A row for each notebook is written as it comes; the same command goes on behind them. `jupyter selfheal bench figures FILE` makes their table.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CELL_SECONDS, NOTEBOOK_SECONDS, HEAL_SECONDS = 25, 200, 600
HEAL = f"{shlex.quote(sys.executable)} -m jupyter_selfheal heal {{in}} -o {{out}} --offline --timeout {CELL_SECONDS}"
CELL_MARK = re.compile(r"^# In\[[ \d]*\]:\s*$", re.MULTILINE)
COLUMNS = ("cells", "failing", "healed", "lost", "cut", "inserted_failing")
Status = Mapping[int, str]
"""By the number of a cell among the given code cells that are not empty: ``ran``, ``failed`` or ``cut``."""


class ListError(Exception):
    """What cannot be measured, in a line that says what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A notebook of a list. ``folders`` are what of its repository is needed; none where that is all of it."""

    repository: str
    commit: str
    path: str
    folders: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.path}"


def read_list(path: Path) -> list[Entry]:
    """The notebooks of a list, in its order. Raises ListError for another file."""
    try:
        entries = [
            Entry(name, kept["commit"], notebook, tuple(f.format(parent=Path(notebook).parent.name) for f in kept.get("folders", ())))
            for name, kept in json.loads(path.read_text(encoding="utf-8"))["repositories"].items()
            for notebook in kept["notebooks"]
        ]  # fmt: skip
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ListError(f"{path} is no list of notebooks ({error}): see benchmarks/relancer.json") from error
    for entry in entries:
        if not re.fullmatch(r"[0-9a-f]{40}", entry.commit):
            raise ListError(f"{path}: {entry.repository} has no commit of 40 hexadecimal digits")
    return entries


# --- sources --------------------------------------------------------------------------------------------------------


def find_clone(sources: Path, repository: str) -> Path:
    """The clone of a repository below the folder of sources. Raises ListError that says how to get it."""
    name = repository.replace("/", "+")
    for place in (sources / name / "repo", sources / name):
        if (place / "HEAD").exists() or (place / ".git").exists():
            return place
    raise ListError(f"{sources} has no {name}: git clone https://github.com/{repository} {sources / name}")


def take_out(clone: Path, entry: Entry, folder: Path) -> list[str]:
    """Write what an entry needs of its commit into a folder. Returns what the clone names and does not hold (large files of a
    partial copy). Raises ListError where it has not the commit."""
    listed = _ask_git(clone, entry, "ls-tree", "-r", "-z", entry.commit, entry.path, *entry.folders) if entry.folders else _ask_git(clone, entry, "ls-tree", "-r", "-z", entry.commit)  # fmt: skip
    blobs = {p: meta.split()[2] for meta, p in (line.split("\t", 1) for line in listed.split("\0") if line) if meta.split()[1] == "blob"}  # fmt: skip
    if entry.path not in blobs:
        raise ListError(f"{entry.repository} has no {entry.path} at {entry.commit[:7]}: mend the list")
    told = _ask_git(clone, entry, "cat-file", "--batch-check", said="\n".join(blobs.values()) + "\n")
    missing = {line.split()[0] for line in told.splitlines() if line.endswith("missing")}
    for path, blob in blobs.items():
        if blob not in missing:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            data = subprocess.run(
                ["git", "-C", clone, "cat-file", "blob", blob], capture_output=True, check=True
            ).stdout
            (folder / path).write_bytes(data)
    return sorted(path for path, blob in blobs.items() if blob in missing)


def _ask_git(clone: Path, entry: Entry, *words: str, said: str | None = None) -> str:
    ran = subprocess.run(
        ["git", "-C", str(clone), *words], capture_output=True, text=True, input=said, env={**os.environ, "GIT_NO_LAZY_FETCH": "1"}, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise ListError(f"{clone} does not hold {entry.repository} at {entry.commit[:7]}: git fetch there first")
    return ran.stdout


def place_notebook(folder: Path, path: str) -> Path:
    """Where the notebook of an entry is. A script becomes one, in a folder of its own name: Relancer's read their data three folders up."""
    source = folder / path
    if source.suffix == ".ipynb":
        return source
    made = source.with_suffix("") / f"{source.stem}.ipynb"
    made.parent.mkdir()
    made.write_text(json.dumps(convert_script(source.read_text(encoding="utf-8"))), encoding="utf-8")
    return made


def convert_script(text: str) -> dict[str, Any]:
    """A script of nbconvert's form as a notebook: each ``# In[ ]:`` begins a code cell; comments behind a blank line stay in it."""
    parts = [part.strip("\n") for part in CELL_MARK.split(text)[1:]]
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": part, "outputs": [], "execution_count": None}
        for n, part in enumerate(parts, 1)
        if part.strip()
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


# --- running --------------------------------------------------------------------------------------------------------


def execute(path: Path) -> list[dict[str, Any]]:
    """Run a notebook in a new kernel: for each code cell that is not empty its status, and whether a heal inserted or moved it."""
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = nbformat.read(path, as_version=4)
    until, dead, rows = time.monotonic() + NOTEBOOK_SECONDS, False, []
    sockets = tempfile.mkdtemp(prefix="aged-")  # in files: without a network there is no port
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/k")
    client = NotebookClient(notebook, km=manager, timeout=CELL_SECONDS, interrupt_on_timeout=True)
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            status = "cut" if dead or time.monotonic() > until else "ran"
            if status == "ran":
                try:
                    client.execute_cell(cell, index)
                except (CellExecutionError, CellTimeoutError):
                    status = "failed"
                except DeadKernelError:
                    status, dead = "failed", True
            rows.append({"status": status, **dict(cell.metadata.get("selfheal", {}))})
    shutil.rmtree(sockets, ignore_errors=True)
    return rows


def run_apart(path: Path) -> tuple[Status, int]:
    """Run a notebook in a process without a network: the status of each given cell, and how many inserted ones fail."""
    words = [
        "unshare",
        "--map-root-user",
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        sys.executable,
        __file__,
        "--execute",
        str(path),
    ]
    ran = subprocess.run(words, cwd=path.parent, capture_output=True, text=True, timeout=2 * HEAL_SECONDS, check=False)
    if ran.returncode:
        raise ListError(
            f"{path.name} could not be run: {(ran.stderr.strip().splitlines() or ['nothing was said'])[-1]}"
        )
    return read_statuses(json.loads(ran.stdout.splitlines()[-1]))


def read_statuses(rows: Sequence[Mapping[str, Any]]) -> tuple[Status, int]:
    """By the number of the given cell (a healed notebook says where a moved one was) its status, and how many inserted ones fail."""
    own = [row for row in rows if not row.get("inserted")]
    found = {n if row.get("origin") is None else int(row["origin"]): str(row["status"]) for n, row in enumerate(own)}
    return found, sum(row["status"] == "failed" for row in rows if row.get("inserted"))


def count_cells(before: Status, after: Status, inserted_failing: int) -> dict[str, int]:
    """What a heal changed, by the names in COLUMNS. A given cell that is gone counts as lost."""
    failed = [n for n, status in before.items() if status == "failed"]
    lost = [n for n, status in before.items() if status == "ran" and after.get(n) not in ("ran", "cut")]
    healed = [n for n in failed if after.get(n) == "ran"]
    cut = sum(status == "cut" for status in after.values())
    return dict(zip(COLUMNS, (len(before), len(failed), len(healed), len(lost), cut, inserted_failing), strict=True))


def measure(entry: Entry, sources: Path, command: str) -> dict[str, Any]:
    """The row of one notebook."""
    with tempfile.TemporaryDirectory(prefix="selfheal-aged-", ignore_cleanup_errors=True) as name:
        folder = Path(name, "given")
        missing = take_out(find_clone(sources, entry.repository), entry, folder)
        given = place_notebook(folder, entry.path)
        out = Path(name, "healed.ipynb")
        before, _ = run_apart(given)
        began = time.monotonic()
        words = command.replace("{in}", shlex.quote(str(given))).replace("{out}", shlex.quote(str(out)))
        data = {"JUPYTER_DATA_DIR": str(Path(name, "data"))}
        try:
            ran = subprocess.run(words, shell=True, cwd=given.parent, capture_output=True, timeout=HEAL_SECONDS, env={**os.environ, **data}, check=False)  # fmt: skip
            ended = str(ran.returncode)
        except subprocess.TimeoutExpired:
            ended = f"not within {HEAL_SECONDS} s"
        seconds = round(time.monotonic() - began, 1)
        after, extra = before, 0
        if out.exists():
            given.write_bytes(out.read_bytes())  # where it was, so that what it reads beside it is found
            after, extra = run_apart(given)
    return {
        **asdict(entry), **count_cells(before, after, extra), "ended": ended, "seconds": seconds, "missing_files": len(missing),
        "load": round(os.getloadavg()[0], 2), "commit_of_ours": find_commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }  # fmt: skip


def find_commit() -> str:
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "not a checkout"


# --- the command ----------------------------------------------------------------------------------------------------


def choose_entries(entries: Sequence[Entry], only: str, sample: int, seed: int) -> list[Entry]:
    chosen = [e for e in entries if only in e.name]
    return sorted(random.Random(seed).sample(chosen, sample), key=chosen.index) if 0 < sample < len(chosen) else chosen


def read_rows(path: Path | None, list_name: str) -> Iterator[dict[str, Any]]:
    """The rows that are there. Raises ListError for rows of another list."""
    for line in path.read_text(encoding="utf-8").splitlines() if path and path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # half a line, of a run that was killed
        if not isinstance(row, dict) or row.get("list") != list_name:
            raise ListError(f"{path} holds something else than rows of {list_name}: name another file")
        yield row


def format_total(rows: Sequence[Mapping[str, Any]]) -> str:
    """All notebooks on one line."""
    total = {name: sum(row[name] for row in rows) for name in COLUMNS}
    loads = [row["load"] for row in rows] or [0.0]
    clean = (
        sum(row["failing"] == 0 for row in rows),
        sum(row["failing"] == row["healed"] and not row["lost"] and not row["cut"] for row in rows),
    )
    commits = ", ".join(dict.fromkeys(row["commit_of_ours"] for row in rows))
    share = f" ({total['healed'] / total['failing']:.1%})" if total["failing"] else ""
    return (
        f"{len(rows)} notebooks, {total['cells']} cells, {total['failing']} fail, {total['healed']} of them healed{share}; "
        f"clean {clean[0]} → {clean[1]}, lost {total['lost']}, cut {total['cut']}, failing inserted cells {total['inserted_failing']}; "
        f"commit {commits}, load {min(loads):.0f}–{max(loads):.0f}, {datetime.now(UTC):%Y-%m-%d}"
    )


def format_command(options: argparse.Namespace) -> str:
    """What repeats the measurement, with a word for each path of this machine."""
    only = ["--only", options.only] if options.only else []
    sample = ["--sample", str(options.sample), "--seed", str(options.seed)] if options.sample else []
    heal = [] if options.heal == HEAL else ["--heal", "COMMAND"]
    words = ["python", "benchmarks/aged_notebooks.py", f"benchmarks/{options.list.name}", "--sources", "CLONES"]
    return shlex.join([*words, *only, *sample, *heal, "--rows", "FILE"])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Heal public notebooks that no longer run, by a list.")
    parser.add_argument("list", type=Path, metavar="LIST")
    parser.add_argument("--sources", type=Path, required=True, metavar="DIR", help="clones, as OWNER+NAME")
    parser.add_argument("--only", default="", metavar="TEXT", help="notebooks whose name has this in it")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N of them, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument(
        "--rows", type=Path, metavar="FILE", help="write rows there, and go on from those that are there"
    )
    parser.add_argument("--heal", default=HEAL, metavar="COMMAND", help="with {in} and {out}")
    options = parser.parse_args(words)
    chosen = choose_entries(read_list(options.list), options.only, options.sample, options.seed)
    if not chosen:
        raise ListError(f"no notebook of {options.list} has {options.only!r} in its name")
    wanted = {e.name for e in chosen}
    rows = [r for r in read_rows(options.rows, options.list.name) if f"{r['repository']}/{r['path']}" in wanted]
    done = {f"{r['repository']}/{r['path']}" for r in rows}
    for entry in chosen:
        if entry.name in done:
            continue
        row = {
            "list": options.list.name,
            **measure(entry, options.sources, options.heal),
            "command": format_command(options),
        }
        rows.append(row)
        if options.rows:
            with options.rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        print(f"healed {row['healed']:3} of {row['failing']:3} ({row['cells']} cells), lost {row['lost']}, {row['seconds']:6.1f} s  {entry.name}", flush=True)  # fmt: skip
    print(format_total(rows))
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--execute"]:
        print(json.dumps(execute(Path(sys.argv[2]))))
        sys.exit(0)
    try:
        sys.exit(main(sys.argv[1:]))
    except ListError as error:
        sys.exit(f"{error}")
