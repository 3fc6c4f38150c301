"""``jupyter selfheal log`` and ``revert``: what healing changed in a notebook, and taking it back."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook import originals, write
from jupyter_selfheal.surfaces.notebook.pairs import give_back_pairs
from jupyter_selfheal.surfaces.notebook.provenance import AppliedFix, list_applied_fixes, revert_fixes
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.table import wrap
from jupyter_selfheal.surfaces.notebook.text_formats import SUFFIXES
from jupyter_selfheal.surfaces.words import print_lines


def print_log(options: argparse.Namespace) -> int:
    """List the fixes of a notebook, the earliest first."""
    fixes = list_applied_fixes(read(options.notebook).raw)
    if options.json:
        print(json.dumps([asdict(fix) for fix in fixes], ensure_ascii=False, indent=2))
        return 0
    columns = shutil.get_terminal_size((100, 24)).columns
    told = [line for fix in fixes for line in _format_fix(fix, columns)]
    files = [line for line in _describe_fixed_files(options.notebook) for line in wrap(line, columns, "", " " * 10)]
    if told or files:
        print("\n".join([*told, *files]))
    else:
        print_lines([f"{options.notebook}: its metadata tells of no fix"])
    return 0


def _describe_fixed_files(notebook: Path) -> list[str]:
    """A line for each Python file that was fixed with a notebook, and is as that left it."""
    return [
        f"{path} was fixed with it, and stays so: `jupyter selfheal revert {shlex.quote(str(path))}` takes that back"
        for path in originals.list_fixed_files(notebook)
    ]


def _format_fix(fix: AppliedFix, columns: int) -> list[str]:
    cells = f"cell {fix.cells[0]}" if len(fix.cells) == 1 else f"cells {', '.join(map(str, fix.cells))}"
    head = f"{fix.id}  {cells}: {fix.what}"
    facts = f"{fix.at[:10]}, by {fix.by}, score {fix.score:g}, version {fix.version}"
    evidence = [line for reason in fix.evidence for line in wrap(reason, columns, "          + ", "            ")]
    return [*wrap(head, columns, "", " " * 10), *wrap(facts, columns, " " * 10, " " * 10), *evidence]


def revert(options: argparse.Namespace) -> int:
    """Take fixes back, in the file itself; of a file that is no .ipynb all of them, as nothing in it tells of one."""
    path: Path = options.notebook
    if path.suffix != ".ipynb":
        return _revert_text_file(path, bool(options.cell or options.fix))
    document = read(path)
    held = path.read_bytes()
    files = _describe_fixed_files(path)
    if files and not list_applied_fixes(document.raw):
        print_lines([f"{path}: no cell of it was changed", *files])
        return 0
    raw, said = revert_fixes(dict(document.raw), str(path), options.cell, options.fix)
    original = originals.find_original(held) if not (options.cell or options.fix) else None
    text = original.decode("utf-8") if original is not None else write.format_notebook(raw, document.form)
    _replace_file(path, held, text)
    files += give_back_pairs(document, read(path).notebook, not (options.cell or options.fix))
    exactly = "as it was before, byte by byte" if original is not None else "outputs of these cells are cleared"
    print_lines([*said, f"{path}: {exactly}", *files])
    return 0


def _revert_text_file(path: Path, in_parts: bool) -> int:
    try:
        held = path.read_bytes()
    except OSError as error:
        raise NotebookError(f"{path}: cannot be read ({error.strerror})") from None
    if in_parts:
        raise NotebookError(f"{path}: text does not tell of its fixes: leave out --cell and --fix")
    original = originals.find_original(held)
    healed = read(path) if original is not None and path.suffix in SUFFIXES else None
    if original is None:
        raise NotebookError(f"{path}: not as healing left it on this machine: take its fix back by hand, or by git")
    _replace_file(path, held, original.decode("latin-1"), encoding="latin-1")  # in which each byte is a character
    pairs = give_back_pairs(healed, read(path).notebook, True) if healed is not None else ()
    print_lines([f"{path}: as it was before, byte by byte", *pairs])
    return 0


def _replace_file(path: Path, held: bytes, text: str, encoding: str = "utf-8") -> None:
    if path.read_bytes() != held:
        raise NotebookError(f"{path}: changed on disk meanwhile: try again")
    write.write_atomically(path, text, encoding, option="")
