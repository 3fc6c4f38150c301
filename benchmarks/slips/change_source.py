"""How a slip changes the source of a program: in one place outside of its texts, in all of them, or in one text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Slip = Callable[[str, random.Random], str | None]
"""What makes a slip; None where the program has no place for it."""
TEXT = re.compile(r"f?\"[^\"\n]*\"|f?'[^'\n]*'")
"""A text of one line, as it is written."""


def find_code(source: str, pattern: str) -> list[re.Match[str]]:
    """Matches that begin outside of texts."""
    inside = {n for m in TEXT.finditer(source) for n in range(m.start() + 1, m.end())}
    return [m for m in re.finditer(pattern, source, re.MULTILINE) if m.start() not in inside]


def change_code(source: str, rng: random.Random, pattern: str, new: str | Callable[[re.Match[str]], str]) -> str | None:
    """One match of a pattern outside of texts, drawn at random, in another form; None where there is none."""
    found = find_code(source, pattern)
    if not found:
        return None
    m = rng.choice(found)
    return source[: m.start()] + (new(m) if callable(new) else m.expand(new)) + source[m.end() :]


def change_everywhere(source: str, pattern: str, new: str) -> str | None:
    """All matches of a pattern outside of texts in another form; None where there is none."""
    found = find_code(source, pattern)
    for m in reversed(found):
        source = source[: m.start()] + m.expand(new) + source[m.end() :]
    return source if found else None


def change_text(source: str, rng: random.Random, change: Callable[[str], str]) -> str | None:
    """One text that the change alters, drawn at random, changed; None where it alters none."""
    found = [m for m in TEXT.finditer(source) if change(m[0]) != m[0]]
    if not found:
        return None
    m = rng.choice(found)
    return source[: m.start()] + change(m[0]) + source[m.end() :]


def can_parse(source: str) -> bool:
    """True for Python."""
    try:
        compile(source, "<program>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
