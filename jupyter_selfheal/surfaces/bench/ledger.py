"""Halves of a set, and the ledger of every look at a judging half.

Templates and scores are made while looking at the tuning half of a set; its judging half says how good they are on programs that nobody
looked at. Each look spends some of that: so it is asked for by name (``--half judge``), and written down before it begins. With ``--ledger FILE`` a look at any
half, or at a whole set, is written down too, so that the harness knows which one was the first.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.rows import CHECKOUT, Setup, find_commit
from jupyter_selfheal.surfaces.bench.tasks import Task

HALVES = ("all", "tune", "judge")
LEDGER = CHECKOUT / "benchmarks" / "ledger.jsonl"
"""Of the checkout that this runs from."""


def choose_half(tasks: Sequence[Task], half: str) -> list[Task]:
    """The tasks of a half: each belongs to one by its name, whatever others are there."""
    return [task for task in tasks if half == "all" or find_half(task.name) == half]


def find_half(name: str) -> str:
    """``tune`` or ``judge``, by a hash of the task's name without its class of fault."""
    return HALVES[1 + hashlib.sha256(name.split()[0].encode()).digest()[0] % 2]


def write_entry(path: Path, setup: Setup, tasks: int) -> None:
    """Write down that a half or a whole set is looked at now, and on which commit. Raises UsageError where that cannot be written."""
    if path == LEDGER and not path.parent.exists():
        raise UsageError("a look at a judging half is written down: name the file with --ledger FILE")
    entry = {**_name_look(setup), "healers": list(setup.healers), "model": setup.model, "tasks": tasks, "commit": describe_commit(), "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M")}  # fmt: skip
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UsageError(
            f"the ledger {path} cannot be written ({error.strerror}): name one with --ledger FILE"
        ) from error


def read_ledger(path: Path) -> list[dict[str, Any]]:
    """Its entries, oldest first; none where there is no file. Raises UsageError for a file that is no ledger."""
    if not path.exists():
        return []
    try:
        return [dict(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{path} is no ledger: {error}") from error


def describe_look(entries: Iterable[dict[str, Any]], setup: Setup, commits: Sequence[str]) -> str:
    """Whether rows of these commits are the first look at their half or their whole set, or when that was; a set that nobody wrote down counts as seen."""
    looks = [entry for entry in entries if _name_look(setup).items() <= entry.items()]
    if not looks:
        return "not in the ledger" if setup.half == "judge" else "seen before"
    first = str(looks[0]["commit"])
    return "first" if [first] == list(commits) else f"again, first at {first}"


def describe_commit() -> str:
    """The commit of the checkout; with a plus where files of it were changed since."""
    if not (CHECKOUT / ".git").exists():
        return find_commit()
    changed = subprocess.run(
        ["git", "-C", str(CHECKOUT), "status", "--porcelain", "-uno", "--", "jupyter_selfheal"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return find_commit() + ("+" if changed.stdout.strip() else "")


def _name_look(setup: Setup) -> dict[str, str]:
    return {"set": setup.set, "oracle": setup.oracle, "half": setup.half}
