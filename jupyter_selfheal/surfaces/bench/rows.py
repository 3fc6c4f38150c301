"""What became of each program, kept while a run goes on, and the figures of a run."""

from __future__ import annotations

import errno
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.notebook.report import SCHEMA


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
    shown_passes: bool | None = None
    """Does what was applied, else the first patch that was shown, pass every test of the set, also those that were not seen? None where nobody asked."""
    score: float = 0.0
    proofs: str = ""
    checks: int = 0
    """The first patch that was shown: its score, what proves it, and how many values were checked."""
    exposed: bool = True
    """False: every test that the search might see passes with the fault, so that nothing fails and nothing is healed."""
    run: int = 1
    seed: int = 0
    reason: str = ""
    """Why the heal ended (:class:`~jupyter_selfheal.model.Reason`); empty where nothing failed."""
    attempts: int = 0
    first: bool = False
    """Healed by the first round of patches."""
    zero_shot: bool = False
    """The model's first patch is correct, judged apart: what it says before anything was tried. Known ``--from spec`` alone."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """Seconds on the clock by phase: reproduce, diagnose, propose, try, score."""
    tokens: Mapping[str, int] = field(default_factory=dict)
    dollars: Mapping[str, float] = field(default_factory=dict)
    """By who was paid: a healer, the judge, the critic."""
    load: float = 0.0
    """The machine's load average over a minute, when the row was written."""
    diff: str = ""
    """The first patch that was shown, where none was right."""
    trace: str = ""
    """The folder that keeps every step of the heal, where one was asked for (``--traces``)."""

    @property
    def key(self) -> tuple[str, int]:
        """The task and the run, by which rows are told apart."""
        return self.name, self.run

    @property
    def has_failed(self) -> bool:
        """Whether there was something to heal: a test that was seen failed when the program was run."""
        return self.exposed and bool(self.reason or self.plausible or self.why)

    @property
    def fault(self) -> str:
        """The class of fault that the name tells in parentheses; empty where it tells none."""
        return self.name[self.name.rfind("(") + 1 : -1] if self.name.endswith(")") else ""

    @property
    def dollars_spent(self) -> float:
        """Dollars of all roles together."""
        return sum(self.dollars.values())


LIBRARIES = ("ipython", "ipykernel", "nbformat", "numpy", "pandas", "anthropic")
"""Whose versions a file of rows names."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is measured: rows of one setup may be put together, and two setups may be compared."""

    set: str
    oracle: str
    healers: tuple[str, ...] = ("rules", "search")
    seed: int = 0
    provider: str = ""
    model: str = ""
    judge_model: str = ""
    start: str = "fault"
    """What a program begins as: one with a fault, or nothing but its specification (``spec``)."""
    half: str = "all"
    """Which half of the set: ``all``, ``tune`` or ``judge``."""
    temperature: float = -1.0
    """What the model was asked with; negative: its own."""
    judge_provider: str = ""
    """Who offers the judge's model, where that is another one."""

    @property
    def label(self) -> str:
        """A short name for a table."""
        return (
            "+".join(self.healers)
            + (f" ({self.model})" if self.model else "")
            + (" from spec" if self.start == "spec" else "")
        )

    @property
    def question(self) -> tuple[str, str, str, str]:
        """What two setups must share to be compared: the set, its half, what of its tests is seen, and what a program begins as."""
        return self.set, self.half, self.oracle, self.start


CHECKOUT = Path(__file__).parents[3]
"""The checkout that this runs from, where it is one."""
BUILT_FROM = CHECKOUT / "jupyter_selfheal" / "_commit"
"""A file of a built package (hatch_build.py) that names its commit."""

STAGES = {
    "first": "First: nothing had been changed for these programs",
    "development": "Development: these programs were looked at while the product was changed",
    "final": "Final: programs that were held back, or a whole set, run once after the changes",
}
"""When in the product's development rows are measured, each with the heading of its table."""
USUAL_STAGE = "development"
"""Programs of which nobody says so are not called unseen."""

LATER = ("start", "half", "temperature", "judge_provider")
"""Fields that the first release of this schema did not write; their defaults hold there."""


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows, one JSON object a line, written as they come: a run that is cut goes on from there.

    The first line says what is measured, by which versions and on which machine; each row names the commit that made it.
    """

    path: Path
    setup: Setup
    command: str = ""
    """What repeats the measurement, without the paths of this machine."""
    stage: str = USUAL_STAGE
    """One of STAGES."""

    def read_rows(self) -> list[Row]:
        """The rows of an earlier run; UsageError where the file holds something else, or other measurements, or none can be written there."""
        check_is_writable(self.path)
        if not self.path.exists() or not self.path.read_text(encoding="utf-8").strip():
            return []
        setup, rows = read_row_file(self.path)
        if setup != self.setup:
            raise UsageError(
                f"{self.path} holds rows of {setup.set}, oracle {setup.oracle}, {setup.label}: name another file"
            )
        return rows

    def add(self, row: Row) -> None:
        """Write a row behind the others, at once."""
        if not self.path.exists() or not self.path.read_bytes().strip():
            append_line(self.path, json.dumps(_build_head(self.setup, self.command, self.stage)))
        append_line(self.path, json.dumps({**asdict(row), "load": round(os.getloadavg()[0], 2)}))


def check_is_writable(path: Path) -> None:
    """Raise UsageError where no rows can be written: that is said before anything is healed."""
    place = path if path.exists() else path.parent
    if not place.exists():
        raise UsageError(f"there is no folder {place} for the rows: make it, or name another file")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no file that rows can be written to: name another file")
    if not os.access(place, os.W_OK):
        raise UsageError(f"rows cannot be written to {path}, which is read-only here: name another file")


def append_line(path: Path, line: str) -> None:
    """Write a line behind the others, at once. Half a line, of a run that was killed, is cut off first. Raises UsageError where that cannot be done;
    the lines before it stay."""
    whole = -1  # not known yet: a file that cannot be opened or read is not cut
    try:
        with path.open("a+b", buffering=0) as file:
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            file.truncate(whole)
            if file.write(line.encode() + b"\n") <= len(line.encode()):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        if whole >= 0:
            with suppress(OSError):
                os.truncate(path, whole)
        raise UsageError(
            f"{path} cannot take another row ({error.strerror}): those before it are kept, and the same command goes on once it can"
        ) from error


def _build_head(setup: Setup, command: str, stage: str) -> dict[str, Any]:
    machine = {"cores": len(os.sched_getaffinity(0)), "machine": platform.machine(), "system": platform.system()}
    python = {"python": platform.python_version(), "jupyter_selfheal": __version__}
    said = {"command": command, "stage": stage, "began": datetime.now(UTC).strftime("%Y-%m-%d")}
    return {"schema": SCHEMA, **asdict(setup), **said, **machine, "versions": {**python, **_read_versions()}}


def _read_versions() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def read_row_file(path: Path) -> tuple[Setup, list[Row]]:
    """What a file of rows measured, and its rows; raises UsageError where it is none, or of another schema."""
    try:
        text = path.read_text(encoding="utf-8")
        if "\n" not in text:
            raise UsageError(f"{path} holds no row: name another file")
        head, *rest = (
            _read_line(line, n, path) for n, line in enumerate(text.splitlines(keepends=True), 1) if line.endswith("\n")
        )
        if "list" in head:
            raise UsageError(f"{path} holds notebooks healed by a list, of which `bench figures` makes the table")
        if "set" not in head:
            raise KeyError("its first line names no set")
        if head.get("schema") != SCHEMA:
            raise UsageError(f"{path} has rows of schema {head.get('schema', 1)}, not {SCHEMA}: measure again")
        named = {name: head[name] for name in Setup.__dataclass_fields__ if name in head or name not in LATER}
        return Setup(**{**named, "healers": tuple(named["healers"])}), [Row(**row) for row in rest]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): name another file") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is no file of rows of an earlier run ({error}): name another file") from error


def _read_line(line: str, number: int, path: Path) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        if number == 1:
            raise
        raise UsageError(f"{path}, line {number} is no JSON ({error}): mend or remove that row") from error


def read_head(path: Path) -> dict[str, Any]:
    """The first line of a file of rows, which :func:`read_row_file` has read."""
    with path.open(encoding="utf-8") as file:
        return dict(json.loads(file.readline()))


def read_stage(path: Path, head: Mapping[str, Any]) -> str:
    """One of STAGES, as the first line of a file of rows tells it; raises UsageError for another word, which would leave the rows out of every table."""
    stage = str(head.get("stage", USUAL_STAGE))
    if stage not in STAGES:
        raise UsageError(f"{path} was measured at the stage {stage!r}, which is none of {', '.join(STAGES)}")
    return stage


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
        "set": title, "oracle": oracle, "programs": len(rows), "runs": len({r.run for r in rows}), "tasks": len({r.name for r in rows}), "exposed": sum(r.exposed for r in rows), "plausible": sum(r.plausible for r in rows),
        "passed": sum(r.passed or r.correct for r in rows), "correct": sum(r.correct for r in rows), "shown": sum(r.place > 0 for r in rows), "median_cpu_seconds": round(statistics.median(searched), 3) if searched else 0.0,
        "max_cpu_seconds": max(searched, default=0.0), "rank_median": ranks[len(ranks) // 2] if ranks else 0,
        "rank_max": ranks[-1] if ranks else 0, "classes": _count_classes(rows), "jobs": jobs, "version": __version__, "commit": ", ".join(commits),
        "python": platform.python_version(), "cores": len(os.sched_getaffinity(0)),
    }  # fmt: skip


def _count_classes(rows: Sequence[Row]) -> dict[str, list[int]]:
    """By class of fault, where the names tell it in parentheses: how many are correct, and of how many."""
    classes: dict[str, list[int]] = {}
    for row in rows:
        if row.fault:
            counts = classes.setdefault(row.fault, [0, 0])
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
    searched = (
        f"search: median {figures['median_cpu_seconds']} CPU-s, most {figures['max_cpu_seconds']}; rank of the first plausible candidate: median"
        f" {figures['rank_median']}, most {figures['rank_max']}\n"
        if figures["max_cpu_seconds"]
        else ""
    )
    runs = f" in {figures['runs']} runs, {figures['programs']} rows" if figures["runs"] > 1 else ""
    measured = f"{figures['tasks']} {'program' if figures['tasks'] == 1 else 'programs'}{runs}"
    return (
        f"\n{figures['set']}, oracle {figures['oracle']}: {measured}, {figures['plausible']} plausible, {figures['passed']} pass all tests, {figures['correct']} correct\n"
        f"{silent}"
        f"{share}the correct one is first or second among what is shown in {figures['shown']}\n"
        f"{f'correct by class: {classes}{chr(10)}' if classes else ''}"
        f"{searched}"
        f"jupyter_selfheal {figures['version']} ({figures['commit']}), Python {figures['python']}, {figures['cores']} cores"
    )


def find_commit() -> str:
    """The commit of the checkout that this runs from, or the one that the installed package was built from."""
    if not (CHECKOUT / ".git").exists():  # git would say the commit of whatever repository the environment lies in
        return BUILT_FROM.read_text(encoding="utf-8").strip() if BUILT_FROM.exists() else "not a checkout"
    ran = subprocess.run(
        ["git", "-C", str(CHECKOUT), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip() or "not a checkout"
