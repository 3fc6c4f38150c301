"""What lies beside a notebook, or is named by the environment, and is no business of ours: it works, or one line says why not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.kernels.scratch_install import ScratchInstaller
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests
from tests.command import HEAL, heal, place, read_refusal, sources, write
from tests.surroundings import FATAL, STANDARD, write_modules

__all__ = ["place"]

pytestmark = pytest.mark.kernel

TYPO = "items = [1]\nitems.appendd(2)"
HEALED = "items = [1]\nitems.append(2)"
MISSING_HOME = "/proc/none"
"""A home that not even root can make."""


def healed(path: Path) -> bool:
    return sources(path)[-1] == HEALED


@pytest.mark.parametrize("more", [(), pytest.param(("--jobs", "2"), marks=pytest.mark.slow)], ids=["one", "jobs"])
def test_files_that_are_named_like_modules_of_python_change_nothing(place: Path, more: tuple[str, ...]) -> None:
    write_modules(place, *STANDARD)
    notebooks = [write(place / f"{name}.ipynb", TYPO) for name in "ab"]
    # a process of its own: a fork of the test server starts workers that look for modules where it was started
    command = [*HEAL, *map(str, notebooks), "--in-place", *more]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert all(healed(notebook) for notebook in notebooks)


@pytest.mark.first_examples(1)
@pytest.mark.parametrize("name", FATAL)
def test_a_file_that_keeps_the_kernel_from_starting_is_named(place: Path, name: str) -> None:
    write_modules(place, name)
    command = [HEAL[0], "-P", *HEAL[1:], str(write(place / "n.ipynb", TYPO)), "-o", "out.ipynb"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=120, check=False)
    assert f"{name}.py in {place} hides Python's own module {name}: rename it" in read_refusal(done)


def test_the_installer_imports_nothing_from_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_modules(tmp_path, *STANDARD, *FATAL)
    monkeypatch.chdir(tmp_path)
    installer = ScratchInstaller()
    assert "ipykernel==" in installer._list_installed()


def test_the_judge_of_a_bench_imports_nothing_from_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_modules(tmp_path, *STANDARD, *FATAL)
    monkeypatch.chdir(tmp_path)
    assert find_failing_tests("def f(x):\n    return x\n", ["assert f(1) == 1", "assert f(1) == 2"]) == (1,)


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [("sitecustomize", "usercustomize"), pytest.param(("conftest",), marks=pytest.mark.slow)],
    ids=["site and user customize", "conftest"],
)
def test_files_that_other_programs_read_are_not_read(place: Path, files: tuple[str, ...]) -> None:
    write_modules(place, *files)
    (place / ".env").write_bytes(b"\xff\xfe=\nANTHROPIC_API_KEY")
    heal(write(place / "n.ipynb", TYPO), "--in-place", ends=0)
    assert healed(place / "n.ipynb")


@pytest.mark.first_examples(1)
@pytest.mark.parametrize("variable", ["PYTHONSTARTUP", pytest.param("PYTHONPATH", marks=pytest.mark.slow)])
def test_start_files_that_fail_or_print_are_the_kernels_own_matter(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    folder = tmp_path / "start"
    folder.mkdir()
    file = folder / ("sitecustomize.py" if variable == "PYTHONPATH" else "start.py")
    file.write_text("print('hello'); raise RuntimeError('no')\n")
    monkeypatch.setenv(variable, str(folder if variable == "PYTHONPATH" else file))
    heal(write(place / "n.ipynb", TYPO), "--in-place", "--jobs", "2", ends=0)
    assert healed(place / "n.ipynb")


@pytest.mark.first_examples(1)
@pytest.mark.parametrize(
    ("package", "fatal"), [("jupyter_client", True), pytest.param("nbformat", False, marks=pytest.mark.slow)]
)
def test_a_broken_package_on_the_path_is_named_or_does_no_harm(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, fatal: bool
) -> None:
    broken = tmp_path / "broken" / package
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('half of it is missing')\n")
    monkeypatch.setenv("PYTHONPATH", str(broken.parent))
    done = heal(write(place / "n.ipynb", TYPO), "--in-place")
    if fatal:
        assert f"{broken / '__init__.py'} cannot be imported (ImportError: half of it is missing)" in read_refusal(done)
    else:
        assert done.returncode == 0, done.said


def test_a_home_that_does_not_exist_needs_another_place_for_the_journal(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(place / "n.ipynb", TYPO)
    monkeypatch.setenv("HOME", MISSING_HOME)
    done = heal(path, "--in-place", ends=0)
    assert done.stderr == ""
    monkeypatch.delenv("JUPYTER_DATA_DIR")
    write(path, TYPO)
    line = read_refusal(heal(path, "--in-place"))
    assert all(word in line for word in (MISSING_HOME, "set JUPYTER_DATA_DIR to a folder that can be written"))


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare to make a folder that root cannot write")
@pytest.mark.slow
def test_a_folder_that_cannot_be_written_needs_another_place_for_the_notebook(place: Path, tmp_path: Path) -> None:
    write(place / "n.ipynb", TYPO)
    mount = f'mount --bind {place} {place} && mount -o remount,bind,ro {place} && cd {place} && exec "$@"'
    command = ["unshare", "-rm", "sh", "-c", mount, "sh", *HEAL, "n.ipynb"]
    if subprocess.run([*command[:5], "sh", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *words], capture_output=True, text=True, timeout=120, check=False, env=os.environ
        )

    assert "n.ipynb: cannot be written (Read-only file system): choose another place with -o" in read_refusal(
        run("--in-place")
    )
    done = run("-o", str(tmp_path / "out.ipynb"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert healed(tmp_path / "out.ipynb")


def test_a_worker_is_this_package_even_where_another_one_is_installed(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys; from jupyter_selfheal.own_process import process_arguments\n"
        "ran = subprocess.run(**process_arguments('surfaces.worker.__main__'), input=b'', capture_output=True)\n"
        "sys.stdout.buffer.write(ran.stdout)"
    )
    (tmp_path / "n").mkdir()
    package = Path(__file__).parents[2] / "jupyter_selfheal"
    shutil.copytree(
        package, tmp_path / "jupyter_selfheal", ignore=shutil.ignore_patterns("__pycache__", "labextension")
    )
    (tmp_path / "jupyter_selfheal" / "_version.py").write_text('__version__ = "99.0"\n')
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path / "n", check=False)
    assert '"version":"99.0"' in ran.stdout, ran.stderr
