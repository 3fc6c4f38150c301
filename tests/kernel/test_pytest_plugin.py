"""``pytest --nbval --selfheal``: the proven fix below nbval's own failure, in a run of pytest itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook.api import HealedNotebook
from jupyter_selfheal.surfaces.notebook_failures import HealedNotebooks
from tests.command import place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel
ROOT = Path(__file__).parents[2]
PLUGIN = "jupyter_selfheal.surfaces.pytest_plugin"
HEAVY = ("jupyter_selfheal.engine", "nbformat", "jupyter_client", "anthropic")


def run(place: Path, *words: str) -> str:
    """What pytest prints, with nbval and this plugin and no other; one of the notebook's cells fails."""
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "nbval.plugin", "-p", PLUGIN, "-p", "no:cacheprovider", *words, "n.ipynb"],
        cwd=place, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_the_proven_fix_is_shown_below_the_failing_cell_and_written_where_that_is_asked_for(place: Path) -> None:
    given = write(place / "n.ipynb", "# an empty one is a cell of nbval's too", "", "x = 'a'.uper()\nx")
    said = run(place, "--nbval", "--selfheal-fix")
    assert "Notebook cell execution failed" in said
    assert "Healed: Change `.uper` to `.upper`" in said
    assert "+x = 'a'.upper()" in said
    assert "score" in said
    assert "selfheal: healed in place:" in said
    assert sources(given)[2] == "x = 'a'.upper()\nx"


def test_without_the_second_option_nothing_is_written(place: Path) -> None:
    asked: list[tuple[object, object]] = []

    def refuse(path: Path, **asked_for: object) -> HealedNotebook:
        asked.append((asked_for["output"], asked_for["approve"]))
        raise NotebookError("as far as this goes")

    path = place / "n.ipynb"
    said = [HealedNotebooks(write=write, heal=refuse).explain(path, 0) for write in (False, True)]
    assert asked == [(None, "none"), (path, "safe")]
    assert said == ["not healed: as far as this goes"] * 2


def test_the_plugin_is_found_by_pytest_and_imports_nothing_heavy() -> None:
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert entries == {"selfheal": PLUGIN}
    said = subprocess.run(
        [sys.executable, "-c", f"import sys, {PLUGIN}; print([m for m in {HEAVY} if m in sys.modules])"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.strip() == "[]"
