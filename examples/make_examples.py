"""Writes ``examples/notebooks/`` from the plain text in ``examples/sources/``: ``python examples/make_examples.py``.

A source is a list of blocks, each begun by a line ``# %%``::

    # %% [markdown]                  text
    # %% {"expect": "10"}            a code cell; keys expect, stdout, check, skip, expensive become selfheal metadata,
                                     "tags" the cell's tags
    # %% [file data/x.csv latin-1]   a file beside the notebook, with its encoding (UTF-8 where none is given)
    # %% [check]                     statements that tests run in the healed notebook; never written to it

The variants in ``tests/variants/`` have the same form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ORACLE_KEYS = ("expect", "stdout", "check", "skip", "expensive")


@dataclass(frozen=True)
class Source:
    """A notebook in plain text: the .ipynb's JSON, files beside it by relative path, and checks that healers never see."""

    notebook: dict[str, Any]
    files: dict[str, bytes]
    checks: tuple[str, ...]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """(what stands after ``# %%``, the text below it) of each block."""
    parts = re.split(r"(?m)^# %%[ \t]*(.*)\n", text)
    if parts[0].strip():
        raise ValueError(f"text before the first block: {parts[0][:40]!r}")
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        yield head.strip(), body


def read(text: str) -> Source:
    """The notebook, files and checks of a source."""
    cells: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    checks = []
    for head, body in blocks(text):
        if head == "[check]":
            checks.append(body)
        elif found := re.fullmatch(r"\[file (\S+)(?: (\S+))?\]", head):
            files[found[1]] = body.encode(found[2] or "utf-8")
        elif head == "[markdown]":
            cells.append(
                {"cell_type": "markdown", "id": f"cell-{len(cells):02d}", "metadata": {}, "source": lines(body)}
            )
        else:
            cells.append(code_cell(len(cells), json.loads(head) if head else {}, body))
    return Source(notebook_json(cells), files, tuple(checks))


def code_cell(number: int, given: dict[str, Any], body: str) -> dict[str, Any]:
    oracle = {key: given[key] for key in ORACLE_KEYS if key in given}
    metadata: dict[str, Any] = {"selfheal": oracle} if oracle else {}
    if "tags" in given:
        metadata["tags"] = given["tags"]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"cell-{number:02d}",
        "metadata": metadata,
        "outputs": [],
        "source": lines(body),
    }


def lines(body: str) -> list[str]:
    return body.strip("\n").splitlines(keepends=True)


def notebook_json(cells: list[dict[str, Any]]) -> dict[str, Any]:
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def write(source: Source, path: Path) -> None:
    """Write the notebook to ``path`` and its files beside it."""
    path.write_text(json.dumps(source.notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, content in source.files.items():
        beside = path.parent / name
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)


def main() -> None:
    folder = HERE / "notebooks"
    folder.mkdir(exist_ok=True)
    for path in sorted((HERE / "sources").glob("*.txt")):
        write(read(path.read_text(encoding="utf-8")), folder / f"{path.stem}.ipynb")


if __name__ == "__main__":
    main()
