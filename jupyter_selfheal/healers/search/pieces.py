"""The statements of a notebook as the search is given them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level statement of a cell: its characters [start, end) and how the search uses it."""

    cell_id: str
    start: int
    end: int
    text: str
    role: str
    mutable: bool = False
    tests: bool = False
    query: bool = False
