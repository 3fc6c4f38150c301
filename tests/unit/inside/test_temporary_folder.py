"""The temporary folder of a trial where no overlay can be made."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from jupyter_selfheal.inside.fork.trial import make_temporary_folder


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a kernel of ours, in a fresh home, as a process of it sees it."""
    folder = tmp_path / "kernel"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", None)
    values = {
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "JUPYTER_SELFHEAL_SHARED": str(folder),
        "MPLCONFIGDIR": "",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MPLCONFIGDIR")
    return folder


def test_each_trial_has_its_own_in_the_one_before(shared: Path) -> None:
    (first,) = make_temporary_folder()
    (second,) = make_temporary_folder()
    assert (Path(first).parent, Path(second).parent) == (shared, Path(first))
    assert [tempfile.gettempdir(), os.environ["TMPDIR"], os.environ["MPLCONFIGDIR"]] == [second] * 3


def test_a_kernel_of_the_users_gets_none(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUPYTER_SELFHEAL_SHARED")
    assert make_temporary_folder() == []
    assert os.environ["TMPDIR"] == str(shared.parent)


def test_settings_of_matplotlib_that_are_there_are_read(shared: Path) -> None:
    (shared.parent / ".config" / "matplotlib").mkdir(parents=True)
    assert make_temporary_folder()
    assert "MPLCONFIGDIR" not in os.environ


def test_a_folder_that_is_named_for_matplotlib_stays(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLCONFIGDIR", "/given")
    assert make_temporary_folder()
    assert os.environ["MPLCONFIGDIR"] == "/given"
