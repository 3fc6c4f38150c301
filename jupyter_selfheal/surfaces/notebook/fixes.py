"""The fixes that a run applied to its notebook, and what a clean run with some of them showed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jupyter_selfheal.errors import PatchError
from jupyter_selfheal.model import Candidate, Insert, Move, Notebook, Patch
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.clean_cells import describe_failure
from jupyter_selfheal.surfaces.notebook.records import Record


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix that was applied: to heal which cell, the patch as it stands in the file, and the evidence for it."""

    cell_id: str
    patch: Patch
    candidate: Candidate
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CleanRun:
    """What came of a clean run with some of the fixes: those that fit, those that did not, and what the cells did."""

    notebook: Notebook
    fixes: tuple[Fix, ...]
    dropped: tuple[Fix, ...]
    seen: dict[str, CellRun]
    is_cut: bool = False
    """The notebook's time ended it: the cell that was running then has shown nothing, and is not in ``seen``."""


@dataclass(frozen=True, slots=True)
class FinalResult:
    """The notebook after whatever did not survive was taken back."""

    notebook: Notebook
    records: dict[str, Record]
    fixes: tuple[Fix, ...]
    seen: dict[str, CellRun]
    survived: bool
    notes: tuple[str, ...] = ()
    was_run: bool = True
    """False where the clean run that would show it could not be made."""
    ran_beside: bool = False


def rebuild_notebook(original: Notebook, fixes: Iterable[Fix]) -> tuple[Notebook, list[Fix], list[Fix]]:
    """The original with these fixes; those that no longer fit, because they stood on one that is gone, are dropped."""
    notebook, kept, dropped = original, [], []
    for fix in fixes:
        try:
            notebook = notebook.apply(fix.patch)
            kept.append(fix)
        except PatchError:
            dropped.append(fix)
    return notebook, kept, dropped


def explain_own_failure(fix: Fix, seen: Mapping[str, CellRun]) -> str | None:
    """Why a fix does not stand: its cell, or one that it adds or moves, fails. None where it does."""
    if (failed := describe_failure(seen, fix.cell_id)) is not None:
        return f"in a clean kernel the cell fails again ({failed})"
    for cell_id in (e.cell_id for e in fix.patch.edits if isinstance(e, Insert | Move)):
        if (failed := describe_failure(seen, cell_id)) is not None:
            return f"in a clean kernel a cell that it adds or moves fails ({failed})"
    return None


def list_paths(fixes: Iterable[Fix]) -> tuple[str, ...]:
    """Where the packages lie that fixes install, each folder once."""
    return tuple(dict.fromkeys(p for f in fixes for p in f.paths))
