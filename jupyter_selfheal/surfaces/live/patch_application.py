"""Putting an approved patch where it belongs, without the JupyterLab extension: through the next input.

``set_next_input(replace=True)`` turns the cell that is running into the given text, on an ok reply only
(https://jupyter-client.readthedocs.io/en/stable/messaging.html#payloads-deprecated); it must never be called outside of a
running cell, or the next executed cell would be overwritten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.model import Candidate, Insert, Install, Notebook, Replace, RunCells


@dataclass(frozen=True, slots=True)
class ApplicationPlan:
    """What approving a candidate does here: ``first`` is run before, ``source`` becomes the cell, ``others`` must be copied
    by hand (what to do, source)."""

    first: tuple[str, ...]
    source: str
    others: tuple[tuple[str, str], ...] = ()


def build_plan(candidate: Candidate, cell_id: str, source: str, notebook: Notebook) -> ApplicationPlan:
    """``source`` is the failing cell's."""
    sources = {c.id: c.source for c in notebook.cells}
    first: list[str] = []
    others: list[tuple[str, str]] = []
    for edit in candidate.patch.edits:
        if isinstance(edit, RunCells):
            first += [sources[c] for c in edit.cell_ids if c in sources]
        elif isinstance(edit, Install):
            first.append(edit.line)
        elif isinstance(edit, Insert):
            first.append(edit.source)
            others.append(("it also adds a new cell above this one; put this there:", edit.source))
        elif isinstance(edit, Replace) and edit.cell_id != cell_id:
            first.append(edit.source)
            others.append((f"it also changes {notebook.name_cell(edit.cell_id)}; copy this there:", edit.source))
        elif not isinstance(edit, Replace) and edit.cell_id in sources:
            first.append(sources[edit.cell_id])
            others.append((f"{notebook.name_cell(edit.cell_id)} belongs above this one; move it there.", ""))
    first += [sources[c] for c in candidate.cells_run_again if c in sources and c != cell_id]
    return ApplicationPlan(tuple(first), candidate.patch.source_of(cell_id, source), tuple(others))


def replace_running_cell(shell: Any, source: str) -> None:
    """Turn the running cell into ``source``; in a terminal, offer it as the next input."""
    shell.set_next_input(source, replace=True)


def can_fill_prompt(shell: Any) -> bool:
    """Whether the next prompt of a terminal can be given a text; that of ``--simple-prompt`` cannot."""
    return not getattr(shell, "simple_prompt", False)
