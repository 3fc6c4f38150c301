"""The folder of a kernel whose owner was killed goes with the next run."""

from __future__ import annotations

import fcntl
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


def test_a_full_folder_is_removed_once_its_owner_and_its_warden_were_killed(tmp_path: Path) -> None:
    for name in ("selfheal-killed01", "selfheal-inuse012", "selfheal-older012", "selfheal-linked01"):
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / "kernel.json").touch()
    (tmp_path / "selfheal-killed01" / "owner").touch()
    (tmp_path / "selfheal-linked01" / "owner").symlink_to(tmp_path / "selfheal-killed01" / "owner")
    with (tmp_path / "selfheal-inuse012" / "owner").open("wb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        for folder in tmp_path.iterdir():
            os.utime(folder, (0, 0))
        remove_left_folders(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["selfheal-inuse012", "selfheal-linked01", "selfheal-older012"]


def test_a_folder_that_cannot_be_listed_is_no_matter(tmp_path: Path) -> None:
    remove_left_folders(str(tmp_path / "missing"))
    assert list(tmp_path.iterdir()) == []
