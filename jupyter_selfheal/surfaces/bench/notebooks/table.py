"""Rows of notebooks healed by a list, and their table: how many of their failing cells run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.notebooks.roots import add_roots, format_classes, format_share, format_share_of_all
from jupyter_selfheal.surfaces.bench.rows import STAGES, USUAL_STAGE

COUNTS = ("cells", "failing", "healed", "lost", "cut", "inserted_failing")
COLUMNS = ("list", "notebooks", "fail, and have their data", "run through after healing", "cells", "of them fail", "run after healing", "all roots, healed", "roots inside, healed", "left, by class", "lost", "cut off", "inserted ones that fail", "median s", "load", "commit", "date", "rows")  # fmt: skip


Row = Mapping[str, Any]
"""A notebook in one run: its entry of the list, how many cells of each of COUNTS, and what it takes to repeat it."""


def holds_notebooks(path: Path) -> bool:
    """Whether a file holds such rows: each names its list."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "list" in first


def format_notebooks(files: Sequence[Path]) -> list[str]:
    """Lines of a table for each stage with a row for each file, and the commands that repeat them. Raises UsageError for a file with another row in it."""
    read = [(path, read_rows(path)) for path in files]
    lines = []
    for stage in STAGES:
        chosen = [(path, rows) for path, rows in read if rows and find_stage(rows[0]) == stage]
        if chosen:
            lines += [f"### Notebooks, {stage}", "", f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
            lines += [*(f"| {' | '.join(_format_cells(rows))} | {path.stem} |" for path, rows in chosen), ""]
    commands = dict.fromkeys(str(row["command"]) for _, rows in read for row in rows)
    return [*lines, *(f"    {command}" for command in commands)]


def find_stage(row: Row) -> str:
    """One of STAGES. Rows that do not tell it are final where their half was held back."""
    return str(row.get("stage") or ("final" if row.get("half") == "judge" else USUAL_STAGE))


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, without half a line at its end; raises UsageError that names the line which is no row of a notebook."""
    rows: list[Row] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            break  # half a line, of a run that was killed
        try:
            row = json.loads(line)
            if any(name not in row for name in ("list", *COUNTS, "load", "commit_of_ours", "date", "command")):
                raise ValueError("it is no row of a notebook")
        except (ValueError, TypeError) as error:
            raise UsageError(f"{path}, line {number} cannot be read ({error}): measure again") from error
        rows.append(row)
    return rows


def _format_cells(rows: Sequence[Row]) -> tuple[str, ...]:
    total = {name: sum(int(row[name]) for row in rows) for name in COUNTS}
    share = f" ({total['healed'] / total['failing']:.0%})" if total["failing"] else ""
    loads, roots = [float(row["load"]) for row in rows], add_roots(rows)
    beyond = [max(float(row["seconds"]) - measure_own(row), 0.0) for row in rows if "own_seconds" in row]
    own = f" ({median(beyond):.0f} beyond their own)" if beyond else ""
    can_run = [row for row in rows if row["failing"] and not row.get("missing_files") and not row.get("absent_files")]
    through = f"{(n := sum(map(runs_through, can_run)))} ({n / len(can_run):.0%})" if can_run else "–"
    return (
        ", ".join(dict.fromkeys(describe_rows(row) for row in rows)), count_notebooks(rows), str(len(can_run)), through, str(total["cells"]), str(total["failing"]), f"{total['healed']}{share}",
        format_share_of_all(roots), format_share(roots), format_classes(roots),
        str(total["lost"]), str(total["cut"]), str(total["inserted_failing"]),
        f"{median(float(row.get('seconds', 0)) for row in rows):.0f}{own}", f"{min(loads):.0f}–{max(loads):.0f}",
        ", ".join(dict.fromkeys(str(row["commit_of_ours"]) for row in rows)), ", ".join(dict.fromkeys(str(row["date"]) for row in rows)),
    )  # fmt: skip


def measure_own(row: Row) -> float:
    """Seconds of the notebook's own run: as it was given, which ends early where much of it fails, or healed, whichever took longer."""
    return max(float(row["own_seconds"]), float(row.get("healed_seconds", 0.0)))


def runs_through(row: Row) -> bool:
    """Whether every cell that failed runs now, and no other was lost or cut off."""
    return bool(row["failing"] == row["healed"] and not row["lost"] and not row["cut"] and not row["inserted_failing"])


def describe_rows(row: Row) -> str:
    """The list, the half and the settings: rows of equal ones, and of one stage, may stand in one file."""
    half = row.get("half", "all")
    return f"{row['list']} {'' if half == 'all' else half + ' '}{row.get('settings', '')}".strip()


def count_notebooks(rows: Sequence[Row]) -> str:
    """How many notebooks, and how often each was healed where that is more than once."""
    runs = len({row.get("run", 1) for row in rows})
    notebooks = len({(row["repository"], row["path"]) for row in rows})
    return f"{notebooks} × {runs}" if runs > 1 else str(notebooks)
