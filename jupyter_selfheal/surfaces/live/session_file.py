"""The cells of a session as a notebook file, for a command that works on one in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from jupyter_selfheal.model import JSON, Cell


def run_on_session(command: str, cells: Iterable[Cell], output: str) -> str:
    """What a ``jupyter selfheal`` command prints that is run on these cells, in the order in which they ran. Its file is ``output``.

    The notebook lies in the working folder for that time, so that the cells find their files. Raises OSError where it cannot.
    """
    raw: list[JSON] = [
        {"cell_type": "code", "id": f"cell-{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": c.source}
        for n, c in enumerate((c for c in cells if c.kind == "code"), 1)
    ]  # fmt: skip
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": raw, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    number, path = tempfile.mkstemp(prefix=".selfheal-", suffix=".ipynb", dir=os.getcwd())
    try:
        with open(number, "w", encoding="utf-8") as file:
            json.dump(notebook, file)
        words = [sys.executable, "-m", "jupyter_selfheal", command, path, "-o", output]
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    finally:
        os.unlink(path)
    return (done.stdout + done.stderr).replace(path, "this session").strip()


def choose_free_name(name: str) -> str:
    """``minimal.ipynb``, or with a number where there is one already."""
    stem, suffix = Path(name).stem, Path(name).suffix
    number = 1
    while Path(name).exists():
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name
