"""Notebooks of format 3, from before 2015: healed as format 4.5, and what they were is never lost."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from tests.command import heal, place
from tests.unit.surfaces.notebook.test_read import OLD

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def given(place: Path) -> Path:
    path = place / "n.ipynb"
    path.write_text(json.dumps(OLD, indent=1) + "\n")
    return path


def test_a_notebook_of_format_3_is_healed_into_one_of_format_4(place: Path) -> None:
    notebook = given(place)
    before = notebook.read_bytes()
    done = heal(notebook, "-o", "out.ipynb", "--report", "r.json", ends=0)
    healed = json.loads((place / "out.ipynb").read_text())
    nbformat.validate(healed)
    assert (healed["nbformat"], healed["nbformat_minor"]) == (4, 5)
    assert ["".join(c["source"]) for c in healed["cells"]] == ["## Title", "print(1)\n1 + 1", "x = 2"]
    assert healed["cells"][1]["outputs"][0]["text"] == ["1\n"]
    assert notebook.read_bytes() == before
    assert "upgraded from notebook format 3" in done.stdout
    report = json.loads((place / "r.json").read_text())["notebooks"][0]
    assert any("upgraded from notebook format 3" in note for note in report["notes"])
    assert report["stored_outputs"] == {"compared": 1, "reproduced": 1}


def test_in_place_what_it_was_is_kept_beside_it(place: Path) -> None:
    notebook = given(place)
    before = notebook.read_bytes()
    (place / "n.v3.ipynb").write_text("mine")
    done = heal(notebook, "--in-place", ends=0)
    assert json.loads(notebook.read_text())["nbformat"] == 4
    assert (place / "n.v3.ipynb").read_text() == "mine"
    assert (place / "n.v3-2.ipynb").read_bytes() == before
    assert "n.v3-2.ipynb" in done.stdout


@pytest.mark.slow
def test_in_place_a_notebook_with_nothing_to_heal_stays_in_its_format(place: Path) -> None:
    notebook = given(place)
    old = json.loads(notebook.read_text())
    old["worksheets"] = old["worksheets"][1:]
    notebook.write_text(json.dumps(old))
    before = notebook.read_bytes()
    heal(notebook, "--in-place", ends=0)
    assert notebook.read_bytes() == before
    assert [p.name for p in place.iterdir()] == ["n.ipynb"]


def test_a_broken_notebook_of_format_3_is_one_clear_line(place: Path) -> None:
    notebook = given(place)
    notebook.write_text(notebook.read_text().replace('"cells": [', '"cells": [7, ', 1))
    done = heal(notebook, "-o", "out.ipynb", ends=2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "notebook format 3, and nbformat cannot upgrade it" in done.stderr
    assert not (place / "out.ipynb").exists()
