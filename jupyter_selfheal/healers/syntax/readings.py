"""One way to read a source that does not parse, and which of many are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

LAYOUTS = 6
"""Readings that differ in their lines and their indentation alone, and that count for what is kept: one misread word above a block that could end
anywhere has dozens of them, and each of these hides another word."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A source that parses, what its edits cost, and what they say was wrong."""

    source: str
    cost: float
    words: tuple[str, ...]
    guessed: bool = False
    """It has a value that was missing, and that nobody knows."""


def choose_readings(readings: Iterable[Reading], most: int) -> tuple[Reading, ...]:
    """The likeliest of some readings, in order: of those with the same words at first the likeliest layouts only."""
    layouts, chosen, others = Counter[str](), list[Reading](), list[Reading]()
    for reading in sorted(readings, key=lambda r: r.cost):
        text = "".join(reading.source.split())
        layouts[text] += 1
        (chosen if layouts[text] <= LAYOUTS else others).append(reading)
    return tuple(sorted([*chosen[:most], *others[: max(most - len(chosen), 0)]], key=lambda r: r.cost))
