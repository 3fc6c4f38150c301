"""``jupyter selfheal log`` and ``revert``: what healing changed in a notebook, and taking it back."""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import asdict
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook import originals, write
from jupyter_selfheal.surfaces.notebook.provenance import AppliedFix, list_applied_fixes, revert_fixes
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.table import wrap


def print_log(options: argparse.Namespace) -> int:
    """List the fixes of a notebook, the earliest first."""
    fixes = list_applied_fixes(read(options.notebook).raw)
    if options.json:
        print(json.dumps([asdict(fix) for fix in fixes], ensure_ascii=False, indent=2))
        return 0
    columns = shutil.get_terminal_size((100, 24)).columns
    print("\n".join(line for fix in fixes for line in _format_fix(fix, columns)) or "no fix is told of")
    return 0


def _format_fix(fix: AppliedFix, columns: int) -> list[str]:
    cells = f"cell {fix.cells[0]}" if len(fix.cells) == 1 else f"cells {', '.join(map(str, fix.cells))}"
    head = f"{fix.id}  {cells}: {fix.what}"
    facts = f"{fix.at[:10]}, by {fix.by}, score {fix.score:g}, version {fix.version}"
    evidence = [line for reason in fix.evidence for line in wrap(reason, columns, "          + ", "            ")]
    return [*wrap(head, columns, "", " " * 10), *wrap(facts, columns, " " * 10, " " * 10), *evidence]


def revert(options: argparse.Namespace) -> int:
    """Take fixes back, in the file itself."""
    path: Path = options.notebook
    document = read(path)
    held = path.read_bytes()
    raw, said = revert_fixes(dict(document.raw), str(path), options.cell, options.fix)
    original = originals.find_original(held) if not (options.cell or options.fix) else None
    text = original.decode("utf-8") if original is not None else write.format_notebook(raw, document.form)
    if path.read_bytes() != held:
        raise NotebookError(f"{path}: changed on disk meanwhile: try again")
    write.write_atomically(path, text)
    print("\n".join(said))
    exactly = "as it was before, byte by byte" if original is not None else "outputs of these cells are cleared"
    print(f"{path}: {exactly}")
    return 0
