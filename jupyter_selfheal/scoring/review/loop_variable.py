"""REV103: a loop's variable has the name of a value that a cell below still needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedNotebook
from jupyter_selfheal.scoring.review.context.code import list_read_names, walk_top_level


class LoopVariable(Check):
    """A loop's variable overwrites a value that a cell below reads: it gets the loop's last item.

    **Doubt** A cell assigns a name, cells use it, a `for` loop at the top level of another cell takes the name for its variable,
    and a cell below reads the name without setting it first.

    **Silent** On comprehensions and on loops in functions, which have variables of their own; where the name was a loop's variable
    all along, was never used before the loop, or is used below the loop in the cell of the loop itself; where it is set again.

    **What to do** Give the loop's variable another name.
    """

    code = "REV103"
    name = "loop variable that overwrites a value"

    def review_notebook(self, notebook: ReviewedNotebook) -> Iterator[Doubt]:
        cells = [(c, t.body) for c in notebook.cells if not src.is_foreign(c.source) and (t := src.parse(c.source))]
        assigned: dict[str, int] = {}
        used: set[str] = set()
        for at, (cell, body) in enumerate(cells):
            names = src.find_names(cell.source)
            for loop in _list_loops(body):
                for name in _list_target_names(loop) & assigned.keys() & used:
                    reader = _find_reader(name, cells[at + 1 :])
                    if reader is not None and not _is_set_or_read_after(name, loop, body):
                        yield self._build_doubt(cell, loop, name)
            for name in names.binds:
                assigned.pop(name, None)
            used -= names.binds
            assigned |= dict.fromkeys(_list_assigned(body), at)
            used |= list_read_names(body) & assigned.keys()

    def _build_doubt(self, cell: Cell, loop: ast.For, name: str) -> Doubt:
        what = f"The loop overwrites `{name}`, which was set above and is read below: there it is the loop's last item."
        return Doubt(cell.id, self.code, what, "Give the loop's variable another name.", loop.lineno)


def _list_loops(body: Sequence[ast.stmt]) -> list[ast.For]:
    return [s for s in walk_top_level(body) if isinstance(s, ast.For)]


def _list_target_names(loop: ast.For) -> set[str]:
    return {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name) and n.id != "_"}


def _list_assigned(body: Sequence[ast.stmt]) -> set[str]:
    """Names that the cell's plain assignments set to something other than a start value, and that none of its loops takes."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Assign) and not _is_start_value(statement.value):
            names |= {n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name) and _is_set(n)}
    return names - {name for loop in _list_loops(body) for name in _list_target_names(loop)}


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_start_value(value: ast.expr) -> bool:
    """``None``, ``0``, ``""``, ``[]``: what a name is given before a loop fills it."""
    if isinstance(value, ast.Constant):
        return not value.value
    return isinstance(value, ast.List | ast.Dict | ast.Tuple) and not ast.unparse(value).strip("[]{}()")


def _is_set_or_read_after(name: str, loop: ast.For, body: Sequence[ast.stmt]) -> bool:
    """Whether the loop's own cell sets the name again below the loop, or reads it there, as who wants its last item does."""
    end = loop.end_lineno or loop.lineno
    return any(
        isinstance(n, ast.Name) and n.id == name and n.lineno > end for statement in body for n in ast.walk(statement)
    )


def _find_reader(name: str, below: Sequence[tuple[Cell, Sequence[ast.stmt]]]) -> Cell | None:
    """The first cell below that reads the name at its top level before it, or a cell above it, has set it."""
    for cell, body in below:
        names = src.find_names(cell.source)
        if name in names.uses and name in list_read_names(s for s in body if not _is_definition(s)):
            return cell
        if name in names.binds or name in names.deletes:
            return None
    return None


def _is_definition(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
