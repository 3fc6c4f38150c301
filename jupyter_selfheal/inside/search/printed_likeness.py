"""How near what was printed comes to what is expected."""

from __future__ import annotations

import difflib
import re


def measure_likeness(printed: str, expected: str) -> float:
    """How much of the expected output came out, 0 to 1."""
    return difflib.SequenceMatcher(None, printed[:2000].strip(), expected[:2000].strip(), autojunk=False).ratio()


def has_same_numbers(printed: str, expected: str) -> bool:
    """Whether what was printed has the numbers that are expected, in their order."""
    pattern = r"\d+(?:\.\d+)?"
    return re.findall(pattern, printed) == re.findall(pattern, expected)
