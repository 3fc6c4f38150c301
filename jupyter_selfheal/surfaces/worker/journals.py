"""The journals that the runs of a session leave behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from jupyter_selfheal.journal.describe import find_request_record
from jupyter_selfheal.journal.jsonl import locate_runs_folder, read_journal
from jupyter_selfheal.model import JSON


def find_free_name(run: str) -> str:
    """The run's id, numbered where it was healed before."""
    folder, number, name = locate_runs_folder(), 1, run
    while (folder / f"{name}.jsonl").exists():
        number += 1
        name = f"{run}-{number}"
    return name


def read_events(run: str) -> tuple[object, ...]:
    """Everything that happened in a run so far, in its last repetition."""
    return next((read_journal(path).events() for path in reversed(_list_journals(run))), ())


def read_sent_records(run: str) -> Iterator[JSON]:
    """What went to a model in a run and its repetitions, oldest first."""
    for path in _list_journals(run):
        for record in read_journal(path).records:
            sent = find_request_record(record.body)
            if sent is not None:
                yield sent


def _list_journals(run: str) -> list[Path]:
    """The journals of a run, and of its repetitions, oldest first."""
    paths = locate_runs_folder().glob(f"{run}*.jsonl") if run else ()
    return sorted((p for p in paths if re.fullmatch(r"(-\d+)?", p.stem[len(run) :])), key=lambda p: p.stat().st_mtime)
