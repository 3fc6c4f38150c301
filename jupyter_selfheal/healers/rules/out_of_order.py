"""STA102: the cell that defines a name stands below the one that needs it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Cell, Move, Patch

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
VALUES = (*DEFINITIONS, ast.Assign, ast.AnnAssign, ast.Pass)


class OutOfOrder(Rule):
    """Move the defining cell above the one that uses it.

    **Failure** `NameError`, where the name is bound by no cell above, but by one below.

    **Fix** Move the nearest such cell, with the cells below that it needs in turn, directly above the failing cell.

    **Fix safety** Safe where the moved cells hold definitions, imports and assignments only. Unsafe where they also do
    things: the order of effects changes. Silent where a moved cell needs what the failing cell makes, binds the name as a loop
    variable only, or changes a name that the cells it passes read.
    """

    code = "STA102"
    name = "definition below its use"
    stage = Stage.STATE
    enames = frozenset({"NameError"})
    applicability = Applicability.UNSAFE
    why = "The notebook's own definition is used; the moved cells also run code, so the order of effects changes."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        notebook, failing = context.notebook, context.failure.cell_id
        bound_here = name in src.find_names(context.failure.source).binds
        if (
            not name
            or bound_here
            or any(name in src.find_names(c.source).binds for c in notebook.list_code_before(failing))
        ):
            return
        moved = _list_needed_below(context, name, set(context.state.names))
        if not moved:
            return
        pure = all(isinstance(s.node, VALUES) for c in moved for s in src.list_statements(c.source))
        pure = pure and sum(name in src.find_names(c.source).binds for c in notebook.list_code_after(failing)) == 1
        cells = ", ".join(notebook.name_cell(c.id) for c in moved)
        yield self.patch(
            (Move(c.id, failing) for c in moved),
            f"Move {cells} above this one",
            f"`{name}` isn't defined yet: a cell below defines it.",
            applicability=Applicability.SAFE if pure else Applicability.UNSAFE,
            why="No other cell binds the name, and no cell that the definition passes reads or makes what it changes or needs."
            if pure
            else self.why,
            prior=0.92 if pure else 0.8,
        )


def _list_needed_below(context: RuleContext, name: str, live: set[str]) -> tuple[Cell, ...]:
    """The cells below that must move up for the name to be bound, in order; empty where moving would not do."""
    below = [c for c in context.notebook.list_code_after(context.failure.cell_id) if not c.skip]
    makes = src.find_names(context.failure.source).binds
    wanted, chosen = [name], []
    while wanted:
        want = wanted.pop()
        binder = next((c for c in below if want in src.find_names(c.source).binds), None)
        if binder is None or not _binds_for_good(binder.source, want):
            return ()
        if binder in chosen:
            continue
        bound_names = src.find_names(binder.source)
        if bound_names.uses & makes:
            return ()
        chosen.append(binder)
        wanted += [u for u in bound_names.uses if u not in live]
    passed = [c for c in below[: max(below.index(c) for c in chosen)] if c not in chosen]
    changed = frozenset().union(*(src.find_names(c.source).binds | src.find_names(c.source).changes for c in chosen))
    kept = changed - {name}
    if any((src.find_names(c.source).uses | src.find_names(c.source).changes) & kept & live for c in [*passed]):
        return ()
    if (src.find_names(context.failure.source).uses & live) & kept:
        return ()
    if any(
        src.find_names(c.source).binds & frozenset().union(*(src.find_names(m.source).uses for m in chosen))
        for c in passed
    ):
        return ()
    return tuple(c for c in below if c in chosen)


def _binds_for_good(source: str, name: str) -> bool:
    """True where a statement of the cell's top level binds the name, not only a loop or a ``with``."""
    for statement in src.list_statements(source):
        node = statement.node
        if isinstance(node, ast.For | ast.While | ast.With | ast.If):
            continue
        if name in src.collect_names([node]).binds:
            return True
    return False
