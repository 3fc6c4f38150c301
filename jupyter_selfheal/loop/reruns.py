"""The cells between a changed function and the failing cell: which of them call it, and which of those may be run again.

What such a cell made was made by the old function. Left as it is, a right patch is told that the same failure comes up again.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Cell, Patch, RunCells
from jupyter_selfheal.source.rerun import DEFINITIONS, can_run_again, list_iterators, map_modules


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
    statements = src.list_statements(source)
    for statement in statements:
        names = src.collect_names([statement.node])
        if not (calling | made) & (names.uses | names.changes):
            made -= names.binds
        elif isinstance(statement.node, DEFINITIONS):
            calling |= names.binds
            own |= names.binds
        else:
            picked[statement.index] = None
            made |= (names.binds | names.changes) - names.imports
    spoilt = {n for s in statements if s.index in picked for n in src.collect_names([s.node]).changes}
    for statement in reversed(statements):  # what a picked statement changes in place is made anew before it
        if statement.index not in picked and spoilt & src.collect_names([statement.node]).binds:
            picked[statement.index] = None
    return Calls(tuple(sorted(picked)), frozenset(own), frozenset(made - set(functions) - own))


@dataclass(frozen=True, slots=True)
class Rerun:
    """What may be run again for a patch, by the text of the cells above the failing one."""

    named: frozenset[str]
    """Cells that the patch itself runs again."""
    modules: Mapping[str, str]
    iterators: frozenset[str]
    ran: frozenset[str]

    @classmethod
    def from_case(cls, case: Case, patch: Patch) -> Rerun:
        above = case.notebook.code_before(case.failure.cell_id)
        named = frozenset(i for e in patch.edits if isinstance(e, RunCells) for i in e.cell_ids)
        return cls(named, map_modules(above), list_iterators(above), list_run_cells(above))

    def may_run(self, cell: Cell) -> bool:
        """Whether a cell in between may be run once more, and the patch does not do so itself."""
        return cell.id not in self.named and cell.id in self.ran and self._can_run(cell)

    def can_repeat(self, code: str) -> bool:
        """Whether a part of an edited cell may be run once more."""
        return self._can_run(Cell("", code))

    def _can_run(self, cell: Cell) -> bool:
        return can_run_again(cell, self.modules, self.iterators)


def list_run_cells(cells: Iterable[Cell]) -> frozenset[str]:
    """Ids of the cells that ran in this kernel; all of them where nobody counted."""
    known = tuple(cells)
    counted = any(c.runs for c in known)
    return frozenset(c.id for c in known if not c.unfinished and (c.runs or not counted))
