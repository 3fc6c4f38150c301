"""What a rule sees: the failure, its location, the live state, and what the notebook's cells bind."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.live_view import LiveView
from jupyter_selfheal.healers.rules.context.nodes import (
    Function,
    find_assignment,
    find_function,
    list_arguments,
    list_outer_functions,
)
from jupyter_selfheal.model import Cell
from jupyter_selfheal.source.source import lazy_property

COMMON_BUILTINS = tuple(n for n in dir(builtins) if n.islower() and not n.startswith("_") and len(n) > 2)
EXCEPTIONS = tuple(n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))


class Assignment(NamedTuple):
    """A plain assignment to a name, and the cell that holds it."""

    cell_id: str
    source: str
    node: ast.Assign


@dataclass(frozen=True)
class RuleContext(LiveView):
    """The failure, where it came up (:class:`FailureView`), the live objects (:class:`LiveView`), and the notebook's names."""

    # --- what the message is about

    @property
    def missing_name(self) -> str | None:
        """The name of a NameError, from its message."""
        parts = self.failure.evalue.split("'")
        return parts[1] if len(parts) > 2 and parts[1].isidentifier() else None

    @property
    def is_about_none(self) -> bool:
        """True for failures whose message names ``NoneType``."""
        return "NoneType" in self.failure.evalue and self.failure.ename in ("AttributeError", "TypeError")

    def list_names_of_none(self) -> tuple[str, ...]:
        """Global names that are None and that the failing line reads, in order of appearance."""
        statement = self.failing_statement
        if self.cell_id != self.failure.cell_id or statement is None:
            names = [n.id for n in self.list_nodes_on_line(ast.Name)]
        else:
            names = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        return tuple(n for n in dict.fromkeys(names) if self.state.names.get(n, ("",))[0] == "NoneType")

    # --- which names are there

    @lazy_property
    def known_names(self) -> dict[str, bool]:
        """Names that can be read where it failed → whether they can be called.

        Live globals and locals, common builtins, Python's exceptions, and what the failing function's own text binds.
        """
        known = dict.fromkeys((*COMMON_BUILTINS, *EXCEPTIONS), True)
        for names in (self.state.names, self.state.locals):
            known |= {name: is_callable for name, (_, is_callable) in names.items()}
        function = find_function(self.source, self.line)
        if function is not None:
            known |= {a.arg: known.get(a.arg, False) for a in list_arguments(function)}
            # what an enclosing function binds is no local variable as long as the inner one does not name it
            for outer in list_outer_functions(self.source, function):
                known |= {name: known.get(name, True) for name in _list_bound(outer)}
        return known

    def is_own_function(self, name: str) -> bool:
        """True for a name that can be called, and that Python itself does not have."""
        return name not in COMMON_BUILTINS and self.known_names.get(name, False)

    def list_binding_cells(self, name: str, cells: Iterable[Cell]) -> list[Cell]:
        """The code cells that bind a name at their top level, in order; the failing cell is left out."""
        others = (c for c in cells if c.kind == "code" and c.id != self.failure.cell_id)
        return [c for c in others if name in src.find_names(c.source).binds]

    def is_bound_anywhere(self, name: str) -> bool:
        """True where any cell of the notebook binds the name: its absence is then a matter of state, not of spelling."""
        code = (c for c in self.notebook.cells if c.kind == "code")
        return any(name in src.find_names(self.source_of(c.id)).binds for c in code)

    def find_last_assignment(self, name: str) -> Assignment | None:
        """The assignment that gave a global its value: in the failing cell above the failing line, else in the nearest cell
        above that binds it."""
        cell_id, source = self.failure.cell_id, self.failure.source
        node = find_assignment(source, name, self.failure.line or 10**9)
        if node is None:
            above = self.list_binding_cells(name, reversed(self.notebook.list_code_before(cell_id)))
            if not above:
                return None
            cell_id, source = above[0].id, above[0].source
            node = find_assignment(source, name)
        return Assignment(cell_id, source, node) if node is not None else None

    def is_read_below(self, name: str) -> bool:
        """Whether a cell below the failing one reads a name."""
        below = self.notebook.list_code_after(self.cell_id)
        return any(name in src.find_names(c.source).uses for c in below if c.id != self.cell_id)

    def list_cells_to_rerun(self, cell_id: str) -> tuple[str, ...]:
        """Ids of the cells that must run again, in order, so that a cell above the failing one finds the state it had."""
        above = self.notebook.list_code_before(cell_id)
        wanted = src.find_names(self.source_of(cell_id)).uses
        return tuple(above[n].id for n in src.find_backward_slice([c.source for c in above], wanted))

    def list_needed_upwards(self) -> tuple[str, ...]:
        """Ids of the failing cell and of those above that make what it reads, nearest first."""
        needed = {self.failure.cell_id, *self.list_cells_to_rerun(self.failure.cell_id)}
        return tuple(c for c in self.list_cells_upwards() if c in needed)


def _list_bound(function: Function) -> set[str]:
    return {*src.collect_names(function.body).binds, *(a.arg for a in list_arguments(function))}
