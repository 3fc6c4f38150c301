from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Cell, Output
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.write import (
    Result,
    build_healed_json,
    check_writable,
    copy_aside,
    format_notebook,
    write_atomically,
)
from tests.batches import cell, notebook
from tests.disk import no_room


@pytest.mark.parametrize(
    ("options", "tail"),
    [
        ({"indent": 1, "ensure_ascii": False}, "\n"),
        ({"indent": 2, "ensure_ascii": True}, ""),
        ({"indent": "\t", "ensure_ascii": False}, "\n"),
        ({"indent": 1, "ensure_ascii": False, "sort_keys": True}, "\n"),
    ],
)
def test_an_unchanged_notebook_is_written_back_byte_for_byte(
    tmp_path: Path, options: dict[str, object], tail: str
) -> None:
    raw = notebook(cell("x = 'é'\ny = 2\n"), cell("y", source="y"), own={"deep": [1, {"a": None}]})
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(raw, **options) + tail, encoding="utf-8")  # type: ignore[arg-type]
    document = read(path)
    again = format_notebook(build_healed_json(document, document.notebook.cells, {}), document.form)
    assert again == path.read_text(encoding="utf-8")


def test_line_ends_of_windows_and_a_byte_order_mark_are_kept(tmp_path: Path) -> None:
    written = "\ufeff" + json.dumps(notebook("x = 'a\\r\\n'\ny"), indent=1) + "\n"
    path = tmp_path / "n.ipynb"
    path.write_bytes(written.replace("\n", "\r\n").encode())
    document = read(path)
    again = format_notebook(build_healed_json(document, document.notebook.cells, {}), document.form)
    assert again.encode() == path.read_bytes()


def test_only_what_changed_differs(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(notebook("a = 1", "b = a.x\nb", "c = 3", "d = 4"), indent=1))
    document = read(path)
    first, second, third, fourth = document.notebook.cells
    mended = replace(second, source="b = a\nb")
    outputs = (Output("stream", name="stdout", text="1\n2\n"), Output("execute_result", data={"text/plain": "1"}))
    cells = (first, Cell("new", "import os"), fourth, mended, third)
    raw = build_healed_json(document, cells, {mended.id: Result(outputs, 4)}, moved=frozenset({fourth.id}))
    one, new, moved, healed, last = raw["cells"]
    assert (one, last) == (document.raw["cells"][0], document.raw["cells"][2])
    assert new["metadata"] == {"selfheal": {"inserted": True}}
    assert new["id"] == "new"
    assert moved["metadata"] == {"selfheal": {"origin": 3}}
    assert healed["source"] == ["b = a\n", "b"]
    assert healed["execution_count"] == 4
    assert healed["outputs"][0]["text"] == ["1\n", "2\n"]
    assert healed["outputs"][1]["execution_count"] == 4
    assert document.raw["cells"][3]["metadata"] == {}, "the document that was read is not changed"
    import nbformat

    nbformat.validate(nbformat.from_dict(raw))


@pytest.mark.parametrize("is_sorted", [True, False])
def test_new_outputs_have_the_order_of_keys_that_jupyter_gave_the_file(tmp_path: Path, is_sorted: bool) -> None:
    """A frame's HTML stood below its text where Jupyter writes it above: a diff of lines that say the same."""
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(notebook("a = 1"), indent=1, sort_keys=is_sorted))
    document = read(path)
    data = {"text/plain": "1", "text/html": "<p>1", "application/json": {"b": [{"d": 1, "c": 2}], "a": 0}}
    result = Result((Output("execute_result", data=data),), 1)
    written = build_healed_json(document, document.notebook.cells, {document.notebook.cells[0].id: result})
    put = json.dumps(written["cells"][0]["outputs"][0]["data"])
    kept = {"text/plain": ["1"], "text/html": ["<p>1"], "application/json": data["application/json"]}
    assert put == json.dumps(kept, sort_keys=is_sorted)


def test_an_inserted_cell_gets_no_id_in_a_format_without_ids(tmp_path: Path) -> None:
    raw = {**notebook("a = 1"), "nbformat_minor": 4}
    del raw["cells"][0]["id"]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(raw))
    document = read(path)
    healed = build_healed_json(document, (Cell("new", "import os"), *document.notebook.cells), {})
    assert all("id" not in c for c in healed["cells"])


def test_writing_keeps_the_mode_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["n.ipynb"]


def test_a_folder_that_cannot_be_written_is_found_out_first() -> None:
    with pytest.raises(NotebookError, match="cannot be written"):
        check_writable(Path("/proc/none/n.ipynb"))
    with pytest.raises(NotebookError, match="a folder"):
        check_writable(Path("/"))


def test_a_full_disk_leaves_the_old_file_and_says_so(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: the same error comes from the same call."""
    path = tmp_path / "n.ipynb"
    path.write_text("old")
    program = (
        "import resource, sys, pathlib; sys.dont_write_bytecode = True  # it would be cut off, and spoil every later import\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "from jupyter_selfheal.surfaces.notebook.write import write_atomically as w\n"
        "try: w(pathlib.Path(sys.argv[1]), 'x' * 1000)\n"
        "except Exception as e: print(type(e).__name__, e)"
    )
    said = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True).stdout
    assert said.startswith("NotebookError")
    assert "File too large" in said
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["n.ipynb"]


def test_a_write_protected_file_is_refused_before_anything_runs(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(NotebookError, match="write-protected: make it writable, or choose another place"):
        check_writable(path)
    path.chmod(0o644)
    check_writable(path)
    check_writable(tmp_path / "new.ipynb")


def test_half_a_surrogate_beside_other_letters_is_written_as_it_was(tmp_path: Path) -> None:
    """A cut-off emoji: JSON may hold it, UTF-8 may not."""
    path = tmp_path / "n.ipynb"
    held = json.dumps(notebook("x = 'é'"), ensure_ascii=False).replace("'é'", "'é \\ud83d'")
    path.write_text(held, encoding="utf-8")
    document = read(path)
    write_atomically(path, format_notebook(build_healed_json(document, document.notebook.cells, {}), document.form))
    assert path.read_text(encoding="utf-8") == held


def test_another_encoding_is_never_written_with_something_else_in_place_of_a_letter(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(b"x = 1")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "x = '€'", "latin-1")
    assert path.read_bytes() == b"x = 1"
    assert list(tmp_path.iterdir()) == [path]


def test_a_copy_of_the_old_format_that_does_not_fit_the_disk_is_not_left_in_part(tmp_path: Path) -> None:
    old = tmp_path / "n.ipynb"
    old.write_text('{"nbformat": 3}')
    with no_room(), pytest.raises(NotebookError, match="cannot be written"):
        copy_aside(old)
    assert [path.name for path in tmp_path.iterdir()] == ["n.ipynb"]
