"""The journals that the runs of a session leave behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from jupyter_selfheal.journal.describe import sent as sent_by
from jupyter_selfheal.journal.jsonl import read, runs_folder
from jupyter_selfheal.model import JSON


def find_free_name(run: str) -> str:
    """The run's id, numbered where it was healed before."""
    folder, number, name = runs_folder(), 1, run
    while (folder / f"{name}.jsonl").exists():
        number += 1
        name = f"{run}-{number}"
    return name


def read_events(run: str) -> tuple[object, ...]:
    """Everything that happened in a run so far, in its last repetition."""
    return next((read(path).events() for path in reversed(_list_journals(run))), ())


def read_sent_records(run: str) -> Iterator[JSON]:
    """What went to a model in a run and its repetitions, oldest first."""
    for path in _list_journals(run):
        for record in read(path).records:
            sent = sent_by(record.body)
            if sent is not None:
                yield sent


def _list_journals(run: str) -> list[Path]:
    """The journals of a run, and of its repetitions, oldest first."""
    paths = runs_folder().glob(f"{run}*.jsonl") if run else ()
    return sorted((p for p in paths if re.fullmatch(r"(-\d+)?", p.stem[len(run) :])), key=lambda p: p.stat().st_mtime)
