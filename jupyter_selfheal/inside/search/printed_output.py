"""What a program prints while it runs: dropped or kept up to a limit, and held against what is expected."""

from __future__ import annotations

import io
import re
import sys

from jupyter_selfheal.inside.comparator import is_equal_text
from jupyter_selfheal.inside.search.count_steps import (
    OutOfTime,
)
from jupyter_selfheal.inside.search.run_result import Enough

NOTHING = "None"
OUTPUT_LIMIT = 1_000_000


class Muted(io.TextIOBase):
    """A stream that drops what is written, or keeps it up to a limit."""

    def __init__(self, keep: bool = False, limit: int = OUTPUT_LIMIT) -> None:
        self.keep, self.parts, self.size, self.limit = keep, list[str](), 0, limit

    def write(self, text: str, /) -> int:
        if self.keep:
            self.size += len(text)
            if self.size > self.limit:
                raise Enough if self.limit == OUTPUT_LIMIT else OutOfTime
            self.parts.append(text)
        return len(text)

    def writable(self) -> bool:
        return True


class OutputRedirection:
    """What is printed goes into a stream, and what is written to standard error nowhere; both at once, as each run does so."""

    __slots__ = ("before", "out")

    def __init__(self, out: Muted) -> None:
        self.out = out

    def __enter__(self) -> None:
        self.before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = self.out, Muted()

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self.before


def matches(expected: str, printed: str) -> bool:
    """True where what was printed is the text, line by line without trailing space (``/…/``: matches the expression)."""
    if len(expected) > 2 and expected.startswith("/") and expected.endswith("/"):
        return re.search(expected[1:-1], printed, re.MULTILINE | re.DOTALL) is not None
    return split_printed_lines(expected) == split_printed_lines(printed)


def split_printed_lines(text: str) -> list[str]:
    """The lines as they are compared: without trailing space, and without blank lines around them."""
    return [line.rstrip() for line in text.strip("\r\n \t").splitlines()]


def is_output_met(want: str, printed: str) -> bool:
    """Whether what was printed is what is wanted, as doctest compares it, or as texts are."""
    import doctest

    if not printed and want.strip() == NOTHING:  # who writes None as a result means it, though nothing is shown
        return True
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(want, printed, flags) or is_equal_text(want, printed)
