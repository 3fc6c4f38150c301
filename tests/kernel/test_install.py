"""A missing module, end to end: installed where only the trial sees it, offered as a cell, and not there unless asked for."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.batches import notebook

pytestmark = pytest.mark.kernel

MODULE = "colorlover"
"""A known distribution of one module of its own name; the tests bring a wheel of that name, so that no index is asked."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert importlib.util.find_spec(MODULE) is None, "the tests need a distribution that is not installed"
    wheels, info = tmp_path / "wheels", f"{MODULE}-99.0.dist-info"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / f"{MODULE}-99.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{MODULE}.py", "scales = {'3': ['red', 'green', 'blue']}\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {MODULE}\nVersion: 99.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in wheel.namelist()))
    for name in ("PIP_NO_INDEX", "UV_NO_INDEX"):
        monkeypatch.setenv(name, "1")
    for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(name, str(wheels))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def heal(place: Path, source: str, *words: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The command's words, and the cells of the notebook that it wrote."""
    path, out = place / "n.ipynb", place / "out.ipynb"
    path.write_text(json.dumps(notebook(f"import {MODULE}\n{source}")) + "\n")
    command = [
        sys.executable,
        "-m",
        "jupyter_selfheal",
        "heal",
        str(path),
        "-o",
        str(out),
        "--healers",
        "rules",
        *words,
    ]
    ran = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=280, check=False, env=os.environ)
    written = json.loads((out if out.exists() else path).read_text())
    return ran, ["".join(c["source"]) for c in written["cells"]]


def is_installed() -> bool:
    code = f"import importlib.util; print(importlib.util.find_spec({MODULE!r}) is not None)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"


def test_it_is_proven_from_a_scratch_directory_and_offered_as_a_cell(place: Path) -> None:
    source = f"print(len({MODULE}.scales['3']))"
    ran, cells = heal(place, source, "--install")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert cells == [f"%pip install {MODULE}", f"import {MODULE}\n{source}"]
    assert not is_installed(), "only the trials had it"


def test_without_permission_it_is_advice_and_nothing_is_installed(place: Path) -> None:
    ran, cells = heal(place, "pass")
    assert ran.returncode == 1
    assert cells == [f"import {MODULE}\npass"]
    assert f"Install {MODULE}" in ran.stdout + ran.stderr or f"%pip install {MODULE}" in ran.stdout + ran.stderr
    assert not is_installed()
    journals = "".join(p.read_text() for p in (place.parent / "data").rglob("*.jsonl"))
    assert '"TrialEnded"' not in journals
    assert f'"requirement":"{MODULE}"' in journals
