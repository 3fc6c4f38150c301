from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Oracle
from jupyter_selfheal.notebook.read import read
from tests.batches import cell, notebook


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "n.ipynb"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[1]", "not a Jupyter notebook"),
        ('{"a": 1}', "not a Jupyter notebook"),
        (b"\x89PNG\r\n\xff", "not UTF-8"),
        ('{"nbformat": 5, "cells": []}', "format 5 is not known"),
        ('{"nbformat": 4, "cells": [1]}', "cell 1 is not a cell"),
        ('{"nbformat": 4, "metadata": {"language_info": {"name": "julia"}}, "cells": []}', "a notebook in julia"),
        (
            '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": []}]}',
            "nbconvert --to notebook",
        ),
        ('{"nbformat": 4, "cells": {}}', "cells are no list"),
    ],
)
def test_what_is_not_a_python_notebook_is_one_line(tmp_path: Path, content: str | bytes, says: str) -> None:
    with pytest.raises(NotebookError) as raised:
        read(written(tmp_path, content))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="no such file"):
        read(tmp_path / "none.ipynb")
    with pytest.raises(NotebookError, match="a folder"):
        read(tmp_path)


def test_missing_and_repeated_ids_are_made_up_without_touching_the_file(tmp_path: Path) -> None:
    raw = notebook(cell("a = 1", id="x"), cell("b = 2", id="x"), cell("c = 3", id=""))
    document = read(written(tmp_path, json.dumps(raw)))
    ids = [c.id for c in document.notebook.cells]
    assert len(set(ids)) == 3
    assert ids[0] == "x"
    assert document.raw == raw


def test_the_cells_own_metadata_is_honoured_and_mistakes_in_it_are_said(tmp_path: Path) -> None:
    own = {"expect": "[1, 2]", "stdout": ["a\n", "b"], "check": "assert x", "expensive": True, "exepct": 1}
    good = cell("x", metadata={"selfheal": own, "tags": ["raises-exception"]})
    odd = cell("y", metadata={"selfheal": {"expect": "1 +", "check": 3, "skip": True}})
    bare = cell("z", metadata={"selfheal": {"expect": 5}})
    document = read(written(tmp_path, json.dumps(notebook(good, odd, bare))))
    first, second, third = document.notebook.cells
    assert first.oracle == Oracle("[1, 2]", "a\nb", ("assert x",))
    assert (first.expensive, first.skip, first.tags) == (True, False, ("raises-exception",))
    assert not second.oracle
    assert second.skip
    assert third.oracle.expect == "5"
    assert sum("selfheal metadata" in note for note in document.notes) == 3
