"""The cells of a session as a notebook file, for a command that works on one in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from jupyter_selfheal.model import JSON, Cell, Notebook


def run_on_session(command: str, cells: Iterable[Cell], output: str = "") -> str:
    """What a ``jupyter selfheal`` command prints that is run on these cells, in that order, with their stored outputs. The file
    that it writes is ``output``; empty: it writes none.

    The notebook lies in the working folder for that time, so that the cells find their files. Raises OSError where it cannot.
    """
    raw: list[JSON] = [
        {"cell_type": "code", "id": f"cell-{n}", "metadata": {"tags": list(c.tags)}, "execution_count": None,
         "outputs": [o.to_nbformat() for o in c.outputs], "source": c.source}
        for n, c in enumerate((c for c in cells if c.kind == "code"), 1)
    ]  # fmt: skip
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": raw, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    number, path = tempfile.mkstemp(prefix=".selfheal-", suffix=".ipynb", dir=os.getcwd())
    try:
        with open(number, "w", encoding="utf-8") as file:
            json.dump(notebook, file)
        words = [sys.executable, "-m", "jupyter_selfheal", command, path, *(["-o", output] if output else [])]
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    finally:
        os.unlink(path)
    return (done.stdout + done.stderr).replace(path, "this session").strip()


def bisect_session(notebook: Notebook) -> str:
    """What ``jupyter selfheal bisect`` says of the session's notebook; cells are named as the session names them."""
    cells = [cell for cell in notebook.cells if cell.kind == "code" and cell.source.strip()]
    lines = run_on_session("bisect", cells).splitlines()
    return "\n".join(line if line.startswith("  ") else name_cells(line, notebook, cells) for line in lines)


def name_cells(line: str, notebook: Notebook, cells: Sequence[Cell]) -> str:
    """The line with the session's names for cells that it calls by their number among ``cells``."""
    names = {str(number): notebook.name_cell(cell.id) for number, cell in enumerate(cells, 1)}
    return re.sub(r"\bcell (\d+)\b", lambda found: names.get(found[1], found[0]), line)


def choose_free_name(name: str) -> str:
    """``minimal.ipynb``, or with a number where there is one already."""
    stem, suffix = Path(name).stem, Path(name).suffix
    number = 1
    while Path(name).exists():
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name
