"""The folder in which what a notebook's cells write is thrown away."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from jupyter_selfheal.kernels.project import find_project


def test_the_root_of_the_project_is_found_by_what_stands_there(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "part" / "notebooks"
    folder.mkdir(parents=True)
    assert find_project(str(folder)) == str(folder)
    (tmp_path / "project" / "README.md").touch()
    assert find_project(str(folder)) == str(tmp_path / "project")
    (tmp_path / "project" / "part" / ".git").mkdir()
    assert find_project(str(folder)) == str(tmp_path / "project" / "part"), "a repository ends there"


def test_home_and_the_temporary_folder_are_no_projects() -> None:
    for folder in (os.path.expanduser("~"), tempfile.gettempdir()):
        assert find_project(folder) == str(Path(folder).resolve())


def test_a_project_far_above_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "README.md").touch()
    folder = tmp_path / "1" / "2" / "3" / "4" / "5"
    folder.mkdir(parents=True)
    assert find_project(str(folder)) == str(folder)
