"""Ctrl-C, or a signal to end, at any moment of a heal: the original as it was, nothing left, and a run to go on with."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from jupyter_selfheal.journal import jsonl
from tests.command import HEAL, heal, nothing_is_left_running, place, sleeping, sources, write
from tests.waiting import wait_until

__all__ = ["place"]

pytestmark = pytest.mark.kernel

INTERRUPTED = re.compile(
    r"jupyter selfheal: interrupted: nothing more was written, and nothing is left running; go on with: jupyter selfheal heal --resume ([0-9a-f]{8})"
)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files that is nobody else's, with a short name: sockets are made in it."""
    with tempfile.TemporaryDirectory(prefix="ctrl-c-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@contextlib.contextmanager
def running(place: Path, *words: str | Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*HEAL, *map(str, words)], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def comes_to(there: Callable[[], bool], process: subprocess.Popen[str]) -> bool:
    """Whether the command comes to where this holds, before it ends."""
    return wait_until(lambda: there() or process.poll() is not None, pause=0.002) and there()


def journals(place: Path) -> list[Path]:
    return sorted((place.parent / "data" / "selfheal" / "runs").glob("*.jsonl"))


def has(event: str) -> Callable[[Path, psutil.Process], bool]:
    """The moment at which an event is in the journal of the first heal."""

    def there(place: Path, process: psutil.Process) -> bool:
        mark = f'"$":"{event}"'.encode()
        return any(mark in path.read_bytes() for path in journals(place)[:1])

    return there


def a_kernel_starts(place: Path, process: psutil.Process) -> bool:
    return bool(process.children())


def a_cell_runs(place: Path, process: psutil.Process) -> bool:
    return bool(sleeping(place))


MOMENTS = {
    "a kernel starts": a_kernel_starts,
    "the heal begins": has("Started"),
    "reproduced": has("BaselineRan"),
    "diagnosed": has("DiagnosisMade"),
    "a healer answered": has("Answered"),
    "a trial ended": has("TrialEnded"),
    "proposed": has("ProposalMade"),
    "decided": has("Decided"),
    "healed": has("Ended"),
    "a later cell runs": a_cell_runs,
}

GIVEN = ("import os", "x = 'a'.uper()", "!sleep 300", "y")
"""The third cell keeps the command from ending before it is interrupted, whenever that is."""


def interrupted_at(
    place: Path, moment: str, number: signal.Signals = signal.SIGINT
) -> tuple[subprocess.Popen[str], str, str]:
    with running(place, place / "n.ipynb", "--in-place", "--approve", "all", "--timeout", "300") as process:
        there, watched = MOMENTS[moment], psutil.Process(process.pid)
        assert comes_to(lambda: there(place, watched), process), process.communicate()
        if number is signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal sends it, to the whole group
        else:
            process.send_signal(number)
        out, err = process.communicate(timeout=60)
    return process, out, err


ONE_MORE = {"reproduced", "diagnosed", "a healer answered", "proposed", "decided"}
"""Moments next to one that is always tried."""


@pytest.mark.parametrize("moment", [pytest.param(m, marks=pytest.mark.slow if m in ONE_MORE else ()) for m in MOMENTS])
def test_ctrl_c_at_any_moment_leaves_nothing_but_a_run_to_go_on_with(place: Path, temporary: Path, moment: str) -> None:
    given = write(place / "n.ipynb", *GIVEN)
    before = given.read_bytes()
    process, out, err = interrupted_at(place, moment)
    assert process.returncode == 2, err
    assert len(err.strip().splitlines()) == 1, err
    assert INTERRUPTED.fullmatch(err.strip()), err
    assert out == ""
    assert given.read_bytes() == before
    assert nothing_is_left_running(place)
    assert [p.name for p in place.iterdir()] == ["n.ipynb"]
    assert list(temporary.iterdir()) == []
    for path in journals(place):
        assert jsonl.read_journal(path).notices == (), "no line is torn"


@pytest.mark.parametrize("moment", [pytest.param("a trial ended", marks=pytest.mark.slow), "a later cell runs"])
def test_a_signal_to_end_is_answered_like_ctrl_c(place: Path, temporary: Path, moment: str) -> None:
    given = write(place / "n.ipynb", *GIVEN)
    process, _, err = interrupted_at(place, moment, signal.SIGTERM)
    assert process.returncode == 2, err
    assert INTERRUPTED.fullmatch(err.strip()), err
    assert nothing_is_left_running(place)
    assert list(temporary.iterdir()) == []
    assert given.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "moment", [*(pytest.param(m, marks=pytest.mark.slow) for m in ("reproduced", "a trial ended")), "healed"]
)
def test_what_was_interrupted_is_gone_on_with(place: Path, temporary: Path, moment: str) -> None:
    given = write(place / "n.ipynb", *GIVEN)
    _, _, err = interrupted_at(place, moment)
    said = INTERRUPTED.fullmatch(err.strip())
    assert said, err
    (first,) = journals(place)
    tried = first.read_bytes().count(b'"$":"TrialEnded"')
    write(given, *(c.replace("!sleep 300", "1") for c in GIVEN[:3]))
    heal("--resume", said[1], cwd=place, ends=0)  # nothing else need be said again
    assert sources(given)[1] == "x = 'a'.upper()"
    if moment == "healed":
        assert first.read_bytes().count(b'"$":"TrialEnded"') == tried, "what had ended is not done again"
    assert journals(place) == [first]


@pytest.mark.slow
def test_ctrl_c_while_several_notebooks_are_healed_at_once(place: Path, temporary: Path) -> None:
    names = [write(place / f"{n}.ipynb", *GIVEN) for n in "abc"]
    before = [p.read_bytes() for p in names]
    with running(place, *names, "--in-place", "--jobs", "2", "--timeout", "300") as process:
        assert comes_to(lambda: len(sleeping(place)) == 2, process), process.communicate()
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=90)
    assert process.returncode == 2, err
    assert INTERRUPTED.fullmatch(err.strip()), err
    assert [p.read_bytes() for p in names] == before
    assert nothing_is_left_running(place)
    assert list(temporary.iterdir()) == []


def test_what_a_killed_command_leaves_goes_with_the_next_one(place: Path, temporary: Path) -> None:
    there = MOMENTS["a later cell runs"]
    with running(place, write(place / "n.ipynb", *GIVEN), "--in-place", "--timeout", "300") as process:
        watched = psutil.Process(process.pid)
        assert comes_to(lambda: there(place, watched), process), process.communicate()
        process.kill()
        process.communicate()
    assert nothing_is_left_running(place)
    assert wait_until(lambda: all(list(folder.iterdir()) == [] for folder in temporary.iterdir())), "but empty folders"
    for folder in temporary.iterdir():
        os.utime(folder, (0, 0))  # one that is younger than a minute may be filled just now
    heal(write(place / "other.ipynb", "1 + 1"), "-o", "out.ipynb", "--no-cache", ends=0)
    assert list(temporary.iterdir()) == []
