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
from jupyter_selfheal.kernels import byte_code as kernels_byte_code
from jupyter_selfheal.kernels.byte_code import PREFIX, give_byte_code_folder, make_room, prepare
from jupyter_selfheal.kernels.launch import build_environment
from jupyter_selfheal.model import Launch

posix_only = pytest.mark.skipif(os.name != "posix", reason="about the rights of files")


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
    assert prepare("python3", ("pandas",)) == ""


def test_a_kernel_is_told_of_the_folder_by_an_option_and_no_variable() -> None:
    argv = ["/usr/bin/python3", "-m", "ipykernel_launcher"]
    told = give_byte_code_folder(argv, build_environment(Launch("python3", "", seed=7, byte_code="/kept")))
    assert told[0] == ["/usr/bin/python3", "-X", "pycache_prefix=/kept", "-m", "ipykernel_launcher"]
    assert PREFIX not in told[1]
    assert give_byte_code_folder(argv, build_environment(Launch("python3", ""))) == (argv, {})


@pytest.mark.parametrize("has_its_own", [True, False])
def test_our_own_process_keeps_byte_code_where_none_is_beside_it(
    has_its_own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert own_process.__spec__ is not None
    monkeypatch.setattr(own_process.__spec__, "cached", __file__ if has_its_own else str(tmp_path / "none.pyc"))
    own_process.keep_byte_code()
    kept = own_process.open_byte_code_folder()
    assert (sys.pycache_prefix, sys.dont_write_bytecode) == ((None, True) if has_its_own else (kept, False))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@posix_only
def test_folders_that_are_made_are_closed_to_others_whatever_the_umask_is(cache: Path) -> None:
    before = os.umask(0)
    try:
        kept = Path(own_process.open_byte_code_folder("one"))
    finally:
        os.umask(before)
    assert kept == cache / "jupyter-selfheal" / "bytecode" / "one"
    assert {place.stat().st_mode & 0o777 for place in (kept, *kept.parents[:3])} == {0o700}


@posix_only
@pytest.mark.parametrize(
    ("place", "mode", "is_taken"),
    [
        ("jupyter-selfheal/bytecode/own", 0o777, False),
        ("jupyter-selfheal/bytecode/own", 0o1777, False),  # others could put files of theirs into it
        ("jupyter-selfheal/bytecode/own", 0o755, True),
        ("jupyter-selfheal", 0o777, False),  # others could put another folder in its place
        ("", 0o777, False),
        ("", 0o1777, True),  # as in /tmp, nobody moves what is another's
    ],
)
def test_byte_code_is_not_read_from_where_others_may_write(cache: Path, place: str, mode: int, is_taken: bool) -> None:
    assert own_process.open_byte_code_folder()
    (cache / place).chmod(mode)
    assert bool(own_process.open_byte_code_folder()) is is_taken


@posix_only
def test_a_link_is_followed_to_where_it_leads_before_that_is_judged(cache: Path, tmp_path: Path) -> None:
    for name, mode in (("closed", 0o700), ("open", 0o777)):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
        (cache / "jupyter-selfheal" / "bytecode").mkdir(parents=True, exist_ok=True)
        (cache / "jupyter-selfheal" / "bytecode" / name).symlink_to(tmp_path / name)
    assert own_process.open_byte_code_folder("closed") == str(tmp_path / "closed")
    assert own_process.open_byte_code_folder("open") == ""


def test_a_relative_cache_is_none_and_a_full_disk_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "beside-the-notebook")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert own_process.open_byte_code_folder("one") == str(
        tmp_path / ".cache" / "jupyter-selfheal" / "bytecode" / "one"
    )
    monkeypatch.setattr(own_process, "LEAST_FREE_MB", 1 << 40)
    assert own_process.open_byte_code_folder("one") == ""


def test_a_home_that_cannot_be_written_to_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert own_process.open_byte_code_folder() == ""


def test_byte_code_that_was_cut_off_is_removed_as_an_import_would_fail_of_it(tmp_path: Path, installed: Path) -> None:
    whole, cut = (installed / name / "__init__.py" for name in ("bare_one", "bare_three"))
    for file in (whole, cut):
        compile_into(file, tmp_path)
    kept, lost = (next(tmp_path.rglob(f"{file.parent.name}/*.pyc")) for file in (whole, cut))
    lost.write_bytes(lost.read_bytes()[:-9])
    assert byte_code.is_compiled(str(cut), str(tmp_path))  # its head is whole
    byte_code.remove_cut_off(str(tmp_path), 0.0)
    assert kept.exists()
    assert not lost.exists()


def test_what_holds_too_much_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python3-1").mkdir()
    (tmp_path / "python3-1" / "x.pyc").write_bytes(b"x" * 100)
    make_room(str(tmp_path))
    assert list(tmp_path.iterdir())
    monkeypatch.setattr(kernels_byte_code, "MOST_MB", 0)
    make_room(str(tmp_path))
    assert not list(tmp_path.iterdir())
