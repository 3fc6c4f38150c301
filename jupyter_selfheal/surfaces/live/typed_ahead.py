"""What was typed while a heal was waited for: it is meant for the next prompt, and stays there for it."""

from __future__ import annotations

import array
import contextlib
import sys
from collections.abc import Iterator

_ONE_KEY = 2
"""Bytes of a letter and Enter."""


def has_typed_ahead() -> bool:
    """Whether the terminal holds more than one letter that nobody has read. A letter alone is dropped: it answers what was not shown yet."""
    try:
        import fcntl
        import termios

        terminal = sys.stdin.fileno()
        with _without_lines(terminal):
            count = array.array("i", [0])
            fcntl.ioctl(terminal, termios.FIONREAD, count)
        if 0 < count[0] <= _ONE_KEY:
            termios.tcflush(terminal, termios.TCIFLUSH)
        return count[0] > _ONE_KEY
    except Exception:  # it is no terminal, or none that tells
        return False


@contextlib.contextmanager
def _without_lines(terminal: int) -> Iterator[None]:
    """A terminal that tells of a line which Enter has not ended yet, too."""
    import termios

    before = termios.tcgetattr(terminal)
    after = list(before)
    after[3] &= ~termios.ICANON
    termios.tcsetattr(terminal, termios.TCSANOW, after)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)
