"""The folder of a kernel whose owner was killed goes with the next run."""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_selfheal.kernels.kernel_process import remove_left_folders


def test_an_empty_folder_of_a_killed_run_is_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = [
        "selfheal-0123abc_/kernel.json",
        "selfheal-bench-0123abcd",
        "selfheal-new01234",
        "selfheal-notebook",
        "other",
    ]
    for name in ("selfheal-gone0123", "selfheal-bench-0123abcd", "selfheal-new01234", "other", "selfheal-0123abc_"):
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "selfheal-notebook").mkdir(mode=0o755)  # one that somebody made by hand
    (tmp_path / kept[0]).touch()
    for folder in tmp_path.iterdir():
        if folder.name != "selfheal-new01234":  # one that is being filled just now
            os.utime(folder, (0, 0))
    remove_left_folders(str(tmp_path))
    assert not (tmp_path / "selfheal-gone0123").exists()
    assert [name for name in kept if not (tmp_path / name).exists()] == []


def test_a_folder_that_cannot_be_listed_is_no_matter(tmp_path: Path) -> None:
    remove_left_folders(str(tmp_path / "missing"))
    assert list(tmp_path.iterdir()) == []
