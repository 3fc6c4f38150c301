"""Installing where only trials see it: from a folder of wheels, so that no test needs a network."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from jupyter_selfheal.errors import InfrastructureError
from jupyter_selfheal.kernels.scratch_install import ScratchInstaller


def write_wheel(folder: Path, name: str, module: str, needs: tuple[str, ...] = ()) -> None:
    """A distribution of one module that says 42."""
    info = f"{name}-1.0.dist-info"
    needed = "".join(f"Requires-Dist: {other}\n" for other in needs)
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", "value = 42\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needed}")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", f"{module}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of one distribution, ``tinything``, whose module is ``tiny_thing``."""
    write_wheel(tmp_path, "tinything", "tiny_thing")
    for name in ("PIP_NO_INDEX", "UV_NO_INDEX"):
        monkeypatch.setenv(name, "1")
    for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def test_a_module_is_there_for_who_has_the_path_and_for_nobody_else(wheels: Path) -> None:
    installer = ScratchInstaller()
    path = installer("tinything")
    assert installer("tinything") == path, "installed once"
    code = "import tiny_thing; print(tiny_thing.value)"
    seen = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True)
    assert seen.stdout == b"42\n"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 1
    installer.close()
    assert not Path(path).exists()


def test_only_what_is_missing_is_brought(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no uv
    write_wheel(wheels, "bigthing", "big_thing", needs=("tinything", "pytest"))
    installer = ScratchInstaller()
    brought = {path.name for path in Path(installer("bigthing")).glob("*.dist-info")}
    assert brought == {"bigthing-1.0.dist-info", "tinything-1.0.dist-info"}, "pytest is there, and has no wheel here"
    installer.close()


def test_a_pip_that_cannot_say_what_is_missing_brings_all_of_it(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no uv
    python = tmp_path / "python"
    python.write_text(f"""#!/bin/sh
case "$*" in *--report*) echo "no such option: --report" >&2; exit 2;; esac
exec {sys.executable} "$@"
""")
    python.chmod(0o755)
    installer = ScratchInstaller(str(python))
    assert (Path(installer("tinything")) / "tiny_thing.py").exists()
    installer.close()


def test_what_cannot_be_installed_says_why(wheels: Path) -> None:
    installer = ScratchInstaller()
    with pytest.raises(InfrastructureError, match="no-such-thing could not be installed: "):
        installer("no-such-thing")
    installer.close()


def test_releases_that_do_not_go_together_are_said_in_words(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no uv
    write_wheel(wheels, "oldthing", "old_thing", needs=("pytest<1",))
    installer = ScratchInstaller()
    with pytest.raises(InfrastructureError, match="oldthing could not be installed: none of its releases goes with"):
        installer("oldthing")
    installer.close()


@pytest.mark.parametrize("requirement", ["", "-r evil.txt", "https://example.org/x.whl", "a; rm -rf", "../x", "--pre"])
def test_only_names_of_distributions_are_installed(requirement: str) -> None:
    with pytest.raises(InfrastructureError, match="not the name of a distribution"):
        ScratchInstaller()(requirement)


def test_a_python_without_pip_is_installed_for_too_and_gets_none(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "bare" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(python.parents[1])], check=True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no uv
    installer = ScratchInstaller(str(python))
    assert (Path(installer("tinything")) / "tiny_thing.py").exists()
    installer.close()
    assert subprocess.run([python, "-c", "import pip"], capture_output=True).returncode == 1


def test_closing_ends_an_installation_that_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fifo, python = tmp_path / "fifo", tmp_path / "python"
    os.mkfifo(fifo)
    python.write_text(f"#!/bin/sh\necho >{fifo}\nexec sleep 600\n")
    python.chmod(0o755)
    installer = ScratchInstaller(str(python))
    errors: list[Exception] = []

    def install() -> None:
        try:
            installer("tinything")
        except InfrastructureError as error:
            errors.append(error)

    thread = threading.Thread(target=install, daemon=True)
    thread.start()
    fifo.read_text()  # it runs
    installer.close()
    thread.join(60)
    assert len(errors) == 1
