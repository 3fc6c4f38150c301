"""What is kept of a kernel that may die holds the source of cells: it goes once nobody can be told of it."""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_selfheal.surfaces.live.last_words import LastWords

GONE, HERE = 1 << 30, os.getpid()
"""No system has a process of that number."""


def test_what_terminals_left_goes_once_it_is_old_and_its_process_is_gone(tmp_path: Path) -> None:
    running = tmp_path / "running"
    running.mkdir()
    old = ["terminal-1.told", f"terminal-2.{GONE}", f"terminal-3.{GONE}.new"]
    kept = [f"terminal-4.{HERE}", "kernel-5.told"]
    fresh = ["terminal-6.told", f"terminal-7.{GONE}"]
    for name in (*old, *kept, *fresh):
        (running / name).write_text("{}")
    for name in (*old, *kept):
        os.utime(running / name, (0, 0))
    words = LastWords(str(running / f"terminal-8.{HERE}"), in_terminal=True)
    words.start()
    words.stop()
    assert sorted(os.listdir(running)) == sorted([*kept, *fresh])


def test_a_folder_that_is_not_there_yet_is_nothing_to_sweep(tmp_path: Path) -> None:
    words = LastWords(str(tmp_path / "running" / f"terminal-8.{HERE}"), in_terminal=True)
    words.start()
    words.stop()
    assert not (tmp_path / "running").exists() or os.listdir(tmp_path / "running") == []
