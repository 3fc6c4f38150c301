"""``jupyter selfheal bench csv``: rows as one table for R, pandas or a spreadsheet, each with what was measured."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jupyter_selfheal.surfaces.bench.rows import read_head, read_row_file

QUOTED = ("diff", "trace")
"""Fields of a row that are left out: a text of many lines, and a folder of this machine."""


def report_csv(arguments: argparse.Namespace) -> tuple[str, int]:
    """All rows of the files, below one line of column names."""
    return format_csv(arguments.files), 0


def format_csv(files: Sequence[Path]) -> str:
    """One line for each row: the file, what it measured, the row; what is told by role or phase has a column for each, as ``tokens.judge``."""
    rows = [row for path in files for row in _flatten_rows(path)]
    columns = dict.fromkeys(name for row in rows for name in row)
    out = io.StringIO()
    writer = csv.DictWriter(out, tuple(columns), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def _flatten_rows(path: Path) -> Iterator[dict[str, Any]]:
    setup, rows = read_row_file(path)
    head = read_head(path)
    machine = {name: head.get(name, "") for name in ("system", "machine", "cores")}
    versions = {f"versions.{name}": said for name, said in dict(head.get("versions", {})).items()}
    warmth = setup.temperature if setup.temperature >= 0 else ""
    measured = {**asdict(setup), "healers": "+".join(setup.healers), "temperature": warmth, **machine, **versions}
    for row in rows:
        told = {name: value for name, value in asdict(row).items() if name not in QUOTED}
        yield {"file": path.name, **measured, **_flatten_row(told)}


def _flatten_row(told: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in told.items():
        flat |= (
            {f"{name}.{part}": amount for part, amount in value.items()} if isinstance(value, dict) else {name: value}
        )
    return flat
