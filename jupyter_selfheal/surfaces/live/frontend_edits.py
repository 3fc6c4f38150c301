"""The edits of a patch as the front end carries them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from jupyter_selfheal.magic_options import restore_heal_line, to_body
from jupyter_selfheal.model import JSON, Insert, Install, Move, Notebook, Patch, Replace, RunCells
from jupyter_selfheal.surfaces.words import make_cell_namer


def to_written_edit(edit: Replace, written: Mapping[str, str]) -> Replace:
    """The edit of the cell as it stands in the notebook (see :attr:`Card.written`)."""
    raw = written.get(edit.cell_id, "")
    if not raw or to_body(raw) != edit.old:
        return edit
    return Replace(edit.cell_id, raw, restore_heal_line(raw, edit.source))


def to_frontend_edits(
    patch: Patch,
    notebook: Notebook,
    written: Mapping[str, str] = MappingProxyType({}),
    again: tuple[str, ...] = (),
    failing: str = "",
) -> list[dict[str, JSON]]:
    """The edits as the front end carries them out; ``again`` are cells to run after them, before the failing one.

    Each that is not of the cell ``failing`` alone has a ``label``, and ``links`` to the cells that it names.
    """
    edits: list[dict[str, JSON]] = []
    name_cell = make_cell_namer(notebook)
    for edit in patch.edits:
        if isinstance(edit, Replace):
            is_alone = len(patch.edits) == 1 and failing in ("", edit.cell_id)
            label = "" if is_alone else "In this cell" if edit.cell_id == failing else f"In {name_cell(edit.cell_id)}"
            written_edit = to_written_edit(edit, written)
            edits.append(
                {
                    "kind": "replace",
                    "cellId": written_edit.cell_id,
                    "old": written_edit.old,
                    "source": written_edit.source,
                    "label": label,
                    "links": _list_links(notebook, edit.cell_id),
                }
            )
        elif isinstance(edit, Insert):
            edits.append(
                {"kind": "insert", "cellId": edit.cell_id, "before": edit.before, "old": "", "source": edit.source,
                 "label": f"New cell above {_name_place(edit.before, failing, name_cell)}",
                 "links": _list_links(notebook, edit.before)}
            )  # fmt: skip
        elif isinstance(edit, Move):
            source = notebook.cell(edit.cell_id).source if notebook.index(edit.cell_id) >= 0 else ""
            edits.append(
                {"kind": "move", "cellId": edit.cell_id, "before": edit.before, "old": source, "source": source,
                 "label": f"Move {name_cell(edit.cell_id)} above {_name_place(edit.before, failing, name_cell)}",
                 "links": _list_links(notebook, edit.cell_id, edit.before)}
            )  # fmt: skip
        elif isinstance(edit, RunCells):
            names = ", ".join(name_cell(c) for c in edit.cell_ids)
            edits.append(_build_run(edit.cell_ids, notebook, f"Run first: {names}"))
        elif isinstance(edit, Install):
            edits.append(
                {"kind": "insert", "cellId": f"install-{patch.id}", "before": "", "old": "", "source": edit.line,
                 "label": "New cell", "links": []}
            )  # fmt: skip
    if there := tuple(c for c in again if notebook.index(c) >= 0):
        names = ", ".join(name_cell(c) for c in there)
        edits.append(_build_run(there, notebook, f"Run again, as it uses what changes: {names}"))
    return edits


def _build_run(cell_ids: tuple[str, ...], notebook: Notebook, label: str) -> dict[str, JSON]:
    sources = [notebook.cell(c).source for c in cell_ids if notebook.index(c) >= 0]
    links = _list_links(notebook, *cell_ids)
    return {
        "kind": "run",
        "cellIds": list(cell_ids),
        "old": "",
        "source": "",
        "label": label,
        "sources": sources,
        "links": links,
    }


def _name_place(cell_id: str, failing: str, name_cell: Callable[[str], str]) -> str:
    return "this cell" if cell_id in ("", failing) else name_cell(cell_id)


def _list_links(notebook: Notebook, *cell_ids: str) -> list[JSON]:
    """The cells of a label with the names that they have in it, so that a page can lead to them."""
    return [{"id": c, "name": notebook.name_cell(c)} for c in cell_ids if notebook.index(c) >= 0]
