"""The edits of a patch: as the front end carries them out, and as a diff."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from jupyter_selfheal.magic_options import body_of, restored
from jupyter_selfheal.model import JSON, Insert, Install, Move, Notebook, Patch, Replace, RunCells


def as_written(edit: Replace, written: Mapping[str, str]) -> Replace:
    """The edit of the cell as it stands in the notebook (see :attr:`Card.written`)."""
    raw = written.get(edit.cell_id, "")
    if not raw or body_of(raw) != edit.old:
        return edit
    return Replace(edit.cell_id, raw, restored(raw, edit.source))


def edits_of(
    patch: Patch, notebook: Notebook, written: Mapping[str, str] = MappingProxyType({})
) -> list[dict[str, JSON]]:
    """The edits as the front end carries them out."""
    found: list[dict[str, JSON]] = []
    for edit in patch.edits:
        if isinstance(edit, Replace):
            label = _cell_name(notebook, edit.cell_id) if len(patch.edits) > 1 else ""
            put = as_written(edit, written)
            found.append(
                {"kind": "replace", "cellId": put.cell_id, "old": put.old, "source": put.source, "label": label}
            )
        elif isinstance(edit, Insert):
            found.append(
                {"kind": "insert", "cellId": edit.cell_id, "before": edit.before, "old": "", "source": edit.source,
                 "label": f"new cell above {_cell_name(notebook, edit.before)}"}
            )  # fmt: skip
        elif isinstance(edit, Move):
            source = notebook.cell(edit.cell_id).source if notebook.index(edit.cell_id) >= 0 else ""
            found.append(
                {"kind": "move", "cellId": edit.cell_id, "before": edit.before, "old": source, "source": source,
                 "label": f"move {_cell_name(notebook, edit.cell_id)} above {_cell_name(notebook, edit.before)}"}
            )  # fmt: skip
        elif isinstance(edit, RunCells):
            names = ", ".join(_cell_name(notebook, c) for c in edit.cell_ids)
            found.append(
                {"kind": "run", "cellIds": list(edit.cell_ids), "old": "", "source": "", "label": f"Run first: {names}",
                 "sources": [notebook.cell(c).source for c in edit.cell_ids if notebook.index(c) >= 0]}
            )  # fmt: skip
        elif isinstance(edit, Install):
            found.append(
                {"kind": "insert", "cellId": f"install-{patch.id}", "before": "", "old": "", "source": edit.line,
                 "label": "new cell"}
            )  # fmt: skip
    return found


def main_source(patch: Patch, cell_id: str) -> str:
    """The failing cell as the patch has it; the first cell that it replaces where it leaves that one alone."""
    return patch.source_of(cell_id, next((e.source for e in patch.edits if isinstance(e, Replace)), ""))


def diff_text(patch: Patch, notebook: Notebook) -> str:
    """A unified diff of every edit, for text and terminals."""
    parts = []
    for edit in edits_of(patch, notebook):
        if edit["kind"] == "run":
            parts.append(str(edit["label"]))
            continue
        lines = difflib.unified_diff(
            str(edit["old"]).splitlines(), str(edit["source"]).splitlines(), "the cell", "healed", lineterm="", n=3
        )
        parts.append("\n".join([*([str(edit["label"])] if edit["label"] else []), *list(lines)[2:]]))
    return "\n".join(parts)


def _cell_name(notebook: Notebook, cell_id: str) -> str:
    at = notebook.index(cell_id)
    if at < 0:
        return "the cell"
    cell = notebook.cells[at]
    first = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    return f"[{cell.runs}] {first[:40]}" if cell.runs else f"“{first[:40]}”"
