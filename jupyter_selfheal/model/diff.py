"""What a patch changes, line by line, as data: each surface draws these lines in its own way."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from jupyter_selfheal.model.patch import Edit, Insert, Install, Move, Patch, Replace, RunCells


class LineKind(StrEnum):
    """What became of a line; ``HEADING`` names a cell or says what happens to it, ``GAP`` stands for lines left out."""

    HEADING = "heading"
    GAP = "gap"
    KEPT = "kept"
    ADDED = "added"
    REMOVED = "removed"


_SIGNS = {LineKind.KEPT: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff; ``text`` is without its sign."""

    kind: LineKind
    text: str

    def __str__(self) -> str:
        """The line as a unified diff has it."""
        if self.kind is LineKind.HEADING:
            return f"@@ {self.text} @@"
        return "@@" if self.kind is LineKind.GAP else _SIGNS[self.kind] + self.text


def diff_sources(old: str, new: str, context: int = 2) -> tuple[DiffLine, ...]:
    """The changed lines with ``context`` unchanged ones around them; a gap stands between two parts that are far apart."""
    kinds = {sign: kind for kind, sign in _SIGNS.items()}
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=context))[3:]
    return tuple(DiffLine(LineKind.GAP, "") if s.startswith("@@") else DiffLine(kinds[s[0]], s[1:]) for s in lines)


def diff_patch(patch: Patch, name_cell: Callable[[str], str], context: int = 2) -> tuple[DiffLine, ...]:
    """What every edit of the patch changes, in order; ``name_cell`` says how people call the cell of an id."""
    return tuple(line for edit in patch.edits for line in _diff_edit(edit, name_cell, context))


def _diff_edit(edit: Edit, name_cell: Callable[[str], str], context: int) -> Iterator[DiffLine]:
    if isinstance(edit, Replace):
        yield DiffLine(LineKind.HEADING, name_cell(edit.cell_id))
        yield from diff_sources(edit.old, edit.source, context)
    elif isinstance(edit, Insert):
        yield DiffLine(LineKind.HEADING, f"new cell above {name_cell(edit.before)}")
        yield from diff_sources("", edit.source)
    elif isinstance(edit, Move):
        yield DiffLine(LineKind.HEADING, f"move {name_cell(edit.cell_id)} above {name_cell(edit.before)}")
    elif isinstance(edit, RunCells):
        yield DiffLine(LineKind.HEADING, f"run first: {', '.join(name_cell(c) for c in edit.cell_ids)}")
    elif isinstance(edit, Install):
        yield DiffLine(LineKind.ADDED, edit.line)


def format_diff(lines: Iterable[DiffLine]) -> str:
    """The lines as the text of a unified diff."""
    return "\n".join(map(str, lines))
