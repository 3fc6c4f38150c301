"""From ast's lines and columns to characters of the source, and edits there."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def offset(source: str, line: int, column: int) -> int:
    """Character offset of ast's 1-based line and 0-based UTF-8 column."""
    lines = source.splitlines(keepends=True)
    start = sum(len(text) for text in lines[: line - 1])
    if line - 1 >= len(lines):
        return len(source)
    text = lines[line - 1]
    if text.isascii():
        return start + min(column, len(text))
    return start + len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))


def span(source: str, node: ast.AST) -> tuple[int, int]:
    """Character offsets [start, end) of a node; decorators are part of a definition."""
    lineno, col = node.lineno, node.col_offset  # type: ignore[attr-defined]
    for decorator in getattr(node, "decorator_list", []):
        if decorator.lineno < lineno:
            lineno, col = decorator.lineno, max(decorator.col_offset - 1, 0)
    return offset(source, lineno, col), offset(source, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def text_of(source: str, node: ast.AST) -> str:
    """The source text of a node."""
    start, end = span(source, node)
    return source[start:end]


def splice(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Replace [start, end) by text for each edit; positions are those of the given source. Overlaps are a ValueError."""
    found, last = source, len(source) + 1
    for start, end, text in sorted(edits, reverse=True):
        if end > last or start > end:
            raise ValueError("edits overlap")
        found = found[:start] + text + found[end:]
        last = start
    return found
