"""The journal on disk: one file a run, one event a line, each line in the file before anybody acts on it.

``jupyter_data_dir()/selfheal/runs/RUN.jsonl``, mode 0600. The first line says what the file is::

    {"selfheal": 1, "run": "3f2a…", "notebook": "/home/…", "version": "0.1.0", "began": "2026-11-21T…", "config": {…}}

every other line is an event in wire form, with the time: ``{"v": 1, "at": "…", "body": {"$": "TrialEnded", …}}``. A process
may be killed at any byte: a last line without its newline was never acted on, and is dropped with a notice. Anything
else that does not read is damage, and an error that names the line.

What the process wrote outlives the process. A machine that loses its power may lose what is not on the disk yet: that is waited for
where money is spent or the user has decided (:data:`LASTING`), and not for a trial, which runs again for nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jupyter_selfheal import wire
from jupyter_selfheal._version import __version__
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import JournalError, WireError
from jupyter_selfheal.journal.live_secrets import read_live_secrets
from jupyter_selfheal.model import JSON

SCHEMA = 1
"""Of the header and the line's envelope; the events' own form has :data:`wire.VERSION`."""

LASTING = frozenset({"Reserved", "Settled", "Decided", "Ended"})
"""Events that must be on the disk before anybody acts on them, with those that settle a call which was paid for. To wait for a disk takes
1 to 10 ms, and a heal writes a dozen events while somebody waits for its fix."""

wire.register(HealConfig)


def locate_runs_folder() -> Path:
    """Where journals are, whether or not it exists yet."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "selfheal" / "runs"


@dataclass(frozen=True, slots=True)
class Record:
    """One line after the header: its number in the file (1-based), its time (ISO 8601), and the event in wire form."""

    line: int
    at: str
    body: Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Recording:
    """A journal as read. ``size`` is the length in bytes of what is whole; ``notices`` say what was dropped."""

    header: Mapping[str, JSON]
    records: tuple[Record, ...]
    size: int
    notices: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    """What stands in it and is known as a secret from the live state alone (:mod:`.live_secrets`)."""

    def events(self) -> tuple[object, ...]:
        """The events as objects; their classes must have been imported. Raises :class:`JournalError`."""
        events = []
        for record in self.records:
            try:
                events.append(wire.decode(record.body))
            except WireError as error:
                raise JournalError(f"line {record.line} of the journal cannot be used: {error}") from error
        return tuple(events)


def read_journal(path: Path) -> Recording:
    """Read a journal. Raises :class:`JournalError` where it is damaged, or cannot be read."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise JournalError(f"the journal {path} cannot be read: {error.strerror}") from error
    whole, _, torn = raw.rpartition(b"\n")
    lines = whole.split(b"\n") if whole or raw.startswith(b"\n") else []
    if not lines:
        raise JournalError(f"{path} is no journal: it has no first line; delete it")
    header = _parse_line(lines[0], 1, path)
    if header.get("selfheal") != SCHEMA:
        raise JournalError(
            f"line 1 of {path} is not the header of a journal of this release (schema {SCHEMA}): "
            "use the release that wrote it"
        )
    records = []
    for number, line in enumerate(lines[1:], start=2):
        entry = _parse_line(line, number, path)
        if entry.get("v") != wire.VERSION or not isinstance(entry.get("body"), dict):
            raise JournalError(f"line {number} of {path} is not an event of this release: the journal is damaged")
        records.append(Record(number, str(entry.get("at", "")), entry["body"]))
    notices = (f"the last line of {path} was torn off while it was written; it is dropped",) if torn else ()
    return Recording(header, tuple(records), len(raw) - len(torn), notices, read_live_secrets(path))


def _drop_cancellation(recording: Recording, path: Path) -> Recording:
    """The recording without the user's interruption and what came of it, if that is how it ends; so of an outage that nobody waited
    for the end of."""
    kept = list(recording.records)
    while kept and (
        kept[-1].body.get("$") == "CancelRequested"
        or (kept[-1].body.get("$") == "Ended" and kept[-1].body.get("reason") == "cancelled")
    ):
        kept.pop()
    kept = kept[: _find_outage(kept)]
    if len(kept) == len(recording.records):
        return recording
    lines = path.read_bytes().splitlines(keepends=True)
    size = sum(len(line) for line in lines[: len(kept) + 1])
    return Recording(
        recording.header, tuple(kept), size, (*recording.notices, "it was interrupted: it goes on where it was")
    )


def _find_outage(records: list[Record]) -> int:
    """How many records there are up to the pause at an outage that a recording ends with; all, where it does not."""
    kinds = [record.body.get("$") for record in records]
    if (
        kinds[-1:] == ["Ended"]
        and records[-1].body.get("reason") == "infrastructure"
        and "PausedForUserAction" in kinds
    ):
        at = len(kinds) - 1 - kinds[::-1].index("PausedForUserAction")
        if set(kinds[at + 1 : -1]) <= {"Decided"}:
            return at + 1
    return len(records)


def _parse_line(line: bytes, number: int, path: Path) -> dict[str, Any]:
    try:
        entry = wire.parse_json(line)
    except WireError as error:
        raise JournalError(f"line {number} of {path} is damaged: {error}") from error
    if not isinstance(entry, dict):
        raise JournalError(f"line {number} of {path} is damaged: it is no object")
    return entry


class JsonlJournal:
    """A journal that is being written. See :meth:`create` and :meth:`resume`; close it when the heal has ended."""

    def __init__(self, path: Path, descriptor: int, notices: tuple[str, ...] = ()) -> None:
        self.path = path
        self.notices = notices
        self._fd = descriptor
        self._lock = threading.Lock()

    @classmethod
    def create(
        cls, run: str, *, notebook: str = "", config: HealConfig | None = None, folder: Path | None = None
    ) -> JsonlJournal:
        """A new journal, there with its header or not at all. Raises :class:`JournalError`."""
        folder = folder or locate_runs_folder()
        path = folder / f"{run}.jsonl"
        header = {
            "selfheal": SCHEMA,
            "run": run,
            "notebook": notebook,
            "version": __version__,
            "began": _format_now(),
            "config": wire.encode(config) if config else {},
        }
        draft = folder / f".{run}.{os.getpid()}.new"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(_encode_line(header))
            if path.exists():
                raise JournalError(f"there is a journal {path} already: resume it, or choose another run id")
            os.rename(draft, path)
            return cls(path, _open_locked(path))
        except OSError as error:
            raise JournalError(_explain_unwritable(path, error)) from error
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()

    @classmethod
    def resume(cls, path: Path, *, uncancelled: bool = False) -> tuple[JsonlJournal, Recording]:
        """An existing journal, to go on with; a torn last line is cut off. Raises :class:`JournalError`.

        ``uncancelled``: so is a Ctrl-C at its end, which whoever resumes takes back.
        """
        try:
            descriptor = _open_locked(path)
        except OSError as error:
            raise JournalError(_explain_unwritable(path, error)) from error
        try:
            recording = read_journal(path)
            if uncancelled:
                recording = _drop_cancellation(recording, path)
            os.ftruncate(descriptor, recording.size)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, recording.notices), recording

    def append(self, event: object) -> None:
        """Write the event; wait until it is on the disk where it must outlive the machine (:data:`LASTING`)."""
        body = wire.encode(event)
        line = _encode_line({"v": wire.VERSION, "at": _format_now(), "body": body})
        with self._lock:
            if self._fd < 0:
                raise JournalError(f"the journal {self.path} is closed")
            before = os.fstat(self._fd).st_size
            try:
                _write_all(self._fd, line)
                if body.get("$") in LASTING or body.get("settles"):
                    os.fsync(self._fd)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._fd, before)
                raise JournalError(_explain_unwritable(self.path, error)) from error

    def events(self) -> tuple[object, ...]:
        """Everything that is in it."""
        return read_journal(self.path).events()

    def close(self) -> None:
        """Let go of the file. Idempotent."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def __enter__(self) -> JsonlJournal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _open_locked(path: Path) -> int:
    """The file for appending, held by us alone where the system knows locks."""
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0))
    try:
        import fcntl
    except ImportError:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise JournalError(f"the run {path.stem} is being written by another process: end that one first") from error
    except OSError:
        pass  # a file system without locks
    return descriptor


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _encode_line(value: JSON) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _explain_unwritable(path: Path, error: OSError) -> str:
    return (
        f"the journal {path} cannot be written ({error.strerror or error}): nothing goes on unrecorded; make room, or set "
        "JUPYTER_DATA_DIR to a folder that can be written"
    )


def list_journals(folder: Path | None = None) -> Iterator[Path]:
    """Every journal, the newest first."""
    folder = folder or locate_runs_folder()
    paths = folder.glob("*.jsonl") if folder.is_dir() else ()
    yield from sorted(paths, key=lambda p: (_read_change_time(p), p.name), reverse=True)


def _read_change_time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # deleted since it was listed: reading it will say so
        return 0.0
