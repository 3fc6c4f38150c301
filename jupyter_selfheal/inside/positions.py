"""From ast's lines and columns to characters of a text, and edits there. One table for each text: a lookup splits nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import accumulate

Edit = tuple[int, int, str]
"""Put text in place of the characters [start, end)."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """The lines with their ends, as Python's tokenizer counts them: a form feed or U+2028 ends no line."""
    return _LINE.findall(text)


class LineTable:
    """Where each line of a text begins."""

    __slots__ = ("_columns", "lines", "starts")

    def __init__(self, text: str) -> None:
        self.lines = tuple(split_lines(text))
        self.starts = (0, *accumulate(map(len, self.lines)))
        self._columns: dict[int, tuple[int, ...]] = {}

    def offset(self, line: int, column: int) -> int:
        """Character offset of ast's 1-based line and 0-based UTF-8 column; what lies behind an end is that end."""
        if line > len(self.lines):
            return self.starts[-1]
        text = self.lines[line - 1]
        if not text.isascii():
            columns = self._columns.get(line) or self._count_columns(line, text)
            return self.starts[line - 1] + columns[min(column, len(columns) - 1)]
        return self.starts[line - 1] + min(column, len(text))

    def _count_columns(self, line: int, text: str) -> tuple[int, ...]:
        """For each byte of a line the character that it is in, once for the line: most lines are ASCII and need none."""
        widths = (len(c.encode("utf-8", "surrogatepass")) for c in text)
        columns = (*(n for n, width in enumerate(widths) for _ in range(width)), len(text))
        self._columns[line] = columns
        return columns


def splice(text: str, edits: Iterable[Edit]) -> str:
    """Replace [start, end) by text for each edit; positions are those of the given text. Overlaps are a ValueError."""
    pieces: list[str] = []
    last = len(text) + 1
    for start, end, new in sorted(edits, reverse=True):
        if end > last or start > end:
            raise ValueError("edits overlap")
        pieces += (text[end:last], new)
        last = start
    pieces.append(text[:last])
    return "".join(reversed(pieces))


def find_difference(old: str, new: str) -> Edit:
    """The one edit from the first character in which two texts differ to the last."""
    shorter = min(len(old), len(new))
    start = _count_alike(shorter, lambda n: old[:n] == new[:n])
    end = _count_alike(shorter - start, lambda n: old[len(old) - n :] == new[len(new) - n :])
    return start, len(old) - end, new[start : len(new) - end]


def _count_alike(most: int, is_alike: Callable[[int], bool]) -> int:
    """The greatest number up to ``most`` for which something holds that holds for all smaller ones."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if is_alike(middle):
            least = middle
        else:
            most = middle - 1
    return least
