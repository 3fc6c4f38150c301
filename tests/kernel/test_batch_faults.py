"""What is our own fault, or the machine's: one line, exit 2, the original as it was, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command import heal, place, read_refusal, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def break_library(folder: Path, name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of that name, found before the installed one, that is broken in its own way."""
    broken = folder / "broken" / name
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(broken.parent))


def test_a_fault_that_nobody_foresaw_is_one_line_that_names_a_log(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library that draws the report can be imported, and fails at the end of a heal."""
    source = "class Environment:\n    def __init__(self, *a, **k):\n        raise RuntimeError('this copy is\\nbroken')"
    break_library(tmp_path, "jinja2", source, monkeypatch)
    given = write(place / "n.ipynb", "x = 'a'.uper()")
    before = given.read_bytes()
    done = heal(given, "--in-place", "--approve", "none", "--report", "r.html")
    line = read_refusal(done)
    assert all(word in line for word in ("internal error", "report it with"))
    log = Path(done.stderr.split("report it with ")[1].strip())
    assert log.is_relative_to(tmp_path / "data")
    assert log.stat().st_mode & 0o077 == 0
    assert "Traceback" in log.read_text()
    assert given.read_bytes() == before
    assert {p.name for p in place.iterdir()} == {"n.ipynb"}


@pytest.mark.first_examples(1)
@pytest.mark.parametrize(("library", "left"), [("jinja2", {"n.ipynb"}), ("jupyter_client", {"n.ipynb", "r.html"})])
def test_a_library_that_cannot_be_imported_is_named_with_its_file(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, left: set[str]
) -> None:
    """At the end of a heal, and at its beginning (that is reported)."""
    break_library(tmp_path, library, "raise RuntimeError('this copy is\\nbroken')", monkeypatch)
    given = write(place / "n.ipynb", "x = 'a'.uper()")
    before = given.read_bytes()
    done = heal(given, "--in-place", "--approve", "none", "--report", "r.html")
    line = read_refusal(done)
    assert all(
        word in line
        for word in (
            f"broken/{library}/__init__.py cannot be imported (RuntimeError: this copy is broken)",
            "mend or remove",
        )
    )
    assert given.read_bytes() == before
    assert {p.name for p in place.iterdir()} == left


# --- a disk that is full --------------------------------------------------------------------------------------------


@contextmanager
def disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own of that size."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def filled(folder: Path, left: int) -> None:
    """Fill the disk up to so many bytes."""
    free = shutil.disk_usage(folder).free
    (folder / "ballast").write_bytes(bytes(max(free - left, 0)))


@pytest.mark.slow
def test_a_disk_without_room_for_the_output_leaves_no_half_of_it(place: Path) -> None:
    with disk(place / "full", 64) as full:
        given = write(place / "n.ipynb", "x = 'a'.uper()", "print('long ' * 50_000)")
        before = given.read_bytes()
        done = heal(given, "-o", "full/out.ipynb")
        line = read_refusal(done)
        assert all(word in line for word in ("No space left on device", "out.ipynb", "-o"))
        assert list(full.iterdir()) == []
        assert given.read_bytes() == before
    run = line.rpartition("--resume ")[2].strip()
    again = heal(given, "-o", "out.ipynb", "--resume", run)
    assert (again.returncode, "upper" in (place / "out.ipynb").read_text()) == (0, True), again.stderr


def test_in_place_on_a_full_disk_the_original_stays(place: Path) -> None:
    with disk(place / "full", 128) as full:
        given = write(full / "n.ipynb", "x = 'a'.uper()", "x = x.uper()\nprint('long ' * 30_000)")
        before = given.read_bytes()
        filled(full, 8192)
        done = heal(given, "--in-place", "--approve", "all", cwd=full)
        assert "No space left on device" in read_refusal(done)
        assert given.read_bytes() == before
        assert sorted(p.name for p in full.iterdir()) == ["ballast", "n.ipynb"]


@pytest.mark.slow
def test_a_report_without_room_keeps_no_other_report_from_being_written(place: Path) -> None:
    with disk(place / "full", 64) as full:
        filled(full, 8192)
        given = write(place / "n.ipynb", "1")
        done = heal(given, "--in-place", "--report", "full/r.html", "--report", "r.xml")
        assert done.stderr.strip() == (
            "jupyter selfheal: full/r.html: cannot be written (No space left on device): make room there, or choose another place with --report"
        )
        assert [p.name for p in full.iterdir()] == ["ballast"]
    assert "<testsuite" in (place / "r.xml").read_text()


@pytest.mark.first_examples(1)
@pytest.mark.parametrize("room", [0, 4096], ids=["no room", "room for the first events"])
def test_a_disk_without_room_for_the_journal_stops_the_heal(place: Path, room: int) -> None:
    with disk(place.parent / "data", 64) as data:
        runs = data / "selfheal" / "runs"
        runs.mkdir(parents=True)
        filled(data, room)
        given = write(place / "n.ipynb", "x = 'a'.uper()")
        before = given.read_bytes()
        done = heal(given, "-o", "out.ipynb")
        line = read_refusal(done)
        assert all(word in line for word in ("the journal", "No space left on device", "JUPYTER_DATA_DIR"))
        assert [p.name for p in place.iterdir()] == ["n.ipynb"]
        assert given.read_bytes() == before
        assert all(line.endswith(b"\n") for p in runs.iterdir() for line in p.read_bytes().splitlines(keepends=True))


@pytest.mark.parametrize("room", [pytest.param(0, marks=pytest.mark.slow), 8192], ids=["no room", "hardly any room"])
def test_a_full_folder_for_temporary_files_is_done_without(
    place: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    small = Path(tempfile.mkdtemp(prefix="full-"))
    try:
        with disk(small, 128):
            filled(small, room)
            monkeypatch.setenv("TMPDIR", str(small))
            heal(write(place / "n.ipynb", "x = 'a'.uper()"), "-o", "out.ipynb", ends=0)
            assert [p.name for p in small.iterdir()] == ["ballast"]
    finally:
        small.rmdir()


def test_a_frozen_state_that_is_gone_is_made_again_by_replay(place: Path) -> None:
    """As where the system ends it for want of memory: what the notebook held is had by running its cells once more."""
    end_state = (
        "import os, signal\nguard = os.getppid()\nzygote = int(open(f'/proc/{guard}/stat').read().rpartition(')')[2].split()[1])\n"
        "if 'PYTHONHASHSEED' not in os.environ and open(f'/proc/{zygote}/comm').read().strip() == 'selfheal-zygote':\n    os.kill(zygote, signal.SIGKILL)\n    signal.pause()"
    )
    given = write(place / "n.ipynb", "stock = [3, 4]", end_state, "print(sum(stok))")
    done = heal(given, "--in-place", "--approve", "all", "--offline")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "states are reconstructed by replay" in done.stdout
    assert "the saved state has expired" in " ".join(done.stdout.split()), "and why is said"
    assert sources(given)[2] == "print(sum(stock))"
