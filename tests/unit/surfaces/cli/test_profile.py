"""``enable`` and ``disable`` change the IPython profile in one place, and give it back as it was."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from jupyter_selfheal.errors import ConfigError, NotebookError
from jupyter_selfheal.surfaces.cli import profile
from tests.disk import no_room


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    return tmp_path / "profile_default" / "ipython_config.py"


def switch(name: str) -> int:
    return int(getattr(profile, name)(Namespace(profile="default")))


@pytest.mark.parametrize("text", ["", "c.TerminalInteractiveShell.confirm_exit = False\n"])
def test_what_is_switched_on_and_off_leaves_the_file_as_it_was(config: Path, text: str) -> None:
    config.parent.mkdir()
    if text:
        config.write_text(text)
    switch("enable")
    once = config.read_text()
    switch("enable")
    assert config.read_text() == once
    loaded: list[str] = []
    config_of_ipython = Namespace(
        InteractiveShellApp=Namespace(extensions=loaded), TerminalInteractiveShell=Namespace()
    )
    exec(once, {"get_config": lambda: config_of_ipython, "c": config_of_ipython})
    assert loaded == ["jupyter_selfheal"]
    switch("disable")
    switch("disable")
    assert (config.read_text() if config.exists() else "") == text


def test_a_link_stays_a_link(config: Path, tmp_path: Path) -> None:
    config.parent.mkdir()
    (tmp_path / "dotfile.py").write_text("x = 1\n")
    config.symlink_to(tmp_path / "dotfile.py")
    switch("enable")
    assert config.is_symlink()
    switch("disable")
    assert (tmp_path / "dotfile.py").read_text() == "x = 1\n"


def test_a_block_without_its_end_is_left_to_the_user() -> None:
    with pytest.raises(ConfigError, match="is missing"):
        profile.remove_block(f"a = 1\n{profile.BEGIN}\nb = 2\n")


@pytest.mark.parametrize("command", ["enable", "disable"])
def test_a_folder_that_ipython_cannot_keep_is_refused(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IPython takes a new temporary folder each time: what is written there is read by no session."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "file" / "ipython"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ConfigError, match="set IPYTHONDIR"):
        switch(command)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_disk_without_room_names_the_variable_that_moves_the_file(config: Path) -> None:
    with no_room(), pytest.raises(NotebookError, match="choose another place with IPYTHONDIR"):
        switch("enable")
    assert not config.exists()
