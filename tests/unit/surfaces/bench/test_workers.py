"""A measuring that is stopped leaves nothing running, and begins nothing more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.bench import workers
from jupyter_selfheal.surfaces.bench.workers import interruptible, open_threads, open_workers, run_program
from tests.waiting import PATIENCE, wait_until


def work(folder: Path, number: int) -> int:
    """What a worker does: for long, unless it is interrupted."""
    with interruptible():
        try:  # around the mark, too: it is what the interrupt waits for
            (folder / f"{number}-began").touch()
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


MEASURING = """
import signal, sys, pathlib
from tests.unit.surfaces.bench import test_workers
if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        test_workers.measure_for_long(pathlib.Path(sys.argv[1]))
    except KeyboardInterrupt:
        print("interrupted")
"""


def work_long_in_ending(folder: Path) -> None:
    """A worker whose end takes until it is let go, as a kernel's does."""
    with interruptible():
        try:
            (folder / "1-began").touch()
            threading.Event().wait(PATIENCE)
        finally:
            (folder / "1-ending").touch()
            wait_until((folder / "go").exists)
            (folder / "1-ended").touch()


def measure_for_long(folder: Path) -> None:
    with open_workers(2) as pool:
        pool.submit(work_long_in_ending, folder).result()


@pytest.mark.skipif(os.name == "nt", reason="signals to a group of processes")
def test_two_signals_to_the_whole_group_end_it_in_order_and_without_a_traceback(tmp_path: Path) -> None:
    """As ``timeout COMMAND`` and a service that is stopped do."""
    script = tmp_path / "measuring.py"
    script.write_text(MEASURING)
    ran = subprocess.Popen(
        [sys.executable, script, tmp_path],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert wait_until((tmp_path / "1-began").exists)
    os.killpg(ran.pid, signal.SIGTERM)
    assert wait_until((tmp_path / "1-ending").exists)
    os.killpg(ran.pid, signal.SIGTERM)
    (tmp_path / "go").touch()
    said, _ = ran.communicate(timeout=PATIENCE)
    assert (tmp_path / "1-ended").exists(), "a second signal cut what puts things away"
    assert said == "interrupted\n"


def test_what_nohup_ignores_stays_ignored() -> None:
    before = {number: signal.getsignal(number) for number in workers.STOP_SIGNALS}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        workers._note_interrupts()
        with workers.interruptible():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is workers._interrupt_work
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


SLEEPS = """
import pathlib, sys, time
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


def run_for_long(folder: Path, number: int) -> int:
    words = [sys.executable, "-c", SLEEPS, str(folder / f"{number}-began")]
    return run_program(words, cwd=folder, env=os.environ, timeout=PATIENCE).returncode


def _run_until_interrupted(folder: Path, running: list[Future[int]]) -> None:
    with open_threads(2) as pool:
        running += [pool.submit(run_for_long, folder, number) for number in range(4)]
        assert wait_until(lambda: len(list_numbers(folder, "began")) == 2)
        raise KeyboardInterrupt


def test_programs_that_threads_wait_for_end_with_the_measuring(tmp_path: Path) -> None:
    running: list[Future[int]] = []
    with pytest.raises(KeyboardInterrupt):
        _run_until_interrupted(tmp_path, running)
    assert [f.result() for f in running[:2]] == [-signal.SIGTERM] * 2
    assert all(f.cancelled() or isinstance(f.exception(), KeyboardInterrupt) for f in running[2:])
    assert len(list_numbers(tmp_path, "began")) == 2, "nothing further is started"


def test_a_later_measuring_runs_programs_again(tmp_path: Path) -> None:
    with open_threads(1) as pool:
        words = [sys.executable, "-c", "import sys; print(sys.stdin.read() + '!')"]
        ran = pool.submit(run_program, words, cwd=tmp_path, env=os.environ, timeout=PATIENCE, given=b"said").result()
    assert (ran.returncode, ran.stdout.decode().strip()) == (0, "said!")
    with pytest.raises(subprocess.TimeoutExpired):
        run_program([sys.executable, "-c", "import time; time.sleep(600)"], cwd=tmp_path, env=os.environ, timeout=0.2)
