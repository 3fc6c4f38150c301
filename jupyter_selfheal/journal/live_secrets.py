"""Secrets that a run knew from the live state alone, kept beside its journal, so that whoever shows or exports it later knows them too.

``password = read_key()`` names no value in the cells. Where such a value stands in the journal (in a message, an output), it is written down
once more in a file of the same owner's; a value that the journal does not hold is never written.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path


def _locate_secrets(journal: Path) -> Path:
    return journal.with_suffix(".secrets")


def keep_live_secrets(journal: Path, values: Iterable[str]) -> None:
    """Keep those of the values that the journal holds. What cannot be written is left: the journal is readable by its owner alone."""
    with contextlib.suppress(OSError):
        text = journal.read_text(encoding="utf-8", errors="surrogateescape")
        held = {
            v
            for v in values
            if v in text or json.dumps(v, ensure_ascii=False)[1:-1] in text or json.dumps(v)[1:-1] in text
        }
        held |= set(read_live_secrets(journal)) if held else set()
        if held:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(_locate_secrets(journal), flags, 0o600), "w", encoding="utf-8") as file:
                json.dump(sorted(held), file)


def read_live_secrets(journal: Path) -> tuple[str, ...]:
    """What was kept beside a journal; nothing where nothing was, or it cannot be read."""
    try:
        kept = json.loads(_locate_secrets(journal).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(value for value in kept if isinstance(value, str)) if isinstance(kept, list) else ()
