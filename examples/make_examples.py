"""Writes ``examples/notebooks/`` from the plain text in ``examples/sources/``: ``python examples/make_examples.py``.

The form of the text is described in ``jupyter_selfheal/testing/text_notebook.py``; the examples of rules in ``tests/golden/``
and the variants in ``tests/variants/`` have the same one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jupyter_selfheal.testing.text_notebook import TextCell, TextNotebook, parse_notebook

HERE = Path(__file__).parent
ORACLE_KEYS = ("expect", "stdout", "check", "skip", "expensive")


def notebook_json(source: TextNotebook) -> dict[str, Any]:
    """The JSON of the .ipynb."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    cells = [cell_json(cell) for cell in source.cells]
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def cell_json(cell: TextCell) -> dict[str, Any]:
    oracle = {key: cell.settings[key] for key in ORACLE_KEYS if key in cell.settings}
    metadata = {**({"selfheal": oracle} if oracle else {}), **({"tags": list(cell.tags)} if cell.tags else {})}
    source = cell.source.splitlines(keepends=True)
    known = {"cell_type": cell.kind, "id": f"cell-{cell.number - 1:02d}", "metadata": metadata, "source": source}
    if cell.kind == "code":
        known |= {"execution_count": None, "outputs": []}
    return {key: known[key] for key in sorted(known)}


def write(source: TextNotebook, path: Path) -> None:
    """Write the notebook to ``path`` and its files beside it."""
    path.write_text(json.dumps(notebook_json(source), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    source.write_files(path.parent)


def main() -> None:
    folder = HERE / "notebooks"
    folder.mkdir(exist_ok=True)
    for path in sorted((HERE / "sources").glob("*.txt")):
        write(parse_notebook(path.read_text(encoding="utf-8")), folder / f"{path.stem}.ipynb")


if __name__ == "__main__":
    main()
