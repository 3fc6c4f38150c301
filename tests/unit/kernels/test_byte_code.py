"""Byte code of an environment that holds none: found to be missing, compiled apart, read and written in the user's cache."""

from __future__ import annotations

import os
import py_compile
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from jupyter_selfheal import own_process
from jupyter_selfheal.inside import byte_code
from jupyter_selfheal.kernels.byte_code import PREFIX, prepare
from jupyter_selfheal.kernels.freeze import build_kernel_environment


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages that hold no byte code."""
    folder = tmp_path / "site-packages"
    for name in ("bare_one", "bare_two/inner", "bare_three"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("value = 1\n")
    (folder / "bare_two" / "__init__.py").write_text("raise RuntimeError('never imported here')\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(byte_code, "KERNEL", ("bare_three",))
    return folder


def compile_into(file: Path, prefix: Path | None) -> None:
    before, sys.pycache_prefix = sys.pycache_prefix, str(prefix) if prefix else None
    try:
        py_compile.compile(str(file), cache_from_source(str(file)))
    finally:
        sys.pycache_prefix = before


def test_what_is_not_compiled_is_found_without_an_import(installed: Path, tmp_path: Path) -> None:
    names = ["bare_one", "bare_two", "bare_two.inner", "bare_two.nothing", "json", "not_there"]
    kept = tmp_path / "kept"
    assert byte_code.find_uncompiled(names, str(kept)) == ["bare_three", "bare_one", "bare_two", "bare_two.inner"]
    compile_into(installed / "bare_one" / "__init__.py", kept)
    assert byte_code.find_uncompiled(names, str(kept)) == ["bare_three", "bare_two", "bare_two.inner"]
    source = installed / "bare_one" / "__init__.py"
    source.write_text("value = 22\n")  # another release was installed in its place
    assert byte_code.find_uncompiled(["bare_one"], str(kept)) == ["bare_three", "bare_one"]


def test_an_environment_with_its_own_byte_code_is_left_to_it(installed: Path, tmp_path: Path) -> None:
    for name in ("bare_one", "bare_three"):
        compile_into(installed / name / "__init__.py", None)
    assert byte_code.find_uncompiled(["bare_one", "bare_two"], str(tmp_path)) is None


def test_modules_beside_the_notebook_are_never_compiled_for_it(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helpers.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "helpers" not in (byte_code.find_uncompiled(["helpers"], str(tmp_path)) or [])


def test_a_folder_that_the_user_chose_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(PREFIX, str(tmp_path))
    assert prepare("python3", str(tmp_path), ("pandas",)) == ""


def test_a_kernel_is_told_of_the_folder_where_there_is_one() -> None:
    assert build_kernel_environment(0) == {}
    assert build_kernel_environment(0, "/kept") == {PREFIX: "/kept"}


@pytest.mark.parametrize("has_its_own", [True, False])
def test_our_own_process_keeps_byte_code_where_none_is_beside_it(
    has_its_own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(own_process, "__cached__", __file__ if has_its_own else str(tmp_path / "none.pyc"))
    own_process.keep_byte_code()
    kept = own_process.open_byte_code_folder()
    assert (sys.pycache_prefix, sys.dont_write_bytecode) == ((None, True) if has_its_own else (kept, False))


@pytest.mark.skipif(os.name != "posix", reason="about the rights of files")
def test_byte_code_is_not_read_from_where_others_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = own_process.open_byte_code_folder()
    assert os.stat(kept).st_mode & 0o777 == 0o700
    os.chmod(kept, 0o777)
    assert own_process.open_byte_code_folder() == ""
