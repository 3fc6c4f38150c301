"""Notebooks as text, healed by the command itself in real kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import heal, place

__all__ = ["place"]

pytestmark = pytest.mark.kernel
pytest.importorskip("jupytext", reason="the extra [text] is not installed")

MYST = "---\nkernelspec:\n  name: python3   # mine\n  display_name: Python 3\n---\n\n# Prose   \n\n```{code-cell} ipython3\n:tags: [a]\n\nx = 'a'.uper()\nx\n```\n"
SCRIPT = "# %% [markdown]\n# Prose\n\n# %%\nimport math\nx = 'b'.uper()   \n"


def test_text_is_healed_in_place_line_by_line(place: Path) -> None:
    myst, script, quarto = place / "n.md", place / "n.py", place / "q.qmd"
    myst.write_text(MYST)
    script.write_text(SCRIPT)
    quarto.write_text("```{python}\n1 + 1\n```\n")
    done = heal(myst, script, quarto, "--in-place", "--approve", "all", ends=2)
    assert myst.read_text() == MYST.replace("uper", "upper")
    assert script.read_text() == SCRIPT.replace("uper", "upper")
    assert "Quarto documents are only read" in done.stderr
    assert "written" in done.stdout
