"""IPython's own syntax, masked so that what is left is Python of the same lines and columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from jupyter_selfheal.inside.parsing import parse_tree
from jupyter_selfheal.inside.positions import split_lines

PARSE_FLAGS = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

_LINE_MAGIC = re.compile(r"^(\s*)([%!]|\?{1,2}(?=\S))")
_QUOTED_NOTHING = re.compile(r"^(\s*);\s*$")  # IPython quotes what follows a semicolon
_HELP = re.compile(r"^(\s*)[\w.*\[\]]+\?{1,2}\s*$")
_ASSIGNED = re.compile(r"^(\s*[\w.,\s\[\]'\"()]+?=\s*)([%!](?!=).*)$")

_TIMED = re.compile(r"^(\s*)(%(?:time|timeit)\s+(?:-[nr]\s*\d+\s+|-[qotc]\s+)*)(?=[^\s%!-])(.*)$")
"""A line magic whose argument is Python that runs in the user's namespace."""

CELL_MAGICS_WITH_PYTHON = frozenset({"time", "timeit", "capture", "prun", "heal", "memit", "snakeviz", "pyinstrument"})
"""Cell magics whose body is Python run in the user's namespace."""


def is_foreign(source: str) -> bool:
    """True for a cell whose body is not Python: ``%%bash``, ``%%html``, ``%%sql`` …"""
    for line in source.splitlines():
        if line.strip():
            magic = re.match(r"%%(\w+)", line)
            return magic is not None and magic[1] not in CELL_MAGICS_WITH_PYTHON
    return False


def find_magic_names(source: str) -> frozenset[str]:
    """The variables that a cell magic is told to make: ``%%script --out lines``, ``%%capture printed``."""
    first = source.lstrip().partition("\n")[0]
    if not first.startswith("%%"):
        return frozenset()
    named = re.findall(r"\s--(?:out|err|proc)[= ]\s*([^\W\d]\w*)", first)
    captured = re.match(r"%%capture\s+(?:--?[\w-]+\s+)*([^\W\d]\w*)", first)
    return frozenset([*named, *([captured[1]] if captured else [])])


def mask(source: str) -> str:
    """The source with IPython's syntax replaced by Python of the same lines and, up to it, the same columns.

    ``%magic`` and ``!command`` lines become ``pass``, ``%time f(x)`` becomes ``if 1: f(x)`` (of the same columns), ``x = !ls``
    becomes ``x = None``, the cell magic's own line is blanked; lines inside strings and continued brackets are left alone. Positions in the result are positions in the
    source.
    """
    lines = split_lines(source)
    inside = _find_continued_lines(lines)
    masked = []
    first = True
    for number, line in enumerate(lines):
        body = line.rstrip("\r\n")
        end = line[len(body) :]
        if body.strip() and first:
            first = False
            if body.lstrip().startswith("%%"):
                masked.append(end)
                continue
        if number in inside:
            masked.append(line)
        elif (timed := _rewrite_timed_line(body)) is not None:
            masked.append(timed + end)
        elif (
            (match := _LINE_MAGIC.match(body)) or (match := _HELP.match(body)) or (match := _QUOTED_NOTHING.match(body))
        ):
            masked.append(match[1] + "pass" + end)
        elif (
            (match := _ASSIGNED.match(body)) and not _can_parse(body.strip()) and _can_parse(match[1].strip() + " None")
        ):
            masked.append(match[1] + "None" + end)
        else:
            masked.append(line)
    return "".join(masked)


def _rewrite_timed_line(line: str) -> str | None:
    """``%time f(x)`` as ``if 1: f(x)``; None where the line is no such magic, or what it times is not whole on the line."""
    match = _TIMED.match(line)
    if match is None or not _can_parse("if 1: " + match[3]):
        return None
    return match[1] + "if 1:".ljust(len(match[2])) + match[3]


def _can_parse(line: str) -> bool:
    try:
        parse_tree(line, flags=PARSE_FLAGS)
    except (SyntaxError, ValueError):
        return False
    return True


def _find_continued_lines(lines: Sequence[str]) -> frozenset[int]:
    """Indices of lines that begin inside a triple-quoted string, an open bracket or after a backslash."""
    continued = set()
    quote, depth, joined = "", 0, False
    for number, line in enumerate(lines):
        if quote or depth > 0 or joined:
            continued.add(number)
        elif _LINE_MAGIC.match(line):
            continue
        quote, depth, joined = _scan_line(line, quote, max(depth, 0))
    return frozenset(continued)


_OF_CODE = re.compile(r"[#'\"()\[\]{}]")
"""What changes the state outside of a string: a comment, a quote, a bracket."""

_OF_STRING = {quote: re.compile(r"\\." + "|" + quote, re.DOTALL) for quote in ("'", '"', "'''", '"""')}
"""What counts inside of a string: what is escaped, and its end."""


def _scan_line(line: str, quote: str, depth: int) -> tuple[str, int, bool]:
    at = 0
    while match := (_OF_STRING[quote] if quote else _OF_CODE).search(line, at):
        at, found = match.end(), match[0]
        if quote:
            quote = quote if found.startswith("\\") else ""
        elif found == "#":
            break
        elif found in "'\"":
            quote = found * 3 if line.startswith(found * 3, match.start()) else found
            at = match.start() + len(quote)
        else:
            depth += 1 if found in "([{" else -1
    stripped = line.rstrip("\r\n")
    if len(quote) == 1 and not stripped.endswith("\\"):
        quote = ""
    return quote, depth, stripped.endswith("\\") and not quote


def can_compile(source: str) -> bool:
    """True where the cell is Python after masking (or a foreign cell, which is not ours to judge)."""
    if is_foreign(source):
        return True
    try:
        compile(mask(source), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
