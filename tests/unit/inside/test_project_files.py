"""Where the files of a notebook's project are looked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from jupyter_selfheal.inside.probes.failure_state import FailureState
from jupyter_selfheal.inside.probes.project_files import find_folders

STATE = FailureState(SimpleNamespace(user_ns={}), None, None)


def test_where_nothing_marks_the_project_files_are_looked_for_one_folder_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "project" / "analysis" / "notebooks"
    here.mkdir(parents=True)
    (here.parent / "near.py").touch()
    (tmp_path / "project" / "far.py").touch()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (find_folders(STATE, "near"), find_folders(STATE, "far")) == ([".."], [])
    (tmp_path / "project" / ".git").mkdir()
    assert (find_folders(STATE, "near"), find_folders(STATE, "far")) == ([".."], ["../.."])
