"""An agent's edits and expectations, read: refused in one sentence wherever they are not about what stands in the notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.loop.consent import find_added_capabilities, find_capabilities
from jupyter_selfheal.model import Case, Cell, Oracle, Patch, Replace, diff_sources, format_diff
from jupyter_selfheal.registry import AGENT
from jupyter_selfheal.surfaces.mcp.asked_notebook import AskedNotebook
from jupyter_selfheal.surfaces.notebook import heal_lines

MOST_EDITS, MOST_SOURCE, MOST_CHECKS, MOST_CHECK = 20, 100_000, 20, 4_000
"""Edits of one patch, characters of a source; checks, and characters of an expression or a check."""


@dataclass(frozen=True, slots=True)
class GivenEdit:
    """One edit as an agent gives it: what it takes for the cell's source, and what it wants there."""

    cell_id: str
    old_source: str
    new_source: str


def build_patch(notebook: AskedNotebook, given: Sequence[GivenEdit]) -> Patch:
    """The edits as a patch. Raises :class:`UsageError` where ``old_source`` is not what stands in the cell."""
    if not given:
        raise UsageError("edits is empty: give at least one {cell_id, old_source, new_source}")
    if len(given) > MOST_EDITS:
        raise UsageError(f"{len(given)} edits are too many for one patch (at most {MOST_EDITS}): try fewer at once")
    if len({e.cell_id for e in given}) < len(given):
        raise UsageError("two edits are of the same cell: put both changes into one new_source")
    edits = tuple(edit for e in given if (edit := _read_edit(notebook, e)) is not None)
    if not edits:
        raise UsageError("the edits change nothing: new_source is what stands there already")
    return Patch(edits, title="The agent's edit", healer=AGENT)


def _read_edit(notebook: AskedNotebook, given: GivenEdit) -> Replace | None:
    cell = notebook.find_cell(given.cell_id)
    if len(given.new_source) > MOST_SOURCE:
        raise UsageError(f"new_source of cell {cell.id} has more than {MOST_SOURCE:,} characters: make a smaller edit")
    line = notebook.document.lines.get(cell.id)
    stands = notebook.get_source(cell)
    if given.old_source != stands:
        raise UsageError(_explain_mismatch(cell.id, given.old_source, stands))
    new = given.new_source
    if line is not None:
        new, kept, _ = heal_lines.take_line(new, ())
        if kept is None or kept.text != line.text:
            raise UsageError(f"cell {cell.id} begins with {line.text!r}: keep that line, it says what the cell must do")
    return Replace(cell.id, cell.source, new) if new != cell.source else None


def _explain_mismatch(cell_id: str, given: str, stands: str) -> str:
    shown = format_diff(diff_sources(given, stands, context=0)).replace("\n", " | ")[:400]
    what = f"yours against it: {shown}" if shown else "they differ in blanks or in the end of a line"
    return f"old_source is not what stands in cell {cell_id} now ({what}). Call diagnose for its present source, and edit that"


def read_said(expect: str, checks: Sequence[str], stdout: str = "") -> Oracle:
    """What the agent says that the cell must do. Raises :class:`UsageError` for what is no Python, or does more than look."""
    if len(checks) > MOST_CHECKS or any(len(text) > MOST_CHECK for text in (expect, stdout, *checks)):
        raise UsageError(f"too much to check: at most {MOST_CHECKS} checks of {MOST_CHECK:,} characters each")
    if expect and not src.can_compile(f"({expect}\n)"):
        raise UsageError(
            f"expect is no Python expression: {expect[:100]!r}; give the value of the cell's last line, for example '42'"
        )
    if stdout.startswith("/") and stdout.endswith("/") and not _is_pattern(stdout[1:-1]):
        raise UsageError(
            f"stdout is no regular expression: {stdout[:100]!r}; give the text itself, or one that compiles"
        )
    for check in checks:
        if not check.strip() or not src.can_compile(check):
            raise UsageError(f"a check is no Python statement: {check[:100]!r}; give one like 'assert total == 42'")
    for text in (expect, *checks):
        if does := find_capabilities(text):
            raise UsageError(
                f"a check may only look at values, and {text[:60]!r} needs {', '.join(sorted(does))}: leave that out"
            )
    return Oracle(expect.strip(), stdout, tuple(checks))


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def check_capabilities(case: Case, patch: Patch) -> None:
    """Raises :class:`UsageError` where the patch could do what its cells could not: it is not run before a person allows it."""
    if added := find_added_capabilities(case, patch):
        raise UsageError(
            f"not run: the edit adds {', '.join(added)}, which these cells could not do before, and nobody has allowed that; "
            "leave it out, or ask the user to make this edit"
        )


def choose_cell(notebook: AskedNotebook, patch: Patch, cell_id: str) -> Cell:
    """The cell that a patch is to heal: the one that is named, else an edited one that fails, else the first that fails below."""
    if cell_id:
        return notebook.find_cell(cell_id)
    touched = [notebook.find_cell(i) for i in patch.cells_touched]
    failing = notebook.list_failing()
    own = next((i for i in failing if i in patch.cells_touched), "")
    order = [c.id for c in notebook.document.notebook.cells]
    top = min(order.index(c.id) for c in touched)
    below = next((i for i in failing if order.index(i) >= top), "")
    return notebook.find_cell(own or below or touched[-1].id)
