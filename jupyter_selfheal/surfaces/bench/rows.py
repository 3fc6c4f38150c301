"""What became of each program, kept while a run goes on, and the figures of a run."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import UsageError


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one program. ``cpu`` are the search's CPU seconds, ``seconds`` those of the whole notebook, on the clock.

    ``plausible``: healed by the tests that were seen; ``passed``: all tests pass, also those that were not; ``correct``: it also
    agrees with the reference on generated inputs.
    """

    name: str
    plausible: bool
    correct: bool
    healer: str = ""
    fix: str = ""
    cpu: float = 0.0
    rank: int = 0
    seconds: float = 0.0
    compared: int = 0
    differed: int = 0
    why: str = ""
    commit: str = ""
    passed: bool = False
    place: int = 0
    """Where the first correct patch stands among those that were shown (1: the first); 0 where it is none of the first two."""
    score: float = 0.0
    proofs: str = ""
    checks: int = 0
    """The first patch that was shown: its score, what proves it, and how many values were checked."""
    exposed: bool = True
    """False: every test that the search might see passes with the fault, so that nothing fails and nothing is healed."""


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows, one JSON object a line, written as they come: a run that is cut goes on from there.

    The first line says what is measured; each row names the commit that made it.
    """

    path: Path
    title: str
    oracle: str

    def read_rows(self) -> list[Row]:
        """The rows of an earlier run; UsageError where the file holds something else, or other measurements."""
        if not self.path.exists() or not self.path.read_text(encoding="utf-8").strip():
            return []
        try:
            head, *rest = (json.loads(line) for line in self._read_lines())
            if head != self._build_head():
                raise UsageError(f"{self.path} holds rows of {head}: name another file")
            return [Row(**row) for row in rest]
        except (ValueError, TypeError) as error:
            raise UsageError(
                f"{self.path} is no file of rows of an earlier run ({error}): name another file"
            ) from error

    def _read_lines(self) -> Iterator[str]:
        """The whole lines: a run that was killed may have left half of one."""
        for line in self.path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                yield line

    def _build_head(self) -> dict[str, str]:
        return {"set": self.title, "oracle": self.oracle}

    def add(self, row: Row) -> None:
        """Write a row behind the others, at once."""
        old = list(self._read_lines()) if self.path.exists() else []
        whole = [*(old or [json.dumps(self._build_head()) + "\n"]), json.dumps(asdict(row)) + "\n"]
        self.path.write_text("".join(whole), encoding="utf-8")


def format_row(row: Row) -> str:
    """One program on one line."""
    verdict = "correct  " if row.correct else "plausible" if row.plausible else "not healed"
    verdict = verdict if row.exposed else "no failure"
    verdict = "passes" if row.passed and not row.correct else verdict
    return f"{verdict:10} {row.name:32} {row.cpu:6.2f} CPU-s {row.seconds:6.1f} s  {row.fix or row.why}"[:200]


def compute_figures(rows: Sequence[Row], title: str, oracle: str, jobs: int) -> dict[str, Any]:
    """The figures of a run, with what it takes to repeat it."""
    searched = [r.cpu for r in rows if r.cpu]
    commits = dict.fromkeys(r.commit for r in rows if r.commit) or {find_commit(): None}
    ranks = sorted(r.rank for r in rows if r.rank)
    return {
        "set": title, "oracle": oracle, "programs": len(rows), "exposed": sum(r.exposed for r in rows), "plausible": sum(r.plausible for r in rows),
        "passed": sum(r.passed or r.correct for r in rows), "correct": sum(r.correct for r in rows), "shown": sum(r.place > 0 for r in rows), "median_cpu_seconds": round(statistics.median(searched), 3) if searched else 0.0,
        "max_cpu_seconds": max(searched, default=0.0), "rank_median": ranks[len(ranks) // 2] if ranks else 0,
        "rank_max": ranks[-1] if ranks else 0, "classes": _count_classes(rows), "jobs": jobs, "version": __version__, "commit": ", ".join(commits),
        "python": platform.python_version(), "cores": len(os.sched_getaffinity(0)),
    }  # fmt: skip


def _count_classes(rows: Sequence[Row]) -> dict[str, list[int]]:
    """By class of fault, where the names tell it in parentheses: how many are correct, and of how many."""
    classes: dict[str, list[int]] = {}
    for row in rows:
        if row.name.endswith(")"):
            counts = classes.setdefault(row.name[row.name.rfind("(") + 1 : -1], [0, 0])
            counts[0] += row.correct
            counts[1] += 1
    return dict(sorted(classes.items()))


def format_figures(figures: dict[str, Any]) -> str:
    """The figures in a few lines."""
    classes = ", ".join(f"{name} {right} of {number}" for name, (right, number) in figures["classes"].items())
    number = figures["programs"] - figures["exposed"]
    applied = figures["plausible"]
    share = (
        f"{figures['correct']} of {applied} applied are correct ({figures['correct'] / applied:.0%}); "
        if applied
        else ""
    )
    silent = (
        f"{number} show no fault to the search: of {figures['exposed']}, {figures['passed']} pass all tests, {figures['correct']} are correct\n"
        if number
        else ""
    )
    return (
        f"\n{figures['set']}, oracle {figures['oracle']}: {figures['programs']} programs, {figures['plausible']} plausible, {figures['passed']} pass all tests, {figures['correct']} correct\n"
        f"{silent}"
        f"{share}the correct one is first or second among what is shown in {figures['shown']}\n"
        f"{f'correct by class: {classes}{chr(10)}' if classes else ''}"
        f"search: median {figures['median_cpu_seconds']} CPU-s, most {figures['max_cpu_seconds']}; rank of the first plausible candidate: median"
        f" {figures['rank_median']}, most {figures['rank_max']}\n"
        f"jupyter_selfheal {figures['version']} ({figures['commit']}), Python {figures['python']}, {figures['cores']} cores"
    )


def find_commit() -> str:
    """The commit of the checkout that this runs from."""
    ran = subprocess.run(
        ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip() or "not a checkout"
