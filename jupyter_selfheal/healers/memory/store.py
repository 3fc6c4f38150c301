"""What was approved and rejected before, in a small sqlite database of the user's own (mode 0600)."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import MemoryStoreError
from jupyter_selfheal.model import JSON

VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS template (
    id INTEGER PRIMARY KEY,
    signature TEXT NOT NULL,
    headline TEXT NOT NULL,
    title TEXT NOT NULL,
    cause TEXT NOT NULL,
    changes TEXT NOT NULL,
    origin TEXT NOT NULL,
    safe INTEGER NOT NULL,
    removes TEXT NOT NULL,
    approved INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    learnt REAL NOT NULL,
    UNIQUE (signature, changes)
);
CREATE INDEX IF NOT EXISTS by_signature ON template (signature);
"""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One remembered patch. ``changes`` is JSON: a list of {"where": "failing" or "other", "before": sha, "changes": […]} for
    cells that change, {"where": "above", "before": sha, "after": source, "names": […]} for a new cell above the failing one.

    ``safe`` says whether a rule had called it so; ``origin`` is the healer or rule that made it.
    """

    signature: str
    headline: str
    title: str
    cause: str
    changes: JSON
    origin: str = ""
    safe: bool = False
    removes: str = ""
    approved: int = 0
    rejected: int = 0
    learnt: float = 0.0
    id: int = 0

    @property
    def confidence(self) -> int:
        """The share of decisions that approved it, in per cent: as measured, no floor."""
        decisions = self.approved + self.rejected
        return round(100 * self.approved / decisions) if decisions else 0


class MemoryStore:
    """The database. ``path`` is empty for ``jupyter_data_dir()/selfheal/memory.sqlite``; it is made on the first write.

    Every method raises :class:`MemoryStoreError` where the file cannot be used. A damaged file is set aside under another
    name, which the message tells, and never reset.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """Where the database lies, or will."""
        if self._path is None:
            from jupyter_core.paths import jupyter_data_dir

            self._path = Path(jupyter_data_dir()) / "selfheal" / "memory.sqlite"
        return self._path

    def find(self, signature: str) -> tuple[Remembered, ...]:
        """What is known of a failure, the most trusted first."""
        if not self.path.exists():
            return ()
        with self._open_database() as db:
            rows = db.execute("SELECT * FROM template WHERE signature = ?", (signature,)).fetchall()
        entries = [_build_entry(row) for row in rows]
        return tuple(sorted(entries, key=lambda r: (-r.confidence, -r.approved, r.id)))

    def record(self, entry: Remembered, *, approved: bool) -> None:
        """Count a decision about a patch; the patch is added where it is not known yet."""
        with self._open_database() as db:
            db.execute(
                "INSERT INTO template (signature, headline, title, cause, changes, origin, safe, removes, learnt)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (signature, changes) DO NOTHING",
                (
                    entry.signature,
                    entry.headline,
                    entry.title,
                    entry.cause,
                    _dump_changes(entry.changes),
                    entry.origin,
                    int(entry.safe),
                    entry.removes,
                    time.time(),
                ),
            )
            column = "approved" if approved else "rejected"
            db.execute(
                f"UPDATE template SET {column} = {column} + 1 WHERE signature = ? AND changes = ?",
                (entry.signature, _dump_changes(entry.changes)),
            )

    def all(self) -> tuple[Remembered, ...]:
        """All that is remembered, oldest first."""
        if not self.path.exists():
            return ()
        with self._open_database() as db:
            return tuple(_build_entry(row) for row in db.execute("SELECT * FROM template ORDER BY id"))

    def forget(self, entry_id: int) -> bool:
        """Forget one entry; False where there is none of that id."""
        if not self.path.exists():
            return False
        with self._open_database() as db:
            return db.execute("DELETE FROM template WHERE id = ?", (entry_id,)).rowcount > 0

    @contextmanager
    def _open_database(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
            with closing(sqlite3.connect(self.path, timeout=5.0)) as db, db:
                db.row_factory = sqlite3.Row
                self._prepare_schema(db)
                yield db
        except sqlite3.OperationalError as error:
            raise MemoryStoreError(f"the memory {self.path} cannot be used: {error}") from error
        except sqlite3.DatabaseError as error:
            raise self._set_aside(str(error)) from error
        except OSError as error:
            raise MemoryStoreError(f"the memory {self.path} cannot be used: {error}") from error

    def _prepare_schema(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise MemoryStoreError(
                f"the memory {self.path} was written by a newer release (version {version}): update, or move it away"
            )
        problem = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise sqlite3.DatabaseError(problem)
        if version == 0:
            db.executescript(_SCHEMA)
            db.execute(f"PRAGMA user_version = {VERSION}")

    def _set_aside(self, problem: str) -> MemoryStoreError:
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            os.replace(self.path, aside)
        except OSError as error:
            return MemoryStoreError(f"the memory {self.path} is damaged ({problem}) and cannot be moved: {error}")
        return MemoryStoreError(
            f"the memory of approved patches was damaged ({problem}): it was set aside as {aside}, and a new one begins"
        )


def _dump_changes(changes: JSON) -> str:
    return json.dumps(changes, sort_keys=True, ensure_ascii=False)


def _build_entry(row: sqlite3.Row) -> Remembered:
    return Remembered(
        row["signature"],
        row["headline"],
        row["title"],
        row["cause"],
        json.loads(row["changes"]),
        row["origin"],
        bool(row["safe"]),
        row["removes"],
        row["approved"],
        row["rejected"],
        row["learnt"],
        row["id"],
    )
