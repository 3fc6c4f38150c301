"""A doubt: a cell that ran, and that something speaks against all the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a review says of one cell. Nothing is changed because of it.

    ``code`` is the check's ("REV101"), ``what`` one plain sentence, ``advice`` what the user can do; ``line`` is 1-based in the
    cell, 0 where it is about the whole cell.
    """

    cell_id: str
    code: str
    what: str
    advice: str
    line: int = 0
