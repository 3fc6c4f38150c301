"""``--install``: a missing module is proven by installing it where only trials see it, and offered as a cell of the notebook."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.command import heal, place, read_cells, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

MODULE = "barnum"
"""A distribution of this name is known; the one that is installed here is a stand-in of ours."""


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place that anything can be installed from: a folder with one wheel."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    make_wheel(folder, "def show(n):\n    return n * 2\n")
    for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(name, str(folder))
    for name in ("PIP_NO_INDEX", "UV_NO_INDEX"):
        monkeypatch.setenv(name, "1")
    return folder


def make_wheel(folder: Path, source: str, module: str = MODULE) -> None:
    info = f"{module}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{module}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", source)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", f"{module}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


def given(place: Path) -> Path:
    return write(place / "n.ipynb", "x = 21", f"import {MODULE}\ny = {MODULE}.show(x)\nprint(y)", "assert y == 42")


def test_a_missing_module_is_installed_where_only_trials_see_it(place: Path, wheels: Path) -> None:
    notebook = given(place)
    words = ("--install", "-o", "out.ipynb", "--report", "r.json", "--report", "r.html")
    done = heal(notebook, *words, seconds=280)
    # the report has what the installer said, which the table has no room for
    assert done.returncode == 0, done.said + (place / "r.json").read_text()
    cells = read_cells(place / "out.ipynb")
    assert ["".join(c["source"]) for c in cells][1] == f"%pip install {MODULE}"
    assert cells[1]["metadata"]["selfheal"]["inserted"] is True
    assert [c["outputs"][0]["text"] for c in cells if c["outputs"]] == [["42\n"]]
    report = json.loads((place / "r.json").read_text())["notebooks"][0]
    assert report["survived_clean_run"]
    healed = next(c for c in report["cells"] if c["status"] == "healed")
    assert healed["fix"]["title"] == f"Install {MODULE}"
    assert healed["fix"]["rule"] == "IMP104"
    assert f"%pip install {MODULE}" in healed["fix"]["diff"]
    assert f"Install {MODULE}" in done.stdout
    assert f"%pip install {MODULE}" in (place / "r.html").read_text()
    there = subprocess.run([sys.executable, "-c", f"import {MODULE}"], cwd=place, capture_output=True, check=False)
    assert there.returncode == 1, "the environment itself is as it was"


def test_without_leave_to_install_the_module_is_only_named(place: Path, wheels: Path) -> None:
    notebook = given(place)
    cell = heal(notebook, "-o", "out.ipynb", "--json", ends=1).cells[1]
    assert (cell["status"], cell["skip_reason"], cell["fix"]) == ("left alone", "missing module", None)
    assert f"pip install {MODULE}" in cell["detail"]
    assert sources(place / "out.ipynb") == sources(notebook)


def test_what_cannot_be_installed_is_said_and_nothing_is_inserted(place: Path, wheels: Path) -> None:
    shutil.rmtree(wheels)
    wheels.mkdir()
    notebook = given(place)
    cell = heal(notebook, "--install", "-o", "out.ipynb", "--json", ends=1).cells[1]
    assert cell["status"] == "left alone"
    assert "could not be installed" in cell["detail"] + str(cell["fix"])
    assert sources(place / "out.ipynb") == sources(notebook)


@pytest.mark.slow
def test_a_module_that_is_installed_and_still_cannot_be_imported_is_said(place: Path, wheels: Path) -> None:
    make_wheel(wheels, "raise ImportError('it needs another Python')\n")
    notebook = given(place)
    cell = heal(notebook, "--install", "-o", "out.ipynb", "--json", ends=1).cells[1]
    assert cell["status"] == "left alone"
    assert f"{MODULE} was installed for a trial, and the cell failed: ImportError: it needs another" in cell["detail"]
    assert sources(place / "out.ipynb") == sources(notebook)


@pytest.mark.slow
def test_an_optional_dependency_that_a_library_asks_for_is_installed(place: Path, wheels: Path) -> None:
    asks = (
        f"def needs():\n    try:\n        import {MODULE}\n    except ImportError:\n"
        f"        raise ImportError('`Import {MODULE}` failed. Use pip to install the {MODULE} package.') from None\n"
        f"    return {MODULE}"
    )
    notebook = write(place / "n.ipynb", asks, "assert needs().show(21) == 42")
    heal(notebook, "--install", "-o", "out.ipynb", ends=0)
    cells = read_cells(place / "out.ipynb")
    assert f"%pip install {MODULE}" in ["".join(c["source"]) for c in cells]


@pytest.mark.slow
def test_where_states_are_reconstructed_the_installed_module_is_there_too(place: Path, wheels: Path) -> None:
    thread = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()"
    notebook = write(
        place / "n.ipynb", f"import {MODULE}", thread, f"y = {MODULE}.show(21)", "assert y == 42", "'a'.uper()"
    )
    report = heal(notebook, "--install", "-o", "out.ipynb", "--json", ends=0).notebook
    assert [c["status"] for c in report["cells"]] == ["healed", "ran", "ran", "ran", "healed"]
    assert any("reconstructed by replay" in note for note in report["notes"])


OLD_PANDAS = """
class DataFrame:
    def __init__(self, columns):
        self.rows = len(columns["a"])

    def append(self, row, ignore_index):
        return DataFrame({"a": [0] * (self.rows + 1)})

    def __len__(self):
        return self.rows
"""


@pytest.mark.slow  # a heal and an installation
def test_an_older_library_is_offered_in_place_of_a_fix_of_the_code(place: Path, wheels: Path) -> None:
    """The stand-in for an older pandas has what this notebook needs of it."""
    make_wheel(wheels, OLD_PANDAS, "pandas")
    asked = "# tables\npandas>=0.25\n"
    (place / "requirements.txt").write_text(asked)
    code = "import pandas as pd\ntable = pd.DataFrame({'a': [1]})", "table = table.append({'a': 2}, ignore_index=True)"
    notebook = write(place / "n.ipynb", *code, "print(len(table))")
    done = heal(notebook, "--install", "-o", "out.ipynb", "--json", seconds=280, ends=0)
    assert [c["status"] for c in done.cells] == ["ran", "healed", "ran"]
    (offered,) = done.notebook["files"]
    assert (offered["title"], offered["written"]) == ("Ask for pandas<2.0", False)
    assert offered["status"].startswith("offered in place of the fix of cell 2, not beside it: with pandas 1.0 in")
    assert "-pandas>=0.25\n+pandas>=0.25,<2.0" in offered["diff"]
    assert (place / "requirements.txt").read_text() == asked, "never both"
    (place / "requirements.txt").write_text("pandas>=0.25\nbarnum>=2\n")
    left = heal(notebook, "--install", "-o", "again.ipynb", "--json", "--no-cache", seconds=280, ends=0)
    assert left.notebook["files"] == []
    assert any("pandas<2.0 in place of the fix of cell 2 does not do" in note for note in left.notebook["notes"])
