"""``%%heal`` is read by an input transformer that blanks its line.

Running the body through ``run_cell`` again, as a cell magic would, breaks top-level await, loses the line numbers and
turns a failure into an ok reply. So the line goes away before IPython looks at the cell, and :mod:`.session` reads it
from the raw cell when the cell is about to run. A line that cannot be read, or that is a command, is left in place: then
the cell magic of the same name runs, and says what is wrong.
"""

from __future__ import annotations

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.live import options

PREFIX = "%%heal"


def heal_line(source: str) -> str | None:
    """The options of a cell that begins with ``%%heal``, or None."""
    for line in source.splitlines():
        if line.strip():
            first, _, rest = line.strip().partition(" ")
            return rest.strip() if first == PREFIX else None
    return None


def is_command(line: str) -> bool:
    """True for ``approve``, ``reject why`` and the like."""
    return bool(line) and line.split(maxsplit=1)[0] in options.COMMANDS


def body_of(source: str) -> str:
    """The cell without its ``%%heal`` line; line numbers are kept, and a cell magic below it comes first."""
    return "".join(blank_heal_line(source.splitlines(keepends=True)))


def blank_heal_line(lines: list[str]) -> list[str]:
    """The transformer (https://ipython.readthedocs.io/en/stable/config/inputtransforms.html): lines in, lines out."""
    line = heal_line("".join(lines))
    if line is None or is_command(line):
        return lines
    try:
        options.parse(line)
    except UsageError:
        return lines
    at = next(n for n, text in enumerate(lines) if text.strip())
    rest = [*lines[:at], "\n", *lines[at + 1 :]]
    magic = next((n for n, text in enumerate(rest) if text.strip()), -1)
    if magic > 0 and rest[magic].startswith("%%"):
        rest[0], rest[magic] = rest[magic], "\n"
    return rest
