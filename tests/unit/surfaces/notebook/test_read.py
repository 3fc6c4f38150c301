from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Oracle
from jupyter_selfheal.surfaces.notebook.read import read
from tests.batches import cell, notebook

OLD = {
    "metadata": {"name": ""},
    "nbformat": 3,
    "nbformat_minor": 0,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Title"]},
                {
                    "cell_type": "code",
                    "collapsed": False,
                    "input": ["print 1\n", "1 + 1"],
                    "language": "python",
                    "metadata": {},
                    "outputs": [
                        {"output_type": "stream", "stream": "stdout", "text": ["1\n"]},
                        {"metadata": {}, "output_type": "pyout", "prompt_number": 1, "text": ["2"]},
                    ],
                    "prompt_number": 1,
                },
            ],
            "metadata": {},
        },
        {"cells": [{"cell_type": "code", "input": "x = 2", "language": "python", "metadata": {}, "outputs": []}]},
    ],
}
"""A notebook of format 3, as IPython 0.13 to 2 wrote them."""


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "n.ipynb"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "an empty file, not a notebook: restore it"),
        ("\ufeff\n", "an empty file"),
        ("{", "damaged; restore it from a copy"),
        ("[1]", "not a Jupyter notebook"),
        ('{"a": 1}', "not a Jupyter notebook"),
        (b"\x89PNG\r\n\xff", "save it as UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is binary; restore the notebook from a copy"),
        ("{}".encode("utf-16"), "save it as UTF-8"),
        ('{"nbformat": 5, "cells": []}', "format 5 is not known"),
        ('{"nbformat": 4, "cells": [1]}', "cell 1 is not a cell"),
        ('{"nbformat": 4, "metadata": {"language_info": {"name": "julia"}}, "cells": []}', "a notebook in julia"),
        ('{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [1]}]}', "cannot upgrade it"),
        ('{"nbformat": 3, "metadata": {}, "worksheets": 5}', "cannot upgrade it"),
        ('{"nbformat": 3, "metadata": {"language": "Julia"}, "worksheets": [{"cells": []}]}', "a notebook in julia"),
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


def test_a_link_that_leads_nowhere_or_to_itself_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").symlink_to("gone.ipynb")
    (tmp_path / "m.ipynb").symlink_to("m.ipynb")
    with pytest.raises(NotebookError, match=r"n\.ipynb: a link that leads to no file: mend it, or remove it"):
        read(tmp_path / "n.ipynb")
    with pytest.raises(NotebookError, match=r"m\.ipynb: cannot be read .*: it is a link; mend it, or remove it"):
        read(tmp_path / "m.ipynb")


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


def test_a_notebook_of_format_3_is_read_as_format_4_5(tmp_path: Path) -> None:
    document = read(written(tmp_path, json.dumps(OLD)))
    assert [(c.kind, c.source) for c in document.notebook.cells] == [
        ("markdown", "## Title"),
        ("code", "print 1\n1 + 1"),
        ("code", "x = 2"),
    ]
    assert [o.output_type for o in document.notebook.cells[1].outputs] == ["stream", "execute_result"]
    assert document.notebook.cells[1].outputs[1].data["text/plain"] == "2"
    assert (document.raw["nbformat"], document.raw["nbformat_minor"], document.upgraded_from) == (4, 5, 3)
    assert "upgraded from notebook format 3" in document.notes[0]
    assert "2 worksheets became one" in document.notes[1]
    nbformat.validate(document.raw)
    assert read(document.path).raw == document.raw, "reading twice gives the same ids"


def test_format_2_is_upgraded_too(tmp_path: Path) -> None:
    old = {"cell_type": "code", "input": "print 1", "language": "python", "outputs": [], "prompt_number": 1}
    raw = {"nbformat": 2, "metadata": {}, "worksheets": [{"cells": [old]}]}
    document = read(written(tmp_path, json.dumps(raw)))
    assert [c.source for c in document.notebook.cells] == ["print 1"]
    assert document.upgraded_from == 2


def test_a_count_that_is_an_empty_text_is_none(tmp_path: Path) -> None:
    shown = {"metadata": {}, "output_type": "pyout", "prompt_number": "", "text": ["2"]}
    old = {"cell_type": "code", "input": "1 + 1", "language": "python", "outputs": [shown], "prompt_number": ""}
    document = read(written(tmp_path, json.dumps({**OLD, "worksheets": [{"cells": [old]}]})))
    assert [(c.source, c.count) for c in document.notebook.cells] == [("1 + 1", None)]
    assert document.notebook.cells[0].outputs[0].data["text/plain"] == "2"
    with pytest.raises(NotebookError, match="cannot upgrade it"):
        read(written(tmp_path, json.dumps({**OLD, "worksheets": [{"cells": [{**old, "prompt_number": "x"}]}]})))


def test_the_test_of_a_cell_or_of_the_notebook(tmp_path: Path) -> None:
    first = cell("1", id="a", metadata={"selfheal": {"test": "pytest -q tests/test_a.py"}})
    other = cell("2", id="b", metadata={"selfheal": {"test": ["no", "command"]}})
    path = tmp_path / "n.ipynb"
    line = cell('%%heal --test "pytest -q tests/test_d.py"\n3', id="d", metadata=first["metadata"])
    path.write_text(json.dumps(notebook(first, other, line, selfheal={"test": "pytest -q"})))
    document = read(path)
    assert document.find_test_command("a") == "pytest -q tests/test_a.py"
    assert document.find_test_command("d") == "pytest -q tests/test_d.py", "the line, which is in view"
    assert document.find_test_command("b") == document.find_test_command("c") == "pytest -q"
    assert document.notes == ()


@pytest.mark.parametrize(
    ("told", "seconds"),
    [("2026-11-26T16:11:02.500Z", 1795709462.5), ("yesterday", 0.0), (7, 0.0), (None, 0.0)],
)
def test_the_times_of_a_run_are_read_where_they_are_noted(tmp_path: Path, told: object, seconds: float) -> None:
    raw = cell("1", metadata={"execution": {"iopub.execute_input": told, "shell.execute_reply": told}})
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(notebook(raw)))
    found = read(path).notebook.cells[0]
    assert (found.begun, found.ended) == (seconds, seconds)
    path.write_text(json.dumps(notebook(cell("1", metadata={"execution": "now"}))))
    assert read(path).notebook.cells[0].begun == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "`git lfs pull` brings it"),
        ('{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> topic\n]}', "a merge that git could not finish"),
        ("<<<<<<< HEAD\n{}\n=======\n[]\n>>>>>>> topic\n", "a merge that git could not finish"),
        ('{"cells": [\n=======\n', "cut off or damaged"),
        ("[" * 100_000, "cut off or damaged"),
    ],
)
def test_what_git_put_in_the_place_of_a_notebook_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    with pytest.raises(NotebookError, match=says):
        read(path)
