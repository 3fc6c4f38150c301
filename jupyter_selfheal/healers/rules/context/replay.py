"""Which cells above must run again, from the first on, where one of them is changed that made what the failing cell reads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.model import Edit, Replace, RunCells


def list_replayed_cells(context: RuleContext, also: Iterable[str] = ()) -> tuple[str, ...]:
    """Ids of the cells above the failing one that make what it reads, in order: a backward slice over whole cells.

    A table that one cell reads, another drops columns of and a third encodes is only made again by all three. Empty where one
    of them is marked expensive or is skipped: it is not run unasked. A cell that failed and was not healed is left out: it would fail
    again, and what it did not make is not there. A cell that bound anew what one of them binds is among them where cells below read
    that. ``also``: names that are needed though the failing cell does not read them.
    """
    above = [c for c in context.notebook.list_code_before(context.failure.cell_id) if c.source.strip() and not c.failed]
    names = src.find_names(context.failure.source)
    sources, wanted = [c.source for c in above], names.uses | names.changes | frozenset(also)
    needed = src.find_backward_slice(sources, wanted)
    while not (lost := _find_names_set_back(context, sources, set(needed))) <= wanted:
        wanted |= lost
        needed = src.find_backward_slice(sources, wanted)
    cells = [above[n] for n in needed]
    return () if any(c.expensive or c.skip for c in cells) else tuple(c.id for c in cells)


def _find_names_set_back(context: RuleContext, sources: Sequence[str], replayed: Collection[int]) -> frozenset[str]:
    """Names that cells below read, and that would be again what a replayed cell makes of them though another one bound them since."""
    read = frozenset[str]().union(
        *(src.find_names(c.source).uses for c in context.notebook.list_code_after(context.failure.cell_id))
    )
    made: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    for n, source in enumerate(sources):
        names = src.find_names(source)
        if n in replayed:
            made |= names.binds - names.imports
            lost -= names.binds
        else:
            lost |= names.binds & made & read
    return lost


def change_and_replay(
    context: RuleContext, splices: Mapping[str, Iterable[Splice]], also: Iterable[str] = ()
) -> tuple[Edit, ...]:
    """Edits of cells up to the failing one, after which those above run again that make what the failing cell reads.

    Empty where nothing would change.
    """
    edits: list[Edit] = [e for cell_id, changes in splices.items() for e in context.replace(cell_id, changes)]
    above = {e.cell_id for e in edits if isinstance(e, Replace)} - {context.failure.cell_id}
    replayed = list_replayed_cells(context, also)
    if not above:
        return tuple(edits)
    return (RunCells(replayed), *edits) if above <= set(replayed) else ()


def count_cells_below(context: RuleContext) -> int:
    """How many cells below the failing one read what it reads and the replayed cells made: one root may break all of them."""
    own = src.find_names(context.failure.source)
    replayed = [src.find_names(context.source_of(cell_id)) for cell_id in list_replayed_cells(context)]
    made = frozenset[str]().union(*(names.binds - names.imports for names in replayed))
    read = (own.uses | own.changes) & made
    tainted, count = set(read | (own.binds - own.imports if read else frozenset())), 0
    for cell in context.notebook.list_code_after(context.failure.cell_id):
        names = src.find_names(cell.source)
        if tainted & (names.uses | names.changes):
            count += 1
            tainted |= names.binds - names.imports
    return count


def list_statements_above(context: RuleContext) -> Iterator[tuple[str, str, ast.stmt]]:
    """(cell, its source, statement) of the cells that make what the failing cell reads, and of the failing cell itself."""
    for cell_id in (*list_replayed_cells(context), context.failure.cell_id):
        source = context.source_of(cell_id)
        for statement in src.list_statements(source):
            yield cell_id, source, statement.node


def mend_above(
    context: RuleContext, find: Callable[[str, ast.stmt], Iterator[tuple[Splice, str]]]
) -> tuple[tuple[Edit, ...], str]:
    """The edits of every place that ``find`` gives of those statements (what changes, and what is shown of it), after which the cells
    run again; and what is shown of the first one. Nothing where there is no such place."""
    splices: dict[str, list[Splice]] = {}
    shown = ""
    for cell_id, source, statement in list_statements_above(context):
        for splice, text in find(source, statement):
            splices.setdefault(cell_id, []).append(splice)
            shown = shown or text
    return change_and_replay(context, splices) if splices else (), shown
