"""What a long cell does that no check asks about: it runs for every candidate, as one unit, and is not changed.

Every change of every statement is made and ranked before the first one is tried, so that a cell of hundreds of statements spends the
search on those that no assert depends on. Cells with few of them are searched as they are: there a slip of a name (``totl = total + 1``)
may stand in what nothing reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from difflib import get_close_matches

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.pieces import Piece
from jupyter_selfheal.source.rerun import DEFINITIONS

MOST = 30
"""Statements of the failing cell that no check depends on, up to which they may be changed all the same."""
ALIKE = 0.8
"""How alike a name that nothing reads is to one that a check depends on (0–1), from which it may be a slip for it."""

CHANGING = frozenset({"next", "setattr", "delattr", "exec", "eval", "map", "filter"})
"""Builtins that change what they are given, or hand it on."""


def leave_unasked(pieces: Sequence[Piece], modules: Set[str] = frozenset()) -> tuple[Piece, ...]:
    """The pieces, where many of the failing cell are asked about by no check those as few that may not be changed; else as they are.

    ``modules`` are names of modules: what is called of them or handed on with them is changed by nobody.
    """
    asked = _find_asked(pieces, modules)
    unasked = {n for n, p in enumerate(pieces) if p.role == "cell" and p.mutable and n not in asked}
    if len(unasked) <= MOST or not any(p.role == "check" for p in pieces):
        return tuple(pieces)
    return tuple(_join([replace(p, mutable=False) if n in unasked else p for n, p in enumerate(pieces)], unasked))


def _find_asked(pieces: Sequence[Piece], modules: Set[str]) -> set[int]:
    """The pieces that make what a check reads, whatever their order; what may be an alias of it, or a slip for its name, too."""
    names = [src.find_names(p.text) for p in pieces]
    handed = [frozenset(_list_handed_on(p.text)) - modules for p in pieces]
    asked = {n for n, p in enumerate(pieces) if p.role == "check" or p.tests or (not p.mutable and "assert" in p.text)}
    needed = set[str]().union(*(names[n].uses for n in asked)) - modules
    changed = frozenset[str]().union(*(n.changes for n in names), *handed)
    acting: set[str] = set()
    before = -1
    while before != len(asked):
        before = len(asked)
        for at, own in enumerate(names):
            made = (own.binds | own.changes | own.deletes) - modules
            is_alias = bool(own.uses & needed and own.binds & changed)
            if at not in asked and (made & needed or is_alias or handed[at] & needed or own.uses & acting):
                asked.add(at)
                needed |= (own.uses | made) - modules
                acting |= own.binds if own.changes - modules or "global " in pieces[at].text else frozenset()
    read = frozenset[str]().union(*(n.uses for n in names))
    slips = (n for n, own in enumerate(names) if any(get_close_matches(b, needed, 1, ALIKE) for b in own.binds - read))
    return asked.union(slips)


def _list_handed_on(text: str) -> Iterator[str]:
    """The names that a statement hands to a function which may change what they hold, or calls a method of."""
    tree = src.parse(text)
    for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)) if tree else ():
        if isinstance(call.func, ast.Name) and call.func.id in src.BUILTINS and call.func.id not in CHANGING:
            continue
        receiver = [] if isinstance(call.func, ast.Name) else [call.func]
        for part in (*receiver, *call.args, *call.keywords):
            yield from (n.id for n in ast.walk(part) if isinstance(n, ast.Name))


def _join(pieces: Sequence[Piece], unasked: set[int]) -> Iterator[Piece]:
    """The pieces, those unasked ones that stand in a row as one: each unit costs every candidate its time."""
    row: list[Piece] = []
    for n, piece in enumerate(pieces):
        tree = src.parse(piece.text)
        is_plain = n in unasked and not piece.query and n + 1 < len(pieces) and tree is not None
        if is_plain and tree and not any(isinstance(s, DEFINITIONS) for s in tree.body):
            row.append(piece)
            continue
        yield from _merge(row)
        row = []
        yield piece
    yield from _merge(row)


def _merge(row: Sequence[Piece]) -> Iterator[Piece]:
    if row:
        yield replace(row[0], end=row[-1].end, text="\n".join(p.text for p in row))
