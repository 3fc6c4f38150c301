r"""Notebooks as plain text: one file holds many, each in the fewest lines that say what it is.

A file is a list of notebooks, each begun by a line ``=== TITLE``; a notebook is a list of blocks, each begun by a line
``# %%``. What stands before the first title (files, as a rule) belongs to every notebook of the file::

    # %% [file data/x.csv latin-1]      a file beside the notebook; its encoding, UTF-8 where none is given
    name,price
    === a misspelt column
    # %% [markdown]                     text
    # %%                                a code cell
    import pandas as pd
    # %% {"tags": ["not-run"]}          a code cell with settings: its "tags", and what the notebook holds as the
                                        cell's metadata: "expect", "stdout", "check", "skip", "expensive"
    # %%
    pd.read_csv("data/x.csv")["prise"]
    # %% [becomes]                      what the cell above it is in the healed notebook (its settings too)
    pd.read_csv("data/x.csv")["price"]
    # %% [new]                          a cell that only the healed notebook has, at this place
    # %% [order 1 3 2]                  the cells of the healed notebook in their order, where that changes
    # %% [installs pandas]              a distribution that is installed; no cell changes
    # %% [check]                        statements that tests run after the healed notebook; no healer sees them

Blank lines around a source, or at the end of a notebook, are no part of it. One that ends with a line break says so by ``{"end": "\n"}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jupyter_selfheal.model import JSON, Cell, Notebook


@dataclass(frozen=True, slots=True)
class TextCell:
    """One cell: its ``number`` among the cells of the broken notebook (0 for a new one) and what is written of it."""

    number: int
    source: str
    kind: str = "code"
    settings: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.settings.get("tags", ()))


@dataclass(frozen=True, slots=True)
class TextNotebook:
    """A notebook in plain text: its cells, what they become, the files beside it by relative path, hidden checks."""

    title: str = ""
    cells: tuple[TextCell, ...] = ()
    healed: tuple[TextCell, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    installs: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()

    def to_notebook(self, folder: Path | str = "") -> Notebook:
        """The notebook as healers see it; cells are ``c1``, ``c2`` …"""
        cells = (Cell(f"c{c.number}", c.source, c.kind, c.tags) for c in self.cells)
        return Notebook(tuple(cells), folder=str(folder))

    def write_files(self, folder: Path) -> None:
        """Write the files into the folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def parse_file(path: Path) -> tuple[TextNotebook, ...]:
    """Every notebook of a file that has titles. Raises ``ValueError`` with the file's name where it has none."""
    before, *parts = re.split(r"(?m)^===[ \t]*(.*)\n", path.read_text(encoding="utf-8"))
    if not parts:
        raise ValueError(f"{path}: no line begins with ===, so there is no notebook in it")
    try:
        shared = parse_notebook(before)
        notebooks = [parse_notebook(text, title.strip()) for title, text in zip(parts[::2], parts[1::2], strict=True)]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if shared.cells:
        raise ValueError(f"{path}: a cell before the first title; only files may stand there")
    titles = [n.title for n in notebooks]
    if twice := next((t for t in titles if titles.count(t) > 1), None):
        raise ValueError(f"{path}: two notebooks have the title {twice!r}")
    return tuple(replace(n, files={**shared.files, **n.files}) for n in notebooks)


def parse_notebook(text: str, title: str = "") -> TextNotebook:
    """One notebook. Raises ``ValueError``, which names the block, where the text has not the form."""
    cells: list[TextCell] = []
    healed: list[TextCell] = []
    order: list[int] = []
    files: dict[str, bytes] = {}
    installs: list[str] = []
    checks: list[str] = []
    for head, body in _split_blocks(text):
        word, rest = _parse_head(head)
        if word in ("cell", "markdown"):
            cells.append(_build_cell(len(cells) + 1, rest, body, "code" if word == "cell" else word))
            healed.append(cells[-1])
        elif word == "becomes":
            if not healed or healed[-1] != cells[-1]:
                raise ValueError(f"in {title!r}, [becomes] does not follow the cell that changes")
            healed[-1] = _build_cell(cells[-1].number, rest, body, cells[-1].kind)
        elif word == "new":
            healed.append(_build_cell(0, rest, body, "code"))
        elif word == "order":
            order = [int(number) for number in rest.split()]
        elif word == "installs":
            installs.append(rest)
        elif word == "file":
            name, _, encoding = rest.partition(" ")
            files[name] = body.encode(encoding or "utf-8")
        elif word == "check":
            checks.append(body)
        else:
            raise ValueError(f"in {title!r}, a block of no known kind: # %% {head}")
    if order and sorted(order) != [c.number for c in cells]:
        raise ValueError(f"in {title!r}, [order] does not name every cell once")
    if order:
        healed.sort(key=lambda c: order.index(c.number))
    return TextNotebook(title, tuple(cells), tuple(healed), files, tuple(installs), tuple(checks))


def _split_blocks(text: str) -> Iterator[tuple[str, str]]:
    """(what stands after ``# %%``, the text below it) of each block."""
    before, *parts = re.split(r"(?m)^# %%[ \t]*(.*)\n", text.rstrip("\n") + "\n")
    if before.strip():
        raise ValueError(f"text before the first block: {before[:40]!r}")
    for head, body in zip(parts[::2], parts[1::2], strict=True):
        yield head.strip(), body


def _parse_head(head: str) -> tuple[str, str]:
    """(kind of block, what else the line says): ``[file x.csv latin-1]``, ``[becomes] {"tags": []}``, ``{…}``."""
    match = re.fullmatch(r"\[(\w+)\s*(.*?)\]\s*(\{.*\})?", head)
    return (match[1], match[2] or match[3] or "") if match else ("cell", head)


def _build_cell(number: int, settings: str, body: str, kind: str) -> TextCell:
    known: dict[str, Any] = json.loads(settings) if settings else {}
    end = known.pop("end", "")
    return TextCell(number, body.strip("\n") + end, kind, known)
