"""The notebook that a failure in a file is healed in: the file as a cell, above the cells that use it."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Edit, Notebook, Replace, RunCells
from jupyter_selfheal.surfaces.notebook.read import Document, build_document
from jupyter_selfheal.surfaces.notebook.write import open_own_metadata
from jupyter_selfheal.surfaces.project.files import FileFix
from jupyter_selfheal.surfaces.project.inline import CannotInline, Inlined, inline_all, restore_file
from jupyter_selfheal.surfaces.project.modules import Finder, Module, list_imported


@dataclass(frozen=True, slots=True)
class Derived:
    """A notebook in which modules are cells, and how their files are got back."""

    document: Document
    modules: tuple[Module, ...]
    inlined: tuple[Inlined, ...]

    def restore_fixes(self, edits: Iterable[Edit]) -> tuple[FileFix, ...] | None:
        """The files with what the edits change; None where they change anything but these files. Cells that run again do so in the proof."""
        fixes = []
        cells = {m.cell_id: (m, i) for m, i in zip(self.modules, self.inlined, strict=True)}
        for edit in edits:
            if isinstance(edit, RunCells):
                continue
            if not isinstance(edit, Replace) or edit.cell_id not in cells:
                return None
            module, inlined = cells[edit.cell_id]
            text = restore_file(module.file.text, inlined, edit.source)
            if text is None:
                return None
            fixes.append(FileFix(module.file, text))
        return tuple(fixes) or None


def derive_notebook(
    document: Document,
    notebook: Notebook,
    failing: str,
    healthy: Collection[str],
    wanted: Collection[Path],
    finder: Finder,
) -> Derived:
    """The notebook with the project's files as cells; of the cells those above the failing one, and the healthy ones below. Where these have a
    name for something else, those above alone, or only what the failing one needs of them: the proof runs all.

    Raises :class:`CannotInline` with the reason where that cannot be done.
    """
    at = notebook.index(failing)
    cells = [c for n, c in enumerate(notebook.cells) if c.kind == "code" and (n <= at or c.id in healthy)]
    above = cells[: _find_cell(cells, failing) + 1]
    modules = finder.collect_modules([c.source for c in above], wanted)
    if not modules:
        raise CannotInline("it is more code than is looked at, or is not imported by its name")
    needed = src.find_backward_slice([c.source for c in above[:-1]], src.find_names(above[-1].source).uses)
    cells, inlined, others = _inline_most(modules, [cells, above, [*(above[n] for n in needed), above[-1]]])
    first = next((n for n, c in enumerate(cells) if _imports_any(c.source, modules)), len(cells) - 1)
    outputs = {str(raw.get("id") or ""): raw for raw in document.raw["cells"]}
    made = [build_cell(c.id, i.source, outputs.get(c.id, {}), skip=c.skip) for c, i in zip(cells, others, strict=True)]
    made[first:first] = [build_cell(m.cell_id, i.source) for m, i in zip(modules, inlined, strict=True)]
    return Derived(build_derived(document.path, made, document.kernelspec), modules, inlined)


def _inline_most(
    modules: Sequence[Module], choices: Sequence[list[Cell]]
) -> tuple[list[Cell], tuple[Inlined, ...], tuple[Inlined, ...]]:
    """The first choice of cells that can be one notebook with the modules, and all of it as cells; what kept the first one from it where none can."""
    first: CannotInline | None = None
    for cells in choices:
        try:
            return cells, *inline_all(modules, [c.source for c in cells])
        except CannotInline as why:
            first = first or why
    raise first or CannotInline("nothing imports it")


def build_derived(path: Path, cells: Sequence[dict[str, Any]], kernelspec: str) -> Document:
    """A document of these cells that stands where ``path`` stands."""
    raw = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return replace(build_document(path, raw), kernelspec=kernelspec)


def build_cell(
    cell_id: str, source: str, given: Mapping[str, Any] = MappingProxyType({}), *, skip: bool = False
) -> dict[str, Any]:
    """A code cell as a file has it, with the metadata and outputs of the ``given`` one."""
    metadata = copy.deepcopy(given.get("metadata") or {})
    cell = {
        "cell_type": "code", "id": cell_id, "metadata": metadata, "source": source,
        "outputs": given.get("outputs") or [], "execution_count": None,
    }  # fmt: skip
    if skip:
        open_own_metadata(cell)["skip"] = True
    return cell


def _imports_any(source: str, modules: Sequence[Module]) -> bool:
    names = {m.name for m in modules}
    return any(name in names for name in list_imported(source, ""))


def _find_cell(cells: Sequence[Any], cell_id: str) -> int:
    return next(n for n, c in enumerate(cells) if c.id == cell_id)
