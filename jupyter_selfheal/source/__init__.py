"""Reading the source of a cell: IPython's own syntax masked, statements, names, and edits by position.

Every edit of the product is a splice of text at the exact position of a syntax node, so that formatting, comments and
magics around it stay as the user wrote them (docs/adr/0002). Standard library only: this also runs in the user's kernel.

A text is read once (:class:`Source`, by :func:`read`); the functions here are what most callers ask of it. Trees are shared: read
them, never change them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from jupyter_selfheal.inside.parsing import dump_tree, parse_expression, parse_tree
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.source.binding import (
    BUILTINS,
    Names,
    collect_names,
    find_assigned_in_text,
    find_assigned_roots,
    find_free_names,
    find_root_name,
    is_pure_method,
)
from jupyter_selfheal.source.masking import (
    CELL_MAGICS_WITH_PYTHON,
    PARSE_FLAGS,
    can_compile,
)
from jupyter_selfheal.source.slices import find_backward_slice, find_needed_names
from jupyter_selfheal.source.source import Source, Statement, read

__all__ = [
    "BUILTINS",
    "CELL_MAGICS_WITH_PYTHON",
    "PARSE_FLAGS",
    "Names",
    "Source",
    "Statement",
    "can_compile",
    "canonicalise",
    "collect_names",
    "dump_tree",
    "extract_text",
    "find_assigned_in_text",
    "find_assigned_roots",
    "find_backward_slice",
    "find_free_names",
    "find_names",
    "find_needed_names",
    "find_offset",
    "find_remaining_source",
    "find_root_name",
    "find_span",
    "find_statement",
    "is_foreign",
    "is_pure_method",
    "keep_statements",
    "list_statement_keys",
    "list_statements",
    "mask",
    "parse",
    "parse_expression",
    "parse_tree",
    "read",
    "splice",
    "walk",
]


def mask(source: str) -> str:
    """The source with IPython's syntax replaced by Python of the same lines and, up to it, the same columns."""
    return read(source).masked_text


def is_foreign(source: str) -> bool:
    """True for a cell whose body is not Python: ``%%bash``, ``%%html``, ``%%sql`` …"""
    return read(source).is_foreign


def parse(source: str) -> ast.Module | None:
    """The syntax tree of a cell (masked, top-level await allowed), or None where it does not parse."""
    return read(source).tree


def walk(source: str) -> tuple[ast.AST, ...]:
    """All nodes of a cell's tree, in the order of ``ast.walk``; none where it does not parse."""
    return read(source).nodes


def list_statements(source: str) -> tuple[Statement, ...]:
    """The top-level statements, in order; empty where the cell does not parse."""
    return read(source).statements


def find_names(source: str) -> Names:
    """The global names of a cell; all empty where it does not parse."""
    return read(source).names


def canonicalise(source: str) -> str:
    """Equal for sources that differ in formatting, comments and quotes only. For deduplication."""
    return read(source).canonical


def find_offset(source: str, line: int, column: int) -> int:
    """Character offset of ast's 1-based line and 0-based UTF-8 column."""
    return read(source).find_offset(line, column)


def find_span(source: str, node: ast.AST) -> tuple[int, int]:
    """Character offsets [start, end) of a node; decorators are part of a definition."""
    return read(source).find_span(node)


def extract_text(source: str, node: ast.AST) -> str:
    """The source text of a node."""
    return read(source).extract_text(node)


def find_statement(source: str, line: int) -> int:
    """Index of the top-level statement on a 1-based line, the first of several, or -1."""
    return read(source).find_statement(line)


def find_last_statement(source: str, line: int) -> int:
    """Likewise, the last of several (``a(); b()``)."""
    return read(source).find_last_statement(line)


def list_statement_keys(source: str) -> tuple[str, ...]:
    """One key for each statement, equal for statements that do the same; a magic is known by its text."""
    return read(source).statement_keys


def keep_statements(source: str, indices: Iterable[int]) -> str:
    """The source with every other top-level statement blanked; line numbers are kept."""
    return read(source).keep_statements(indices)


def find_remaining_source(source: str, ran: int, patched: str) -> str | None:
    """What is left to run of the patched source where the first ``ran`` statements of ``source`` ran, or None for all of it."""
    return read(source).find_remaining(ran, read(patched))
