"""Rows that the scripts of this folder write, and the tables of RESULTS.md that are made from them (``make figures``).

    python benchmarks/measurements.py benchmarks/rows/scripts/*.jsonl [--into benchmarks/RESULTS.md]

A line is one cell of one table: every single value that was measured (the table shows their median), and what it takes to repeat it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from jupyter_selfheal.surfaces.bench.figures import write_between_markers  # noqa: E402
from jupyter_selfheal.surfaces.bench.rows import find_commit  # noqa: E402

FOLDER = HERE / "rows" / "scripts"
PACKAGES = ("IPython", "ipykernel", "numpy")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One cell of a table: its values, or a word. ``unit`` stands behind the median, which has so many ``digits`` after the point."""

    table: str
    row: str
    column: str
    values: list[float]
    word: str = ""
    unit: str = ""
    digits: int = 0


@dataclass(slots=True)
class Script:
    """What one run of a script measured. ``title`` heads its tables, ``note`` says how to read them."""

    title: str
    note: str
    command: str
    cells: list[Measurement] = field(default_factory=list)
    commit: str = field(
        default_factory=find_commit
    )  # what is measured was imported by now; at the end the tree may have moved on
    loads: list[float] = field(default_factory=lambda: [os.getloadavg()[0]])

    def add(
        self, table: str, row: str, column: str, values: Sequence[float] | float | str, unit: str = "", digits: int = 0
    ) -> None:
        """Keep a cell: all values of it, one, or a word."""
        word = values if isinstance(values, str) else ""
        numbers = [] if word else [values] if isinstance(values, (int, float)) else list(values)
        self.cells.append(Measurement(table, row, column, [float(n) for n in numbers], word, unit, digits))
        self.loads.append(os.getloadavg()[0])

    def write(self, path: Path) -> Path:
        """All cells as lines of JSON, in place of what the file held."""
        machine = f"Python {platform.python_version()}, {', '.join(f'{n} {version(n)}' for n in PACKAGES)}, Linux {platform.release()}, {os.cpu_count()} cores"
        head = {
            "title": self.title, "note": self.note, "command": self.command, "commit": self.commit, "date": datetime.now(UTC).date().isoformat(),
            "load": [round(min(self.loads), 1), round(max(self.loads), 1)], "machine": machine,
        }  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(head), *(json.dumps(asdict(cell), ensure_ascii=False) for cell in self.cells)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def format_script(path: Path) -> str:
    """The section of one file: what it takes to repeat it, and its tables."""
    head, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    cells = [Measurement(**row) for row in rows]
    repeats = max((len(cell.values) for cell in cells), default=1)
    low, high = head["load"]
    lines = [
        f"## {head['title']}",
        "",
        f"`{head['command']}`, {head['date']}, commit {head['commit']}, {head['machine']}, load {low:g} to {high:g}"
        + (f", medians of up to {repeats}. " if repeats > 1 else ". ")
        + head["note"],
    ]
    for table in dict.fromkeys(cell.table for cell in cells):
        lines += ["", *_format_table(table, [cell for cell in cells if cell.table == table])]
    return "\n".join(lines)


def _format_table(title: str, cells: Sequence[Measurement]) -> list[str]:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    shown = {(cell.row, cell.column): _format_cell(cell) for cell in cells}
    lines = [f"| {' | '.join((title, *columns))} |", f"|{'---|' * (len(columns) + 1)}"]
    for row in dict.fromkeys(cell.row for cell in cells):
        lines.append(f"| {' | '.join((row, *(shown.get((row, column), '–') for column in columns)))} |")
    return lines


def _format_cell(cell: Measurement) -> str:
    return cell.word if cell.word else f"{median(cell.values):,.{cell.digits}f}{cell.unit}"


def main() -> None:
    """Print the sections, or put them between the markers of a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--into", type=Path, metavar="PAGE")
    chosen = parser.parse_args()
    text = "\n\n".join(map(format_script, chosen.files))
    if chosen.into is None:
        print(text)
    else:
        write_between_markers(chosen.into, text, "scripts")


if __name__ == "__main__":
    main()
