"""The script that heals notebooks by a list: lists carry names alone, clones are read at a commit, cells are paired."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from tests.shown_commands import ROOT

SCRIPT = ROOT / "benchmarks" / "aged_notebooks.py"


@pytest.fixture(scope="module")
def aged() -> Any:
    spec = spec_from_file_location("aged_notebooks", SCRIPT)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules["aged_notebooks"] = module
    spec.loader.exec_module(module)
    return module


def ask_git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, str]:
    """A folder with a clone whose large file is absent, and the commit."""
    clone = tmp_path / "who+what" / "repo"
    files = {"deep/nb/a.py": "# In[1]:\n\nprint(1)\n\n# In[ ]:\n\n1 / 0\n", "deep/input/nb/d.csv": "1", "big.csv": "2"}
    for name, text in files.items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        ask_git(clone, *words)
    blob = ask_git(clone, "rev-parse", "HEAD:big.csv")
    (clone / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return tmp_path, ask_git(clone, "rev-parse", "HEAD")


@pytest.mark.parametrize(("name", "number"), [("aged_notebooks.json", 143), ("relancer.json", 51)])
def test_our_lists_name_notebooks_and_carry_nothing_of_them(aged: Any, name: str, number: int) -> None:
    path = ROOT / "benchmarks" / name
    entries = aged.read_list(path)
    assert len({e.name for e in entries}) == len(entries) == number
    kept = json.loads(path.read_text())["repositories"].values()
    assert all(set(k) <= {"commit", "notebooks", "folders"} and all(map(str.isprintable, k["notebooks"])) for k in kept)


def test_an_entry_is_taken_out_of_a_clone_without_its_absent_files(
    aged: Any, sources: tuple[Path, str], tmp_path: Path
) -> None:
    place, commit = sources
    clone = aged.find_clone(place, "who/what")
    whole = aged.Entry("who/what", commit, "deep/nb/a.py")
    assert aged.take_out(clone, whole, tmp_path / "all") == ["big.csv"]
    part = aged.Entry("who/what", commit, "deep/nb/a.py", ("deep/input/nb",))
    assert aged.take_out(clone, part, tmp_path / "some") == []
    notebook = aged.place_notebook(tmp_path / "some", part.path)
    assert (notebook.parent / "../../input/nb/d.csv").read_text() == "1"
    assert [c["source"] for c in json.loads(notebook.read_text())["cells"]] == ["print(1)", "1 / 0"]


def test_what_cannot_be_measured_is_said_in_a_line(aged: Any, sources: tuple[Path, str], tmp_path: Path) -> None:
    place, commit = sources
    with pytest.raises(aged.ListError, match="git clone"):
        aged.find_clone(place, "no/such")
    clone = aged.find_clone(place, "who/what")
    with pytest.raises(aged.ListError, match="git fetch there first"):
        aged.take_out(clone, aged.Entry("who/what", "0" * 40, "deep/nb/a.py"), tmp_path / "x")
    with pytest.raises(aged.ListError, match="mend the list"):
        aged.take_out(clone, aged.Entry("who/what", commit, "gone.ipynb"), tmp_path / "x")
    (tmp_path / "list.json").write_text('{"repositories": {"a/b": {"commit": "main", "notebooks": ["x.ipynb"]}}}')
    with pytest.raises(aged.ListError, match="no commit of 40"):
        aged.read_list(tmp_path / "list.json")
    (tmp_path / "rows.jsonl").write_text('{"list": "other.json"}\n')
    with pytest.raises(aged.ListError, match="name another file"):
        list(aged.read_rows(tmp_path / "rows.jsonl", "list.json"))


def test_cells_are_paired_by_where_they_were(aged: Any) -> None:
    before, _ = aged.read_statuses([{"status": s} for s in ("ran", "failed", "failed", "ran")])
    healed = [
        {"status": "failed", "inserted": True},
        {"status": "ran", "origin": 2},
        {"status": "ran", "origin": 0},
        {"status": "failed", "origin": 1},
    ]
    found = aged.count_cells(before, *aged.read_statuses(healed))
    assert found == {"cells": 4, "failing": 2, "healed": 1, "lost": 1, "cut": 0, "inserted_failing": 1}
