"""Cells that may have run in the notebook as it was given, and fail since it was healed: a fix above may have made them fail."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Failure, FailureKind, Insert, Install, Move, Notebook, Patch, Replace, SkipReason
from jupyter_selfheal.scoring.repeatable import is_repeatable, is_trained
from jupyter_selfheal.scoring.stored import compare
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.clean_cells import FATAL
from jupyter_selfheal.surfaces.notebook.records import BROKEN, Record, Status


def list_suspects(
    given: Notebook, records: Mapping[str, Record], patches: Iterable[Patch], seen: Mapping[str, CellRun]
) -> list[str]:
    """The cells below a fix that were first run behind it, failed there and in the clean run, and may run without any fix.

    Not those that follow from another cell, or by chance; nor those that read a name which nothing binds without the fixes, or what a loop had
    filled that failed half-way, or what a name held that a healed cell gives another value behind what failed there, by a line that no fix has
    to do with: they ran on what their author had left behind. Where something is stored of such a cell, it may be meant to; nor what ended in the time limit, as with the data that it has now a cell may need longer.
    """
    ids = [c.id for c in given.cells]
    touched = {i for patch in patches for i in _list_places(patch)}
    first = min((n for n, i in enumerate(ids) if i in touched), default=0)
    never_bound, older = _find_never_bound(given, records)
    return [
        i
        for i in ids[first:]
        if i in records
        and _may_be_lost(records[i])
        and i in seen
        and seen[i].failure
        and not any(f.kind in FATAL for f in seen[i].failure)
        and never_bound.isdisjoint(uses := src.find_names(records[i].cell.source).uses)
        and (older.isdisjoint(uses) or given.cell(i).outputs)
    ]


def ran_as_stored(given: Notebook, cell_id: str, seen: Mapping[str, CellRun]) -> bool:
    """Whether a cell ran in the notebook as it was given, and nothing stored for it says that it ran on what a failing cell had left: texts that are
    added up where there were dates, say. One that gave another value then did not do what its author saw, and no fix has taken that from it."""
    if cell_id not in seen or seen[cell_id].failure:
        return False
    cell = given.cell(cell_id)
    compared = compare(cell, seen[cell_id].result.outputs)
    return not (compared.differs and is_repeatable(cell, given) and not is_trained(cell, given))


def may_reach(patch: Patch, cell_id: str, given: Notebook) -> bool:
    """Whether a patch can change what a cell does in a run from the top: it touches one at or above it, or installs something."""
    ids = [c.id for c in given.cells]
    touched = [ids.index(i) for i in _list_places(patch) if i in ids]
    installs = any(isinstance(e, Install) for e in patch.edits)
    return installs or not touched or cell_id not in ids or min(touched) <= ids.index(cell_id)


def _list_places(patch: Patch) -> Iterator[str]:
    yield from patch.cells_touched
    yield from (e.before for e in patch.edits if isinstance(e, Insert | Move))


def _may_be_lost(record: Record) -> bool:
    is_by_chance = record.diagnosis.skip_reason is SkipReason.FLAKY
    return record.status in BROKEN - {Status.CASCADE, Status.NOT_REACHED, Status.REVERTED} and not is_by_chance


def _find_never_bound(given: Notebook, records: Mapping[str, Record]) -> tuple[frozenset[str], frozenset[str]]:
    """Names that, as the notebook was given, stand only behind what fails in cells that are healed, and those that a loop fills which fails there:
    what is done with an empty or a half list says nothing. And those that hold what they did above, as a line behind is not come to that
    gives them another value."""
    lost, bound, half_made, older = set[str](), set[str](), set[str](), set[str]()
    for cell in given.cells:
        if cell.kind != "code":
            continue
        record = records.get(cell.id)
        failed = record.own_failure if record is not None and record.status is Status.HEALED else ()
        reached, missing = _split_names(cell.source, failed[0] if failed else None)
        bound |= reached
        lost |= missing
        half_made -= reached
        half_made |= _find_half_made(cell.source, failed[0]) if failed else set()
        older -= reached
        if failed and record is not None and all(isinstance(e, Replace) and e.cell_id == cell.id for e in record.edits):
            older |= _find_set_behind(
                cell.source, failed[0], "".join(e.source for e in record.edits[-1:] if isinstance(e, Replace))
            )
    return frozenset((lost - bound) | half_made), frozenset(older)


def _find_set_behind(source: str, failure: Failure, healed: str) -> set[str]:
    """The names that a cell gives a value behind the statement that failed, by statements that the healed one has too, and that read nothing of
    what failed or was changed."""
    kept = {ast.dump(s.node) for s in src.list_statements(healed)}
    found, tainted = set[str](), set[str]()
    for statement in src.list_statements(source):
        names = src.collect_names([statement.node])
        is_own = statement.index > failure.statement >= 0 and ast.dump(statement.node) in kept
        if is_own and isinstance(statement.node, ast.Assign) and tainted.isdisjoint(names.uses):
            found |= names.binds
        elif statement.index >= failure.statement or ast.dump(statement.node) not in kept:
            tainted |= names.binds | names.changes
    return found - tainted


def _find_half_made(source: str, failure: Failure) -> frozenset[str]:
    """What a loop changes that was not gone through to its end."""
    failing = [s.node for s in src.list_statements(source) if s.index == failure.statement >= 0]
    return src.collect_names([n for n in failing if isinstance(n, ast.For | ast.While)]).changes


def _split_names(source: str, failure: Failure | None) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a cell may bind before it fails, and those that it surely does not come to."""
    if failure is None or failure.kind is FailureKind.MISSED:
        return src.find_names(source).binds, frozenset()
    if failure.kind is FailureKind.SYNTAX:
        return frozenset(), src.find_assigned_in_text(source)
    reached, missing = list[ast.stmt](), list[ast.stmt]()
    for statement in src.list_statements(source):
        is_missing = statement.index > failure.statement >= 0 or (
            statement.index == failure.statement and isinstance(statement.node, ast.Assign | ast.ImportFrom)
        )
        (missing if is_missing else reached).append(statement.node)
    return src.collect_names(reached).binds, src.collect_names(missing).binds
