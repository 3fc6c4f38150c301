"""Environments are made by uv or venv, found by their kernelspecs while they are there, and gone afterwards."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from jupyter_selfheal.errors import InfrastructureError
from jupyter_selfheal.kernels.environments import Environments, find_python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in for uv is a shell script")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What a stand-in for uv was called with, a line each; it refuses what ``broken`` is part of."""
    log, bin_ = tmp_path / "calls", tmp_path / "bin"
    bin_.mkdir()
    script = f'#!/bin/sh\necho "$*" >> {log}\ncase "$*" in *broken*) echo "error: no such release" >&2; echo "hint: look" >&2; exit 1;; esac\n'
    (bin_ / "uv").write_text(script)
    (bin_ / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    return log


def test_an_environment_is_found_by_its_kernelspec_and_goes(calls: Path, tmp_path: Path) -> None:
    with closing(Environments()) as environments:
        oldest = environments.make("3.11", tmp_path / "oldest.txt")
        newest = environments.make("", tmp_path / "newest.txt")
        assert oldest != newest
        spec = KernelSpecManager().get_kernel_spec(oldest)
        program = Path(spec.argv[0])
        assert program.name == "python"
        assert spec.env["VIRTUAL_ENV"] == str(program.parent.parent)
        json.dumps(spec.env)
    assert "JUPYTER_PATH" not in os.environ
    assert not program.parent.parent.parent.exists()
    made, installed, made_newest, _ = calls.read_text().splitlines()
    assert made.startswith("venv --quiet --python 3.11 ")
    assert made_newest.startswith(f"venv --quiet --python {sys.executable} ")
    assert installed.endswith(f"--python {program} ipykernel -r {tmp_path / 'oldest.txt'}")


def test_what_cannot_be_made_is_one_line_with_the_installers_words(calls: Path, tmp_path: Path) -> None:
    with (
        closing(Environments()) as environments,
        pytest.raises(
            InfrastructureError, match=r"^the environment for broken\.txt could not be made: error: no such release$"
        ),
    ):
        environments.make("", tmp_path / "broken.txt")


def test_a_python_that_is_not_there_is_named() -> None:
    assert find_python("") == find_python(f"{sys.version_info.major}.{sys.version_info.minor}") == sys.executable
    with pytest.raises(InfrastructureError, match=r"there is no Python 2\.99 here: install it, or uv"):
        find_python("2.99")


def test_the_folder_of_an_environment_stands_for_it_as_it_is(tmp_path: Path) -> None:
    with closing(Environments()) as environments:
        name = environments.make(sys.prefix)
        assert KernelSpecManager().get_kernel_spec(name).env["VIRTUAL_ENV"] == sys.prefix
    assert Path(sys.prefix).is_dir()


def test_a_folder_in_which_no_notebook_can_be_run_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "bare" / "bin").mkdir(parents=True)
    program = tmp_path / "bare" / "bin" / "python"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with closing(Environments()) as environments:
        with pytest.raises(InfrastructureError, match=r"bare: no ipykernel in it: .*python -m pip install ipykernel"):
            environments.make(str(tmp_path / "bare"))
        with pytest.raises(InfrastructureError, match=r": no Python in it: name the folder of an environment"):
            environments.make(str(tmp_path))


def test_a_reason_of_several_lines_is_told_whole(calls: Path, tmp_path: Path) -> None:
    uv = tmp_path / "bin" / "uv"
    uv.write_text("#!/bin/sh\nprintf 'python9: not found\\nInstall it, or name\\nanother one.\\n' >&2; exit 1\n")
    with (
        closing(Environments()) as environments,
        pytest.raises(InfrastructureError, match="not found Install it, or name another one"),
    ):
        environments.make("3.11", tmp_path / "a.txt")
