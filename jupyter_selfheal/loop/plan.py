"""What a trial of a patch runs, and in which order. Pure: a case and a patch in, steps out.

A patch is data over the notebook; a trial starts from one state. So every edit above the failing cell becomes a *setup*
step, then the failing cell runs as the patch leaves it, then the oracle's steps. As little as possible is run again:

- of an edited earlier cell only the statements that changed and those of the cell that read what they bind, then the
  cells in between that read it too;
- of a changed function the definition, then the cells in between that call it, where they can be run again (:mod:`.reruns`);
- from the state after the failure only the statements from the failing one on, as long as those before it are the same.

Statements that are left out are blanked, so that line numbers in tracebacks are those of the cell.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from jupyter_selfheal import source as src
from jupyter_selfheal.loop.reruns import Rerun, build_rerun
from jupyter_selfheal.model import (
    Case,
    Cell,
    FailureKind,
    Insert,
    Install,
    Move,
    Patch,
    Replace,
    Role,
    Run,
    RunCells,
    Start,
    Step,
)
from jupyter_selfheal.source.callers import trace_calls

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def build_trial_steps(
    case: Case, patch: Patch, start: Start, oracle_steps: Iterable[Step] = (), asked_before: Iterable[Step] = ()
) -> tuple[Step, ...]:
    """The steps of a trial of ``patch`` from ``start``: setup, what is asked before the cell, the cell, the oracle."""
    failing = case.failure.cell_id
    patched = patch.source_of(failing, case.failure.source)
    code = find_remainder(case, patched) if start is Start.AFTER_FAILURE else patched
    cell = Run(code, failing, Role.CELL, with_asides=case.failure.is_aside)
    return (*_list_setup_steps(case, patch), *asked_before, cell, *oracle_steps)


def list_requirements(patch: Patch) -> tuple[str, ...]:
    """What has to be installed into a scratch directory before the trial."""
    return tuple(e.requirement for e in patch.edits if isinstance(e, Install))


def find_failing_statement(case: Case) -> int:
    """Index of the top-level statement that failed, 0 where it is unknown or nothing ran."""
    failure = case.failure
    if failure.kind in (FailureKind.SYNTAX, FailureKind.MISSED):
        return 0
    return max(failure.statement if failure.statement >= 0 else src.find_statement(failure.source, failure.line), 0)


def find_remainder(case: Case, patched: str) -> str:
    """What is left to run of the patched cell in the state after the failure.

    The whole cell (also where it ended well, and what failed is beside it), unless every statement before the failing one is still there, in order, with nothing but imports
    added among them.
    """
    left = (
        None
        if src.is_foreign(patched) or case.failure.is_aside
        else src.find_remaining_source(case.failure.source, find_failing_statement(case), patched)
    )
    return patched if left is None else left


@dataclass(frozen=True, slots=True)
class Changed:
    """What an edit of an earlier cell changes: the part of the cell to run, and what other cells must not go on using.

    ``stale`` are values, each of which must be made again by whoever derives from it. ``functions`` do otherwise now: whoever
    calls one finds the new one, but what it gave before is there still; ``remade`` is what the cell itself made with them.
    """

    code: str
    stale: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    remade: frozenset[str] = frozenset()


def find_changed(old: str, new: str, can_repeat: Callable[[str], bool] = lambda code: False) -> Changed:
    """What of an edited cell has to run again.

    The instances of a changed class are of the old one, and must be made again. ``can_repeat`` says whether code that did not
    change may run once more: what a changed function gave is only then made anew.
    """
    there = src.list_statements(new)
    if not there or src.is_foreign(new) or not src.list_statements(old):
        return Changed(new, src.find_names(new).binds | src.find_names(new).changes)
    again = _find_statements_to_redo(old, new)
    before = list(src.list_statement_keys(old))
    keep: list[int] = []
    stale: set[str] = set()
    functions: set[str] = set()
    for statement, key in zip(there, src.list_statement_keys(new), strict=True):
        names = src.collect_names([statement.node])
        if key in before:
            before.remove(key)
            if not stale & (names.uses | names.changes) and statement.index not in again:
                continue
        keep.append(statement.index)
        if isinstance(statement.node, _FUNCTIONS):
            functions.add(statement.node.name)
        elif not isinstance(statement.node, _IMPORTS):
            stale |= names.binds | names.changes
    used = trace_calls(new, functions)
    callers = [n for n in used.statements if n not in keep]
    if callers and can_repeat(src.keep_statements(new, callers)):
        keep = sorted({*keep, *callers})
    else:
        used = replace(used, remade=frozenset())
    code = src.keep_statements(new, keep) if keep else ""
    return Changed(code, frozenset(stale), frozenset(functions) | used.functions, used.remade)


def _find_statements_to_redo(old: str, new: str) -> frozenset[int]:
    """Unchanged statements of an edited cell that make what a statement that is gone has bound, changed or deleted since.

    ``x = [2, 1]`` of ``x = x.sort()``: the statement that takes the place of the second reads what the first one made.
    """
    known, keys = list(src.list_statement_keys(new)), list(src.list_statement_keys(old))
    gone = [s.node for s, key in zip(src.list_statements(old), keys, strict=True) if key not in known]
    spoilt = frozenset[str]().union(*(n.binds | n.changes | n.deletes for n in (src.collect_names([g]) for g in gone)))
    needed = set(spoilt)
    again: list[int] = []
    for statement, key in reversed(list(zip(src.list_statements(new), known, strict=True))):
        names = src.collect_names([statement.node])
        if key in keys and not needed & (names.binds | names.changes):
            continue
        if key in keys:
            again.append(statement.index)
        needed = (needed - (names.binds - names.changes)) | ((names.uses | names.changes) & spoilt)
    return frozenset(again)


def _list_setup_steps(case: Case, patch: Patch) -> Iterator[Run]:
    failing = case.failure.cell_id
    renewed: set[str] = set()
    ran: set[str] = set()
    for edit in patch.edits:
        if isinstance(edit, Replace) and edit.cell_id in ran:
            continue  # run first, as the patch leaves it, in its place among the cells that the patch names
        if isinstance(edit, Replace) and edit.cell_id != failing and _is_above(case, edit.cell_id):
            yield from _list_rerun_steps(case, patch, edit, renewed)
        elif isinstance(edit, Insert) and edit.cell_id != failing and _is_above(case, edit.before, failing):
            if not (list_requirements(patch) and _is_installation(edit.source)):
                yield Run(edit.source, edit.cell_id, Role.SETUP)
        elif isinstance(edit, Move):
            yield from _list_move_steps(case, patch, edit)
        elif isinstance(edit, RunCells):
            for cell_id in edit.cell_ids:
                source = _find_source(case, patch, cell_id)
                renewed |= src.find_names(source).binds
                ran.add(cell_id)
                yield Run(source, cell_id, Role.SETUP)


def _list_rerun_steps(case: Case, patch: Patch, edit: Replace, renewed: set[str]) -> Iterator[Run]:
    """The changed part of an earlier cell, then what the cells in between derive from it.

    All of the cell where it reads what an edit before this one has ``renewed``. What follows from a changed value must be made
    again; what a changed function gave, only where that can be done over (:func:`~jupyter_selfheal.source.rerun.can_run_again`).
    """
    again = Rerun.from_case(case, patch)
    changed = find_changed(edit.old, edit.source, again.can_repeat)
    code, stale = changed.code, changed.stale
    own = src.find_names(edit.source)
    if renewed & own.uses:
        code, stale = edit.source, own.binds | own.changes
    if code:
        yield Run(code, edit.cell_id, Role.SETUP)
    functions, remade = changed.functions, changed.remade
    for cell in _list_cells_between(case, edit.cell_id, case.failure.cell_id) if stale or functions else ():
        names = src.find_names(cell.source)
        if cell.id in patch.cells_touched or cell.expensive:
            continue
        if stale & (names.uses | names.changes):
            stale |= names.binds | names.changes
            yield build_rerun(cell)
            continue
        used = trace_calls(cell.source, functions, remade)
        functions |= used.functions
        if used.statements and again.may_run(cell):
            remade |= used.remade
            yield Run(cell.source, cell.id, Role.SETUP)
    renewed |= stale | remade


def _list_move_steps(case: Case, patch: Patch, edit: Move) -> Iterator[Run]:
    failing = case.failure.cell_id
    if edit.cell_id == failing:
        for cell in _list_cells_between(case, failing, edit.before):
            yield Run(_find_source(case, patch, cell.id), cell.id, Role.SETUP)
    elif _is_above(case, edit.before, failing):
        yield Run(_find_source(case, patch, edit.cell_id), edit.cell_id, Role.SETUP)


def _list_cells_between(case: Case, above: str, below: str) -> tuple[Cell, ...]:
    first, last = case.notebook.index(above), case.notebook.index(below)
    return tuple(c for c in case.notebook.cells[first + 1 : last] if c.kind == "code") if 0 <= first < last else ()


def _is_above(case: Case, cell_id: str, also: str = "") -> bool:
    """Whether the cell runs before the failing one (a cell that the notebook does not hold is taken to)."""
    at, failing = case.notebook.index(cell_id), case.notebook.index(case.failure.cell_id)
    return cell_id == also or at < 0 or failing < 0 or at < failing


def _find_source(case: Case, patch: Patch, cell_id: str) -> str:
    at = case.notebook.index(cell_id)
    return patch.source_of(cell_id, case.notebook.cells[at].source if at >= 0 else "")


def _is_installation(source: str) -> bool:
    """True for a cell of ``%pip install`` lines: a trial has the requirement from its scratch directory instead."""
    return all(re.match(r"\s*([%!]\s*(pip|uv|conda|mamba)\b|#|$)", line) for line in source.splitlines())
