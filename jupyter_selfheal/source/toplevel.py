"""The top-level statements of a cell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from jupyter_selfheal.source.masking import parse
from jupyter_selfheal.source.positions import span, splice


@dataclass(frozen=True, slots=True)
class Statement:
    """A top-level statement: its index, its lines (1-based, inclusive) and its tree."""

    index: int
    first: int
    last: int
    node: ast.stmt


def statements(source: str) -> tuple[Statement, ...]:
    """The top-level statements, in order; empty where the cell does not parse."""
    tree = parse(source)
    if tree is None:
        return ()
    found = []
    for n, node in enumerate(tree.body):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        found.append(Statement(n, first, node.end_lineno or node.lineno, node))
    return tuple(found)


def statement_at(source: str, line: int) -> int:
    """Index of the top-level statement on a 1-based line, or -1."""
    return next((s.index for s in statements(source) if s.first <= line <= s.last), -1)


def only(source: str, indices: Iterable[int]) -> str:
    """The source with every other top-level statement blanked; line numbers are kept. A magic is blanked to its line's end.

    A ``#`` stands where the first statement began, if that is blanked: IPython drops leading lines of nothing but space.
    """
    kept = set(indices)
    edits = []
    for s in statements(source):
        if s.index in kept:
            continue
        start, end = span(source, s.node)
        if source[start : start + 1] in ("%", "!", "?"):
            end = source.find("\n", start) if "\n" in source[start:] else len(source)
        edits.append((start, end, re.sub(r"[^\r\n]", " ", source[start:end])))
    blanked = splice(source, edits)
    # ``a; b``: a semicolon left alone on its line is no statement
    blanked = re.sub(r"(?m)^([ \t]*);", lambda m: m[1] + " ", blanked)
    lead = len(source) - len(source.lstrip())
    if blanked[: lead + 1].isspace() and not blanked[lead:].partition("\n")[0].strip():
        blanked = blanked[:lead] + "#" + blanked[lead + 1 :]
    return blanked


def left_after(source: str, at: int, patched: str) -> str | None:
    """What is left to run of the patched source where the first ``at`` statements of ``source`` ran: the rest, as in :func:`only`.

    None where something of what ran is not there any more, in order, with nothing but imports added among it.
    """
    ran, there = list(keys(source)[:at]), statements(patched)
    if at <= 0 or len(ran) < at or len(there) <= at:
        return None
    keep: list[int] = []
    for statement, key in zip(there, keys(patched), strict=True):
        if ran and key == ran[0]:
            ran.pop(0)
        elif ran and not isinstance(statement.node, ast.Import | ast.ImportFrom):
            return None
        else:
            keep.append(statement.index)
    return None if ran else only(patched, keep)


def keys(source: str) -> tuple[str, ...]:
    """One key for each statement, equal for statements that do the same; a magic is known by its text."""
    lines = source.splitlines()
    return tuple(
        ast.dump(s.node) + "".join(t.strip() for t in lines[s.first - 1 : s.last] if t.lstrip()[:1] in ("%", "!"))
        for s in statements(source)
    )


def canonical(source: str) -> str:
    """Equal for sources that differ in formatting, comments and quotes only. For deduplication."""
    tree = parse(source)
    if tree is None:
        return " ".join(source.split())
    magics = [line.strip() for line in source.splitlines() if line.lstrip().startswith(("%", "!"))]
    return ast.dump(tree, annotate_fields=False, include_attributes=False) + "\n".join(magics)
