"""A real ``jupyter-book build`` of three pages, one of which fails: it fails and names the cell, and heals when it is told to."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.command import place, sources, write
from tests.shown_commands import ROOT

__all__ = ["place"]

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

CONFIG = """
title: Stock
execute:
  execute_notebooks: auto
sphinx:
  extra_extensions:
    - jupyter_selfheal.surfaces.sphinx_pages
  config:
    selfheal: {mode}
"""
TOC = "format: jb-book\nroot: intro\nchapters:\n  - file: slip\n  - file: words\n"
MYST = """---
file_format: mystnb
kernelspec:
  name: python3
---

# Words

```{code-cell} ipython3
print("twice" * 2)
```
"""
SLIP = "print([s.uper() for s in stock])"


@pytest.fixture(scope="module")
def book() -> Path:
    """The command, in an environment that is made once on a machine: Jupyter Book wants an older Sphinx than our pages."""
    folder = Path(tempfile.gettempdir(), f"selfheal-book-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    command, python = folder / "bin" / "jupyter-book", folder / "bin" / "python"
    if not command.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "-q"]
        switched_off = {**os.environ, "SELFHEAL_NO_LABEXTENSION": "1"}
        subprocess.run([*install, "-e", f"{ROOT}[text]", "jupyter-book<2"], check=True, env=switched_off)
    return command


def build(book: Path, place: Path, mode: str) -> subprocess.CompletedProcess[str]:
    (place / "_config.yml").write_text(CONFIG.format(mode=mode))
    return subprocess.run([book, "build", "."], cwd=place, capture_output=True, text=True, check=False)


@pytest.mark.timeout(900)
def test_a_build_fails_naming_the_cell_and_heals_when_told_to(book: Path, place: Path) -> None:
    (place / "_toc.yml").write_text(TOC)
    title = {"cell_type": "markdown", "metadata": {}, "source": "# A page"}
    kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    write(place / "intro.ipynb", title, "print(6 * 7)", kernelspec=kernelspec)
    write(place / "slip.ipynb", title, "stock = ['a', 'b']", SLIP, kernelspec=kernelspec)
    (place / "words.md").write_text(MYST)
    checked = build(book, place, "check")
    assert checked.returncode != 0
    assert "slip.ipynb: cell 2: AttributeError: 'str' object has no attribute 'uper'" in checked.stderr
    assert "words.md" not in checked.stderr.partition("cells fail")[2], "only what fails is named"
    healed = build(book, place, "heal")
    assert healed.returncode == 0, healed.stderr
    pages = {name: (place / "_build" / "html" / f"{name}.html").read_text() for name in ("intro", "slip", "words")}
    assert "['A', 'B']" in pages["slip"]
    assert "42\n" in pages["intro"]
    assert "twicetwice" in pages["words"]
    assert sources(place / "slip.ipynb")[-1] == SLIP, "the file stays as it is"
    (place / "slip.ipynb").write_text((place / "slip.ipynb").read_text().replace("uper", "no_such_thing"))
    left = build(book, place, "heal")
    assert left.returncode != 0
    assert "slip.ipynb: cell 2: AttributeError: 'str' object has no attribute 'no_such_thing'" in left.stderr
