"""Notebooks of formats 1 to 3, from before 2015, as format 4.5: what they hold is nbformat's to say."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import JSON

OLD = (1, 2, 3)
"""The major formats that nbformat upgrades."""


def upgrade_notebook(path: Path, text: str, version: int) -> tuple[dict[str, JSON], tuple[str, ...]]:
    """(the JSON of the notebook in format 4.5, notes on what was done) for the text of one in an old format.

    The cells of several worksheets become one sequence, as nbformat has it. Ids are the cells' places, so that the same file
    gives the same notebook. Raises :class:`NotebookError` for what nbformat cannot make a notebook of.
    """
    import nbformat

    reads: Any = nbformat.reader.reads
    converted: Any = nbformat.convert
    writes: Any = nbformat.v4.writes_json
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ids that are missing, and the like: they are made up below
            old = reads(text)
            language = _find_language(old)
            worksheets = len(old.get("worksheets", ()))
            raw = json.loads(writes(converted(old, 4)))
        for number, cell in enumerate(raw["cells"]):
            cell["id"] = f"cell-{number}"
            for counted in (cell, *cell.get("outputs", ())):
                if counted.get("execution_count") == "":  # of a cell that was not run, as early releases wrote it
                    counted["execution_count"] = None
        raw["nbformat_minor"] = 5
        nbformat.validate(raw)
    except Exception as error:  # a broken file breaks nbformat wherever its code first misses something
        why = " ".join(str(error).split())[:120]
        raise NotebookError(
            f"{path}: notebook format {version}, and nbformat cannot upgrade it ({type(error).__name__}: {why}): "
            "restore it from a copy, or open and save it"
        ) from error
    if not language.startswith(("python", "ipython")):
        raise NotebookError(f"{path}: a notebook in {language}; only Python notebooks can be healed")
    return raw, tuple(_build_notes(version, worksheets))


def _build_notes(version: int, worksheets: int) -> list[str]:
    notes = [f"upgraded from notebook format {version}: the healed notebook is in format 4.5"]
    if worksheets > 1:
        notes.append(f"its {worksheets} worksheets became one, their cells in order")
    return notes


def _find_language(old: Any) -> str:
    """What most code cells are in; format 3 says so for each, IJulia once for the whole notebook."""
    whole = old.get("metadata", {}).get("language")
    cells = [c for sheet in old.get("worksheets", ()) for c in sheet.get("cells", ())]
    each = Counter(str(c.get("language") or "python").lower() for c in cells if c.get("cell_type") == "code")
    return str(whole or next(iter(each.most_common(1)), ("python",))[0]).lower()
