"""The place where the parser gives up, and what is around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from jupyter_selfheal.healers.syntax.fault import Fault
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import (
    COMMENT,
    NAME,
    NEWLINE,
    NUMBER,
    QUOTE,
    Token,
    find_line,
    find_position,
    split_tokens,
)

REACH = 22
"""Tokens before and behind the place that edits are made at."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One edit: the characters [start, end) become ``text``. ``cost`` says how unlikely the slip is, ``words`` what was wrong."""

    start: int
    end: int
    text: str
    cost: float
    words: str
    more: tuple[tuple[int, int, str], ...] = ()
    """Further splices of the same edit."""
    guessed: bool = False
    """A value is missing that nobody knows: with nothing that is expected, the edit is as good as any other."""

    def apply(self, source: str) -> str:
        """The source with this edit in it."""
        for start, end, text in sorted(((self.start, self.end, self.text), *self.more), reverse=True):
            source = source[:start] + text + source[end:]
        return source


@dataclass(frozen=True, slots=True)
class Site:
    """A source, its fault and its tokens; ``known`` are names that the notebook has."""

    source: str
    fault: Fault
    known: frozenset[str]
    at: int
    """Offset of the fault."""
    tokens: tuple[Token, ...] = field(repr=False)
    center: int
    """Index of the token at the fault (or the first one behind it)."""
    line: tuple[int, int, int]
    """The fault's line: its number, and the offsets [start, end) of its text."""

    def find_distance(self, index: int) -> float:
        """What it costs to make an edit at the token of that index instead of at the fault."""
        steps = index - self.center
        # a bracket is named where it opens, and may close anywhere; a missing comma where the value begins that needs none
        if steps > 0 and ("never closed" in self.fault.message or "forgot a comma" in self.fault.message):
            return 0.2 * steps * find_cost("distance")
        return -steps * find_cost("distance") if steps <= 0 else steps * find_cost("behind")

    @property
    def nearby(self) -> Iterator[tuple[int, Token]]:
        """The tokens around the fault with their indices, in order; comments apart."""
        first, last = max(self.center - REACH, 0), min(self.center + REACH, len(self.tokens))
        for index in range(first, last):
            if self.tokens[index].kind != COMMENT:
                yield index, self.tokens[index]

    def list_set_names(self) -> frozenset[str]:
        """The variables of the cell, as far as its tokens tell, and those of the notebook."""
        sets = ("=", "in", ",")
        return self.known.union(a.text for a, b in pairwise(self.tokens) if a.kind == NAME and b.text in sets)

    def list_line_tokens(self, offset: int) -> list[Token]:
        """The tokens of the line at an offset, without comment and end."""
        _, start, end = find_line(self.source, offset)
        first, last = (bisect_left(self.tokens, at, key=attrgetter("start")) for at in (start, end))
        return [t for t in self.tokens[first:last] if t.kind not in (COMMENT, NEWLINE)]

    def find_previous_line(self, offset: int) -> tuple[int, int] | None:
        """The last line with code above the one at an offset: [start, end) of its text."""
        _, start, _ = find_line(self.source, offset)
        while start > 0:
            _, start, end = find_line(self.source, start - 1)
            text = self.source[start:end].strip()
            if text and not text.startswith("#"):
                return start, end
        return None


def find_site(source: str, fault: Fault, known: frozenset[str]) -> Site:
    """The place of a fault in its source."""
    at = find_position(source, fault.line, fault.column)
    tokens = split_tokens(source)
    center = next((n for n, t in enumerate(tokens) if t.end > at), len(tokens))
    return Site(source, fault, known, at, tokens, center, find_line(source, min(at, len(source))))


def is_bad_number(token: Token) -> bool:
    """``1first``: a number that runs into a name."""
    if token.kind != NUMBER:
        return False
    try:
        compile(token.text, "<token>", "eval")
    except (SyntaxError, ValueError):
        return True
    return False


def is_open_quote(token: Token) -> bool:
    """A quote that nothing closes on its line."""
    return token.kind == QUOTE
