"""How two values differ, in words, and a value or a text made short. Runs inside a kernel: standard library only."""

from __future__ import annotations

import reprlib
from itertools import islice
from typing import Any, NoReturn

SHOWN = 160
"""Characters of a value in such words."""


class Different(Exception):
    """Two values differ. The words for it are made only where somebody reads them: a search compares a million times."""

    def __init__(self, where: str, reason: str = "", want: Any = None, got: Any = None) -> None:
        super().__init__(where, reason)
        self.where, self.reason, self.want, self.got = where, reason, want, got

    def format_reason(self) -> str:
        place = f"{self.where}: " if self.where else ""
        if self.reason and not self.reason.startswith(" ("):
            return place + self.reason
        return f"{place}expected {show_value(self.want, SHOWN)}, got {show_value(self.got, SHOWN)}{self.reason}"


def fail(want: Any, got: Any, where: str, more: str = "") -> NoReturn:
    """Raise :class:`Different`."""
    raise Different(where, more, want, got)


def show_value(value: Any, limit: int = 400) -> str:
    """A ``repr`` that is bounded in length, and in the time it takes."""
    try:
        text = repr(value) if _is_small(value, limit) else _SHORT.repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}: repr raises {type(error).__name__}>"
    return cut_text(text, limit)


def cut_text(text: str, limit: int) -> str:
    """The text, with "…" in place of what is beyond ``limit`` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring = 3, 400
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxfrozenset = 20


def _is_small(value: Any, limit: int) -> bool:
    """False for built-in containers that hold, at any depth, more items than are shown."""
    pending = [value]
    for _ in range(limit):
        if not pending:
            return True
        item = pending.pop()
        if isinstance(item, list | tuple | set | frozenset | dict) and item:
            pending += islice(item, limit)
            if isinstance(item, dict):
                pending += islice(item.values(), limit)
    return False
