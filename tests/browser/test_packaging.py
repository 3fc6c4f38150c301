"""The wheel carries the extension, small and enabled; the sdist builds that wheel without Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import jupyter_selfheal

ROOT = Path(__file__).parents[2]
IN_WHEEL = "data/share/jupyter/labextensions/jupyter-selfheal/"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that is built from it with no Node on PATH."""
    required = bool(os.environ.get("SELFHEAL_BROWSER_REQUIRED"))
    if not required:
        pytest.importorskip("hatchling")
    if not (ROOT / "jupyter_selfheal/labextension/package.json").exists() and not shutil.which("node"):
        assert not required, "CI must have the extension built, or Node to build it"
        pytest.skip("the extension is not built here, and there is no Node to build it with")
    folder = tmp_path_factory.mktemp("packages")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    subprocess.run([*build, "sdist"], cwd=ROOT, check=True, timeout=280)
    sdist = next(folder.glob("*.tar.gz"))
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    source = next((folder / "unpacked").iterdir())
    empty = folder / "bin"
    empty.mkdir()
    subprocess.run([*build, "wheel"], cwd=source, check=True, timeout=120, env={**os.environ, "PATH": str(empty)})
    return sdist, next(folder.glob("*.whl"))


def test_each_part_keeps_to_its_budget(built: tuple[Path, Path]) -> None:
    """The budgets of docs/adr/0020-size-of-the-wheel.md, in bytes as compressed."""
    sdist, wheel = built
    files = zipfile.ZipFile(wheel).infolist()
    extension = sum(i.compress_size for i in files if IN_WHEEL in i.filename)
    rules = sum(i.compress_size for i in files if i.filename.startswith("jupyter_selfheal/healers/rules/"))
    assert extension <= 40_000
    assert rules <= 1_075_000
    assert wheel.stat().st_size <= 3_410_000
    assert sdist.stat().st_size < 4_440_000


def test_wheel_holds_nothing_for_developers(built: tuple[Path, Path]) -> None:
    archive = zipfile.ZipFile(built[1])
    names = archive.namelist()
    assert [
        name for name in names if name.endswith((".map", ".ts", ".orig", ".pyc", ".LICENSE.txt", "yarn.lock"))
    ] == []
    assert {name.split("/")[0] for name in names if "jupyter_selfheal-" not in name} == {"jupyter_selfheal"}
    assert len([name for name in names if "license" in name.lower() and not name.endswith("licenses/")]) == 2
    scripts = [archive.read(name) for name in names if IN_WHEEL + "static/" in name and name.endswith(".js")]
    largest = max(scripts, key=len)
    assert largest.count(b"\n") < 10, "minified"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="made from a checkout")
def test_wheel_names_the_commit_of_its_checkout(built: tuple[Path, Path]) -> None:
    """Rows of a benchmark name it."""
    ran = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert zipfile.ZipFile(built[1]).read("jupyter_selfheal/_commit").decode() == ran.stdout


def test_lock_file_holds_no_addresses() -> None:
    text = (ROOT / "labextension/yarn.lock").read_text()
    assert "@codemirror/merge@" in text
    assert "://" not in text


def test_both_sides_have_one_version() -> None:
    package = json.loads((ROOT / "labextension/package.json").read_text())
    assert package["version"] == jupyter_selfheal.__version__


def test_wheel_holds_the_built_extension_and_no_leftovers(built: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(built[1]).namelist()
    extension = [name.partition(IN_WHEEL)[2] for name in names if IN_WHEEL in name]
    assert {"install.json", "package.json", "static/third-party-licenses.json", "static/style.js"} <= set(extension)
    assert any(name.startswith("static/remoteEntry.") for name in extension)
    assert "schemas/jupyter-selfheal/plugin.json" in extension
    assert [name for name in names if name.endswith(".orig") or "node_modules" in name or ".." in name] == []
    assert not [name for name in names if name.startswith("jupyter_selfheal/labextension")]


def test_installed_wheel_is_an_enabled_extension(built: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("jupyterlab")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=120)
    python = venv / "bin" / "python"
    installer = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*installer, str(built[1])], check=True, timeout=120)
    # JupyterLab itself is taken from the environment of the tests.
    site = next((venv / "lib").glob("python*/site-packages"))
    import jupyterlab

    (site / "lab.pth").write_text(str(Path(jupyterlab.__file__).parents[1]))
    env = {**os.environ, "JUPYTER_CONFIG_DIR": str(tmp_path / "config"), "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    found = subprocess.run(
        [python, "-m", "jupyterlab.labextensions", "list"],
        env=env,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = found.stdout + found.stderr
    own = said.split(str(venv), 1)[1]
    assert f"jupyter-selfheal v{jupyter_selfheal.__version__}" in own
    line = next(line for line in own.splitlines() if "jupyter-selfheal v" in line)
    assert "enabled" in line
    assert "OK" in line
