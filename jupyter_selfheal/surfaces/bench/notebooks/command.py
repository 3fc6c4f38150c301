"""``jupyter selfheal bench aged|relancer CLONES``: heal public notebooks that no longer run, by a list.

Each notebook is taken out of its clone at the list's commit, run in a new kernel, healed by ``jupyter selfheal heal``, and run again. A cell is *healed* where it
failed before and runs now, *lost* where it ran before and fails now; a cell that its seconds or those of a notebook cut off says nothing, and *inserted* cells that fail are
counted apart. "Runs" is not "right": read the diffs.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jupyter_selfheal import engine, registry
from jupyter_selfheal.errors import InfrastructureError, UsageError
from jupyter_selfheal.surfaces.bench.ledger import HALVES, LEDGER, write_entry
from jupyter_selfheal.surfaces.bench.notebooks.execute import (
    CELL_SECONDS,
    Status,
    count_cells,
    list_installs,
    run_apart,
    settle_late,
)
from jupyter_selfheal.surfaces.bench.notebooks.roots import (
    add_roots,
    count_roots,
    format_cells_inside,
    format_classes,
    format_share,
    format_share_of_all,
)
from jupyter_selfheal.surfaces.bench.notebooks.sources import (
    LISTS,
    Entry,
    choose_entries,
    choose_half,
    find_clone,
    find_list,
    list_absent_files,
    place_notebook,
    read_list,
    take_out,
)
from jupyter_selfheal.surfaces.bench.notebooks.table import (
    COUNTS,
    Row,
    count_notebooks,
    describe_rows,
    find_stage,
    read_rows,
)
from jupyter_selfheal.surfaces.bench.rows import STAGES, USUAL_STAGE, Setup, append_line, check_is_writable, find_commit
from jupyter_selfheal.surfaces.bench.workers import open_threads, run_program
from jupyter_selfheal.surfaces.cli.number_options import read_count
from jupyter_selfheal.surfaces.cli.one_line_parser import OneLineParser
from jupyter_selfheal.surfaces.cli.setting_options import add_setting_options, resolve_options

HEAL_SECONDS = 600
HEAL = (sys.executable, "-P", "-m", "jupyter_selfheal", "heal", "{in}", "-o", "{out}", "--timeout", str(CELL_SECONDS), "--json")  # fmt: skip


def command(words: Sequence[str]) -> int:
    """Heal the chosen notebooks, print a line for each and one for all. Raises UsageError for what cannot be measured."""
    options, settings = read_options(words)
    path = options.list or find_list(options.what)
    half = choose_half(path, read_list(path), options.half)
    chosen = choose_entries(half, options.only, options.sample, options.limit, options.seed)
    if not chosen:
        raise UsageError(f"no notebook is left of {path.name}: see --only")
    clones = {name: find_clone(options.clones, name) for name in dict.fromkeys(e.repository for e in chosen)}
    about = {"list": path.name, "half": options.half, "stage": options.stage, "settings": describe_settings(options.heal, settings), "command": format_command(options, settings)}  # fmt: skip
    jobs = [(entry, run) for run in range(1, options.runs + 1) for entry in chosen]
    wanted = {(entry.name, run) for entry, run in jobs}
    if find_spec("nbclient") is None:
        raise UsageError("notebooks are run by nbclient: pip install 'jupyter-selfheal[bench]'")
    rows = [row for row in read_earlier_rows(options.rows, about) if find_key(row) in wanted]
    done = {find_key(row) for row in rows}
    left = [(entry, run) for entry, run in jobs if (entry.name, run) not in done]
    offline = (
        ["--offline"] if options.offline else []
    )  # nothing leaves the machine unless a healer is named that asks a model
    heal = options.heal or shlex.join([*HEAL, *offline, *settings])
    if left and (options.half == "judge" or options.ledger):
        setup = Setup(path.name, "it runs", options.healers, half=options.half)
        write_entry(options.ledger or LEDGER, setup, len(left))
    for row in measure_all(left, clones, heal, options.jobs, options.traces):
        rows.append({**about, **row})
        if options.rows:
            append_line(options.rows, json.dumps(rows[-1]))
        if not options.json:
            print(format_row(row), flush=True)
    print(json.dumps({"rows": rows}) if options.json else format_total(rows))
    return 0


# --- what is asked for ----------------------------------------------------------------------------------------------


def read_options(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The command's own options, and the settings of each heal as they were given; raises UsageError or ConfigError for wrong settings."""
    parser = build_parser()
    options, settings = parser.parse_known_args(words)
    known = OneLineParser(prog=parser.prog, usage=parser.format_usage().removeprefix("usage: "), add_help=False)  # fmt: skip
    add_setting_options(known)
    if options.heal and settings:
        raise UsageError(f"--heal names the whole command: put {settings[0]} into it")
    if options.heal and not all(place in options.heal for place in ("{in}", "{out}")):
        raise UsageError("--heal needs {in} and {out}, where the notebooks' paths go")
    config = resolve_options(known.parse_args(settings)).config
    options.healers = tuple(config.healers)
    options.offline = not any(registry.load_traits(name).paid for name in config.healers)
    return options, settings


def build_parser() -> argparse.ArgumentParser:
    """What the command takes beside the settings of a heal."""
    parser = OneLineParser(
        prog="jupyter selfheal bench", description="Heal public notebooks that no longer run, by a list. Linux only.",
        epilog="Every setting of `jupyter selfheal heal` is an option too, for the heal of each notebook: see `jupyter selfheal bench --help`.",
    )  # fmt: skip
    parser.add_argument("what", choices=tuple(LISTS), metavar="SET", help="; ".join(f"{name}: {about}" for name, about in LISTS.items()))  # fmt: skip
    parser.add_argument("clones", type=Path, metavar="PATH", help="a folder with clones of the list's repositories, each as OWNER+NAME")  # fmt: skip
    parser.add_argument("--list", type=Path, metavar="FILE", help="a list of your own, in the form of the shipped ones")
    parser.add_argument("--half", choices=HALVES, default="all", help="every second by name, from the first on, to tune on; the others to judge by: a look at these is written down")  # fmt: skip
    parser.add_argument("--stage", choices=tuple(STAGES), default=USUAL_STAGE, help="what the rows are for: a first look, work on these notebooks, or what was held back until the end (default development)")  # fmt: skip
    parser.add_argument("--ledger", type=Path, metavar="FILE", help="write this look down there, on any half (those at a judging half always are: benchmarks/ledger.jsonl)")  # fmt: skip
    parser.add_argument("--only", nargs="*", default=(), metavar="TEXT", help="notebooks with this in their names")
    parser.add_argument("--sample", type=read_count, default=0, metavar="N", help="N of them, drawn by --seed")
    parser.add_argument("--limit", "--first", type=read_count, default=0, metavar="N", help="the first N of them")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of --sample")
    parser.add_argument("--runs", type=read_count, default=1, metavar="N", help="heal each notebook so often")
    parser.add_argument("--jobs", type=read_count, default=1, metavar="N", help="notebooks healed at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write rows there as they come, and go on from those that are there")  # fmt: skip
    parser.add_argument("--traces", type=Path, metavar="DIR", help="keep each healed notebook and what its heal printed there, to be read")  # fmt: skip
    parser.add_argument("--heal", default="", metavar="COMMAND", help="another program that heals, with {in} and {out}")
    return parser


def describe_settings(heal: str, settings: Sequence[str]) -> str:
    """What tells two ways to heal apart in a file of rows: the settings, or a hash of another program's command."""
    return f"another command, {hashlib.sha256(heal.encode()).hexdigest()[:8]}" if heal else shlex.join(settings)


def format_command(options: argparse.Namespace, settings: Sequence[str]) -> str:
    """What repeats the measurement, with a word for each path of this machine."""
    words = ["jupyter", "selfheal", "bench", options.what, "CLONES", *(["--list", "LIST"] if options.list else [])]
    words += ["--half", options.half] if options.half != "all" else []
    words += ["--stage", options.stage] if options.stage != USUAL_STAGE else []
    words += ["--only", *options.only] if options.only else []
    words += ["--sample", str(options.sample), "--seed", str(options.seed)] if options.sample else []
    words += ["--first", str(options.limit)] if options.limit else []
    words += ["--runs", str(options.runs)] if options.runs > 1 else []
    words += ["--heal", "COMMAND"] if options.heal else []
    return shlex.join([*words, *settings, "--rows", "FILE"])


def read_earlier_rows(path: Path | None, about: Mapping[str, str]) -> list[Row]:
    """The rows that are there; none where no file is. Raises UsageError for rows of another list or of other settings."""
    if path:
        check_is_writable(path)
    rows = read_rows(path) if path and path.exists() else []
    for row in rows:
        if (describe_rows(row), find_stage(row)) != (describe_rows(about), find_stage(about)):
            held = f"{describe_rows(row)} ({find_stage(row)})"
            raise UsageError(f"{path} holds rows of {held}: name another file")
    return rows


def find_key(row: Row) -> tuple[str, int]:
    """The notebook and the run, by which rows are told apart."""
    return f"{row['repository']}/{row['path']}", int(row.get("run", 1))


# --- healing --------------------------------------------------------------------------------------------------------


def measure_all(jobs: Sequence[tuple[Entry, int]], clones: Mapping[str, Path], heal: str, at_once: int, traces: Path | None) -> Iterator[dict[str, Any]]:  # fmt: skip
    """The row of each notebook in each run, in order. In the folder ``traces``, where one is given, stays what :func:`keep_trace` says."""
    measure_job = partial(_measure_job, clones=clones, heal=heal, traces=traces)
    with open_threads(at_once) as pool:
        yield from pool.map(measure_job, jobs)


def _measure_job(job: tuple[Entry, int], clones: Mapping[str, Path], heal: str, traces: Path | None) -> dict[str, Any]:
    entry, run = job
    kept = traces and traces / f"{entry.name.replace('/', '+')}.{run}"
    return {**measure_notebook(entry, clones[entry.repository], heal, kept), "run": run}


def keep_trace(folder: Path, given: Path, healed: Path, printed: bytes) -> None:
    """Keep the notebook as it was given, as it was healed (where it was), and what the heal printed, by which its changes are read."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "given.ipynb").write_bytes(given.read_bytes())
    (folder / "printed.txt").write_bytes(printed)
    if healed.exists():
        (folder / "healed.ipynb").write_bytes(healed.read_bytes())


def measure_notebook(entry: Entry, clone: Path, heal: str, kept: Path | None = None) -> dict[str, Any]:
    """The row of one notebook: run, healed by the command ``heal``, and run again. ``kept`` is the folder of its trace."""
    with tempfile.TemporaryDirectory(prefix="selfheal-aged-", ignore_cleanup_errors=True) as name:
        folder = Path(name, "given")
        missing = take_out(clone, entry, folder)
        given = place_notebook(folder, entry.path)
        out = Path(name, "healed.ipynb")
        began = time.monotonic()
        before, _ = run_apart(given)
        own_seconds = round(time.monotonic() - began, 1)
        absent = list_absent_files(given) if entry.folders else []
        began = time.monotonic()
        words = [w.replace("{in}", str(given)).replace("{out}", str(out)) for w in shlex.split(heal)]
        data = {"JUPYTER_DATA_DIR": str(Path(name, "data"))}
        try:
            ran = run_program(words, cwd=given.parent, timeout=HEAL_SECONDS, env={**os.environ, **data})
            ended, printed = str(ran.returncode), ran.stdout
        except subprocess.TimeoutExpired as error:
            printed = error.stdout or b""
            ended = f"not within {HEAL_SECONDS} s"
        except OSError as error:
            raise UsageError(f"--heal {words[0]} cannot be run: {error.strerror}") from error
        seconds = round(time.monotonic() - began, 1)
        if kept:
            keep_trace(kept, given, out, printed)
        after, extra, began = before, 0, time.monotonic()
        if out.exists():
            given.write_bytes(out.read_bytes())  # where it was, so that what it reads beside it is found
            after, extra = _run_healed(given)
        healed_seconds = round(time.monotonic() - began, 1)
        before, after = settle_late(before, after)
    return {
        **asdict(entry), **count_cells(before, after, extra), "roots": count_roots(printed, before, after), "ended": ended, "seconds": seconds, "own_seconds": own_seconds, "healed_seconds": healed_seconds,
        "missing_files": len(missing), "absent_files": len(absent),
        "load": round(os.getloadavg()[0], 2), "commit_of_ours": find_commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }  # fmt: skip


def _run_healed(healed: Path) -> tuple[Status, int]:
    """Run a healed notebook; what its inserted cells install is installed apart from it, as it runs without a network."""
    with contextlib.ExitStack() as stack:
        install, folders = engine.build_installer(stack), []
        for requirement in list_installs(healed):
            with contextlib.suppress(InfrastructureError):  # then its cells fail, and count so
                folders.append(install(requirement))
        return run_apart(healed, folders)


# --- what is printed ------------------------------------------------------------------------------------------------


def format_row(row: Row) -> str:
    """One notebook on a line."""
    return f"healed {row['healed']:3} of {row['failing']:3} ({row['cells']} cells), lost {row['lost']}, {row['seconds']:6.1f} s  {row['repository']}/{row['path']}"


def format_total(rows: Sequence[Row]) -> str:
    """All notebooks on one line, and what their roots hang on on another."""
    roots = add_roots(rows)
    total = {name: sum(row[name] for row in rows) for name in COUNTS}
    loads = [row["load"] for row in rows]
    clean = (
        sum(row["failing"] == 0 for row in rows),
        sum(row["failing"] == row["healed"] and not row["lost"] and not row["cut"] for row in rows),
    )
    commits = ", ".join(dict.fromkeys(row["commit_of_ours"] for row in rows))
    dates = ", ".join(dict.fromkeys(row["date"] for row in rows))
    share = f" ({total['healed'] / total['failing']:.1%})" if total["failing"] else ""
    return (
        f"{count_notebooks(rows)} notebooks, {total['cells']} cells, {total['failing']} fail, {total['healed']} of them healed{share}; "
        f"clean {clean[0]} → {clean[1]}, lost {total['lost']}, cut {total['cut']}, failing inserted cells {total['inserted_failing']}; "
        f"commit {commits}, load {min(loads):.0f}–{max(loads):.0f}, {dates}\n"
        f"roots healed: {format_share_of_all(roots)} of all; of those that hang on nothing outside, as the heal itself says: {format_share(roots)}; left: {format_classes(roots)}\n"
        f"failing cells that neither hang on anything outside nor follow from one that does: {format_cells_inside(rows)} run after the heal"
    )
