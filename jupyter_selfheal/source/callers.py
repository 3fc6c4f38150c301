"""Which cells call a function of the notebook, and what they make with it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_selfheal.source.binding import collect_names
from jupyter_selfheal.source.rerun import DEFINITIONS, can_run_again, list_iterators, map_modules
from jupyter_selfheal.source.source import read

if TYPE_CHECKING:
    from jupyter_selfheal.model import Cell

CELLS = 8
"""Cells above that are run again to see which calls they make, nearest first."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What a cell does with changed functions: the ``statements`` to run again, ``functions`` of its own that call them, and
    the names that it binds or changes with them (``remade``)."""

    statements: tuple[int, ...] = ()
    functions: frozenset[str] = frozenset()
    remade: frozenset[str] = frozenset()


def trace_calls(source: str, functions: Iterable[str], remade: Iterable[str] = ()) -> Calls:
    """Which statements of a cell come to changed functions, or to what was made with them; and what those need in the cell."""
    calling, made = set(functions), set(remade)
    own: set[str] = set()
    picked: dict[int, None] = {}
    if not calling and not made:
        return Calls()
    statements = read(source).statements
    for statement in statements:
        names = collect_names([statement.node])
        if not (calling | made) & (names.uses | names.changes):
            made -= names.binds
        elif isinstance(statement.node, DEFINITIONS):
            if calling & _list_names_read_at_once(
                statement.node
            ):  # a decorator: what it made is still the old function
                picked[statement.index] = None
            calling |= names.binds
            own |= names.binds
        else:
            picked[statement.index] = None
            made |= (names.binds | names.changes) - names.imports
    spoilt = {n for s in statements if s.index in picked for n in collect_names([s.node]).changes}
    for statement in reversed(statements):  # what a picked statement changes in place is made anew before it
        if statement.index not in picked and spoilt & collect_names([statement.node]).binds:
            picked[statement.index] = None
    return Calls(tuple(sorted(picked)), frozenset(own), frozenset(made - set(functions) - own))


def _list_names_read_at_once(node: ast.stmt) -> frozenset[str]:
    """Names of what decorates a definition: it is called when the definition runs, not when the function is called."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return frozenset(n.id for d in decorators for n in ast.walk(d) if isinstance(n, ast.Name))


def list_run_cells(cells: Iterable[Cell]) -> frozenset[str]:
    """Ids of the cells that ran in this kernel; all of them where nobody counted."""
    known = tuple(cells)
    counted = any(c.runs for c in known)
    return frozenset(c.id for c in known if not c.unfinished and (c.runs or not counted))


def choose_callers(above: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells that call the notebook's functions and can be run again, with what they read still as it was; in order."""
    ran, modules, iterators = list_run_cells(above), map_modules(above), list_iterators(above)
    defined = frozenset[str]().union(*(map_definitions(c.source) for c in above))
    chosen: list[Cell] = []
    later: set[str] = set()
    for cell in reversed(above):
        names = read(cell.source).names
        fits = cell.id in ran and calls_any(cell, defined) and can_run_again(cell, modules, iterators, may_await=True)
        if fits and not later & names.uses and len(chosen) < CELLS:
            chosen.append(cell)
        later |= (names.binds | names.changes) - names.imports - defined
    return tuple(reversed(chosen))


def calls_any(cell: Cell, functions: Iterable[str]) -> bool:
    """Whether running a cell comes to one of the functions."""
    return bool(trace_calls(cell.source, functions).statements)


def map_definitions(source: str) -> dict[str, ast.stmt]:
    """The functions and classes that a cell defines at its top level."""
    return {s.node.name: s.node for s in read(source).statements if isinstance(s.node, DEFINITIONS)}
