"""A heal that is killed, and files that are damaged: what of a run is still there, and whether it can be gone on with."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import ConfigError, JournalError
from jupyter_selfheal.journal.jsonl import JsonlJournal, read_journal
from jupyter_selfheal.own_process import process_arguments
from jupyter_selfheal.surfaces.bench.resilience.faults import Fault, Seen
from jupyter_selfheal.surfaces.bench.resilience.stand_in import FIX, Healed, heal_by_model, shorten_reason, write_reply
from jupyter_selfheal.testing.fake_model_server import Says
from jupyter_selfheal.testing.processes import count_running, mark_descendants

KILLED_RUN = "surfaces.bench.resilience.killed_run"
GOOD = Says(write_reply(FIX))
WAIT = 300.0
"""Seconds on the clock for a command that is killed to come to where it is killed."""


def list_run_faults(provider: str) -> tuple[Fault, ...]:
    """All of them, with this provider's client."""
    return (
        Fault("SIGKILL after each event of a run, then --resume", "run", "each ends as the whole run did, and pays for no answer twice", _kill_at_each_event),
        Fault("SIGKILL of a command with its kernels, then --resume", "run", "no process is left; the run goes on, the original is as it was", _kill_command),
        Fault("the last line of a journal is torn", "run", "it is dropped, and that is said", partial(_tear_journal, provider)),
        Fault("a journal is damaged in its middle", "run", "the line is named; nothing is guessed", partial(_damage_journal, provider)),
        Fault("the memory is damaged", "run", "it is set aside, and the heal goes on", partial(_damage_memory, provider)),
        Fault("a cassette is damaged", "run", "is refused in one line, before anything is sent", partial(_damage_cassette, provider)),
        Fault("a cassette without the request", "run", "the new request is named; nothing is sent", partial(_ask_what_was_not_recorded, provider)),
    )  # fmt: skip


# --- killed ---------------------------------------------------------------------------------------------------------


def _kill_at_each_event(folder: Path) -> Seen:
    """In a process that has no thread, so that it may be copied: one copy is killed, the next one goes on."""
    ran = subprocess.run(
        **process_arguments(KILLED_RUN), input=str(folder), capture_output=True, text=True, timeout=WAIT, check=False
    )
    if ran.returncode:
        return Seen(f"it failed: {ran.stderr.strip().splitlines()[-1:]}", False)
    found: dict[str, Any] = json.loads(ran.stdout)
    lost = [f"{what}, after event {n}" for n, what in found["different"]]
    return Seen(f"{found['same']} of {found['events']} runs ended as the whole one, paid once", not lost, tuple(lost))


def _kill_command(folder: Path) -> Seen:
    mark_descendants()
    before, notebook = count_running(), _write_notebook(folder)
    given, data = notebook.read_bytes(), folder / "data"
    words = [*_build_command(), str(notebook), "-o", str(folder / "healed.ipynb"), "--timeout", "600"]
    with subprocess.Popen(words, env=_build_environment(data), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:  # fmt: skip
        there = _wait_for(lambda: process.poll() is not None or _is_trial_over(data)) and process.poll() is None
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
    orphans = max(0, count_running(at_most=before) - before)
    lost = [] if notebook.read_bytes() == given else ["the original notebook"]
    (folder / "go").touch()
    run = next(iter(sorted(p.stem for p in _list_journals(data))), "").rpartition("-")[0]
    again = subprocess.run([*words, "--resume", run], env=_build_environment(data), cwd=folder, capture_output=True, text=True, timeout=WAIT, check=False)  # fmt: skip
    healed = again.returncode == 0 and "'a'.upper()" in (folder / "healed.ipynb").read_text(encoding="utf-8")
    orphans += max(0, count_running(at_most=before) - before)
    said = "resumed, and healed" if healed else f"exit code {again.returncode}: {again.stderr[-200:]}"
    return Seen(said if there else "it ended before it was killed", there and healed, tuple(lost), orphans)


def _build_command() -> list[str]:
    return [sys.executable, "-m", "jupyter_selfheal", "heal", "--offline"]


def _build_environment(data: Path) -> dict[str, str]:
    return {**os.environ, "JUPYTER_DATA_DIR": str(data)}


def _write_notebook(folder: Path) -> Path:
    """Its last cell keeps the command from ending before it is killed."""
    cells = ("x = 'a'.uper()", "import os, time\nwhile not os.path.exists('go'):\n    time.sleep(0.1)")
    blank: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [{**blank, "id": f"c{n}", "source": source} for n, source in enumerate(cells)]
    path = folder / "killed.ipynb"
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    return path


def _list_journals(data: Path) -> list[Path]:
    return sorted((data / "selfheal" / "runs").glob("*.jsonl"))


def _is_trial_over(data: Path) -> bool:
    return any(b'"$":"TrialEnded"' in path.read_bytes() for path in _list_journals(data))


def _wait_for(there: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + WAIT
    while not there():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


# --- damaged --------------------------------------------------------------------------------------------------------


def _heal_once(provider: str, folder: Path) -> tuple[Path, int]:
    """The journal of a heal, and the number of its events."""
    heal_by_model(folder, [GOOD], provider=provider)
    path = folder / "run.jsonl"
    return path, len(read_journal(path).records)


def _tear_journal(provider: str, folder: Path) -> Seen:
    path, events = _heal_once(provider, folder)
    path.write_bytes(path.read_bytes()[:-20])
    journal, recording = JsonlJournal.resume(path)
    journal.close()
    said = recording.notices[0] if recording.notices else ""
    right = len(recording.records) == events - 1 and "torn" in said
    return Seen(f"{len(recording.records)} of {events} events are read; the torn one is named", right)


def _damage_journal(provider: str, folder: Path) -> Seen:
    path, _ = _heal_once(provider, folder)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:30] + b"\x00" + lines[2][31:]
    path.write_bytes(b"".join(lines))
    try:
        JsonlJournal.resume(path)[0].close()
    except JournalError as error:
        return Seen("refused: line 3 is damaged", "line 3" in str(error))
    return Seen("it was read", False)


def _damage_memory(provider: str, folder: Path) -> Seen:
    place = folder / "data" / "selfheal" / "memory.sqlite"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"not a database" * 99)
    with _work_with_data(folder / "data"):
        found = heal_by_model(folder, [GOOD], provider=provider, memory=True, healers=("memory", "language_model"))
    kept = [p for p in place.parent.iterdir() if p.read_bytes() == b"not a database" * 99]
    lost = () if kept else ("the damaged memory",)
    right = found.reason == "healed" and any("set aside" in note for note in found.notes)
    return Seen(f"{found.reason}; the damaged file is kept under another name", right, (*lost, *found.lost))


@contextlib.contextmanager
def _work_with_data(folder: Path) -> Iterator[None]:
    before = os.environ.get("JUPYTER_DATA_DIR")
    os.environ["JUPYTER_DATA_DIR"] = str(folder)
    try:
        yield
    finally:
        os.environ.pop("JUPYTER_DATA_DIR")
        os.environ.update({"JUPYTER_DATA_DIR": before} if before is not None else {})


def _damage_cassette(provider: str, folder: Path) -> Seen:
    (folder / "kept").mkdir()
    (folder / "kept" / "0123456789abcdef.json").write_text('{"version": 1, "repl', encoding="utf-8")
    try:
        found = _replay_run(provider, folder)
    except ConfigError as error:
        return Seen("refused: the recording cannot be read", "\n" not in str(error))
    return Seen(found.describe(), False, found.lost)


def _ask_what_was_not_recorded(provider: str, folder: Path) -> Seen:
    (folder / "kept").mkdir()
    found = _replay_run(provider, folder)
    named = f"{found.outcome.detail} {' '.join(found.pauses)}"
    right = found.reason == "infrastructure" and "a new fix request" in named and not found.requests
    return Seen(f"{found.reason}: {shorten_reason(named).replace(str(folder), '…')}", right, found.lost)


def _replay_run(provider: str, folder: Path) -> Healed:
    return heal_by_model(folder, [GOOD], provider=provider, replay=str(folder / "kept"))
