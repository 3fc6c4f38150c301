"""A measuring that is stopped leaves nothing running, and begins nothing more."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.bench.workers import interruptible, open_workers
from tests.waiting import PATIENCE, wait_until


def work(folder: Path, number: int) -> int:
    """What a worker does: for long, unless it is interrupted."""
    with interruptible():
        (folder / f"{number}-began").touch()
        try:
            threading.Event().wait(PATIENCE)
        finally:
            (folder / f"{number}-ended").touch()
    return number


def list_numbers(folder: Path, what: str) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in folder.glob(f"*-{what}"))


def _work_until_interrupted(folder: Path, waiting: list[Future[int]]) -> None:
    with open_workers(2) as pool:
        waiting += [pool.submit(work, folder, number) for number in range(6)]
        assert wait_until(lambda: len(list_numbers(folder, "began")) == 2)
        raise KeyboardInterrupt


def test_an_interrupt_ends_what_is_under_way_and_drops_what_waits(tmp_path: Path) -> None:
    waiting: list[Future[int]] = []
    with pytest.raises(KeyboardInterrupt):
        _work_until_interrupted(tmp_path, waiting)
    assert list_numbers(tmp_path, "ended") == list_numbers(tmp_path, "began")
    assert len(list_numbers(tmp_path, "began")) == 2, "what the pool had handed over is not begun either"
    assert all(future.done() for future in waiting)
