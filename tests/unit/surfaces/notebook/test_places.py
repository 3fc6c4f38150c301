"""A failing cell is pointed at by its line in the file, in text notebooks too."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.model import Cell, Failure, Notebook
from jupyter_selfheal.surfaces.notebook.places import FilePlaces
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status

PROSE = "# Lesson\n\n```python\nwords = 3\nbad(words)\n```"
CODE = "words = 3\nbad(words)"
MYST = f"---\nkernelspec: {{name: python3}}\n---\n\n{PROSE}\n\n```{{code-cell}}\n:tags: [a]\n\n{CODE}\n```\n"
PERCENT = "# %% [markdown]\r\n# Lesson\r\n\r\n# %%\r\nwords = 3\r\nbad(words)\r\n"


@pytest.mark.parametrize(
    ("name", "text", "source", "line"),
    [
        ("n.md", MYST, CODE, 16),
        ("n.py", PERCENT, CODE, 6),
        ("n.py", PERCENT, "%time words = 3\nbad(words)", 1),  # a magic stands there as a comment
    ],
)
def test_the_line_of_a_cell_of_text(name: str, text: str, source: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")
    cell = Cell("c2", source)
    record = Record(cell, 1, Status.NOT_HEALED, (Failure("c2", source, line=2),))
    given = Notebook((Cell("c1", PROSE, kind="markdown"), cell))
    report = NotebookReport(str(path), records=(record,), given=given)
    assert FilePlaces().find_line(report, record) == line
