"""Cells whose output lacks what was written into a copy, of which pandas warned: a root of its own, whatever a patch does beside it."""

from __future__ import annotations

import ast
from functools import partial

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch, Role, Trial
from jupyter_selfheal.scoring.hanging_names import follow_names
from jupyter_selfheal.scoring.written_parts import find_whole, list_written_parts

LOST_WRITE = "ChainedAssignmentError"
"""What pandas 3 warns of where a value is written into a copy: another value below comes of that."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_TOLD = (Role.SETUP, Role.CELL, Role.DOWNSTREAM)


def find_cells_with_lost_writes(case: Case, patch: Patch, trial: Trial) -> frozenset[str]:
    """The cells all of whose output hangs on a table that lacks such a write. One that the patch itself brings in is no excuse for it."""
    warned = {
        s.cell_id: any(LOST_WRITE in o.text for o in s.outputs if o.name == "stderr")
        for s in trial.steps
        if s.role in _TOLD and s.cell_id
    }
    lost, modules, found = set[str](), frozenset[str](), set[str]()
    for cell in case.notebook.cells:
        if cell.kind != "code":
            continue
        source = patch.source_of(cell.id, cell.source)
        warns = warned.get(cell.id, LOST_WRITE in cell.warned)
        if not (warns or lost):
            modules |= src.find_names(source).imports
            continue
        writes = _list_lost_writes(cell.source) if warns else frozenset()
        modules |= src.find_names(source).imports
        shown = follow_names(source, lost, partial(_is_one_of, writes), modules)
        if all(shown) if shown else not lost.isdisjoint(src.find_names(source).uses):
            found.add(cell.id)
    return frozenset(found)


def _is_one_of(writes: frozenset[str], text: str, _: ast.stmt) -> bool:
    return text in writes


def _list_lost_writes(source: str) -> frozenset[str]:
    """The statements of a cell that was warned which write into a part of something; where none does, those that call something that may."""
    nodes = [s.node for s in src.list_statements(source) if not isinstance(s.node, _DEFINITIONS)]
    writing = [n for n in nodes if any(map(_writes_into_part, ast.walk(n)))]
    calling = [n for n in nodes if any(isinstance(inner, ast.Call) for inner in ast.walk(n))]
    return frozenset(src.extract_text(source, n) for n in writing or calling)


def _writes_into_part(node: ast.AST) -> bool:
    return any(find_whole(part) is not None for part in list_written_parts(node))
