"""``jupyter selfheal bench failures``: what was not healed, in groups, with the nearest misses as diffs and where their steps are kept."""

from __future__ import annotations

import argparse
import html
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.surfaces.bench.configurations import Configuration, read_configurations
from jupyter_selfheal.surfaces.bench.rows import Row

NEAREST = 5
"""Misses whose diffs are shown."""

MESSAGE = 120
"""Letters of a message that tell one kind from another."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Of one configuration: how many of its rows are not healed correctly, these by group, and those with the best scores."""

    name: str
    missed: int
    rows: int
    groups: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    nearest: tuple[Row, ...]


def report_failures(arguments: argparse.Namespace) -> tuple[str, int]:
    """The failures of each file, in the format that was asked for."""
    found = [group_failures(configuration) for configuration in read_configurations(arguments.files)]
    return FORMATS[arguments.format](found), 0


def group_failures(found: Configuration) -> Failures:
    """What was not healed correctly; programs without a failure are none."""
    missed = [r for r in found.rows if not r.correct and r.exposed]
    groups = tuple((title, _count_groups(missed, key)) for title, key in GROUPS if missed)
    nearest = sorted((r for r in missed if r.diff), key=lambda r: -r.score)[:NEAREST]
    return Failures(found.name, len(missed), len(found.rows), groups, tuple(nearest))


def _count_groups(rows: Sequence[Row], key: Callable[[Row], str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(map(key, rows)).items(), key=lambda c: (-c[1], c[0])))


def _normalise_message(row: Row) -> str:
    """The message with its numbers and names taken out, so that like ones meet."""
    said = re.sub(r"'[^']*'|`[^`]*`|\d+(\.\d+)?", "…", row.why)
    return textwrap.shorten(said, MESSAGE, placeholder=" …") or "nothing said"


GROUPS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("what came of it", lambda r: "applied, and wrong" if r.plausible else "right one offered" if r.place else "not healed"),
    ("why it ended", lambda r: r.reason or "no failure"),
    ("kind of fault", lambda r: r.fault or "not told"),
    ("healer", lambda r: r.healer or "none"),
    ("message", _normalise_message),
)  # fmt: skip


def _describe_miss(row: Row) -> str:
    came = "applied" if row.plausible else "offered" if row.score else "tried, and shown to nobody"
    return f"{row.name} (run {row.run}), score {row.score:g}, {came}: {row.why}"


def _describe_trace(row: Row) -> str:
    """The command that shows every step; empty where none was kept."""
    return f"JUPYTER_DATA_DIR={row.trace} jupyter selfheal trace" if row.trace else ""


def format_text(found: Sequence[Failures]) -> str:
    """For a terminal."""
    lines: list[str] = []
    for failures in found:
        lines += [f"{failures.name}: {failures.missed} of {failures.rows} not healed correctly"]
        for title, counts in failures.groups:
            lines += ["", f"By {title}", *(f"{count:5}  {name}" for name, count in counts)]
        lines += ["", f"The {len(failures.nearest)} nearest misses"] if failures.nearest else []
        for row in failures.nearest:
            lines += ["", _describe_miss(row), *filter(None, [_describe_trace(row)]), row.diff]
    return "\n".join(lines)


def format_markdown(found: Sequence[Failures]) -> str:
    """For an issue or a page."""
    lines: list[str] = []
    for failures in found:
        lines += [f"## {failures.name}: {failures.missed} of {failures.rows} not healed correctly", ""]
        for title, counts in failures.groups:
            lines += [f"| {title} | |", "|---|---|"]
            lines += [f"| {name.replace('|', chr(92) + '|')} | {count} |" for name, count in counts] + [""]
        lines += [f"### The {len(failures.nearest)} nearest misses", ""] if failures.nearest else []
        for row in failures.nearest:
            trace = [f"    {_describe_trace(row)}", ""] if row.trace else []
            lines += [_describe_miss(row), "", *trace, "~~~diff", row.diff.rstrip("\n"), "~~~", ""]
    return "\n".join(lines).rstrip("\n")


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Failures</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.2rem .8rem;border-bottom:1px solid #8888;text-align:left}td+td{text-align:right}pre{overflow-x:auto;background:#8881;padding:.6rem}</style>"""


def format_html(found: Sequence[Failures]) -> str:
    """One page."""
    parts = [PAGE]
    for failures in found:
        parts.append(
            f"<h1>{html.escape(failures.name)}: {failures.missed} of {failures.rows} not healed correctly</h1>"
        )
        for title, counts in failures.groups:
            rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{count}</td></tr>" for name, count in counts)
            parts.append(f"<table><thead><tr><th>{title}</th><th>rows</th></tr></thead><tbody>{rows}</tbody></table>")
        parts += [f"<h2>The {len(failures.nearest)} nearest misses</h2>"] if failures.nearest else []
        for row in failures.nearest:
            trace = (
                f'<p><a href="{html.escape(Path(row.trace).resolve().as_uri())}">Every step of it</a></p>'
                if row.trace
                else ""
            )
            parts.append(f"<h3>{html.escape(_describe_miss(row))}</h3>{trace}<pre>{html.escape(row.diff)}</pre>")
    return "\n".join([*parts, "</html>"])


FORMATS: dict[str, Callable[[Sequence[Failures]], str]] = {
    "text": format_text, "markdown": format_markdown, "html": format_html,
}  # fmt: skip
