"""The same slip in several notebooks of one command: searched for once, then tried first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_selfheal.journal.jsonl import read_journal
from jupyter_selfheal.loop.events import Answered
from tests.command import heal, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

BROKEN = "def area(w, h):\n    return w + h"
CHECKS = "\n".join(f"assert area({w}, {h}) == {w * h}" for w, h in [(2, 3), (4, 5), (1, 7), (0, 3), (2, 9), (6, 6)])


def list_asked(place: Path, run: str) -> list[str]:
    """Who was asked for patches in a heal, by its journal, in order."""
    journal = place.parent / "data" / "selfheal" / "runs" / f"{run}.jsonl"
    return [event.healer for event in read_journal(journal).events() if isinstance(event, Answered)]


def test_what_healed_one_notebook_is_tried_first_in_the_next(place: Path) -> None:
    first = write(place / "a.ipynb", BROKEN, CHECKS)
    second = write(place / "b.ipynb", "import math", BROKEN, CHECKS.replace("(6, 6) == 36", "(5, 5) == 25"))
    heal(first, second, "--output-dir", "out", "--report", "r.json", "--report", "r.html", ends=0)
    notebooks = json.loads((place / "r.json").read_text())["notebooks"]
    searched, known = (next(c for c in n["cells"] if c["status"] == "healed") for n in notebooks)
    assert "search" in list_asked(place, searched["run"])
    assert list_asked(place, known["run"]) == ["memory"], "one candidate, and nothing was searched for"
    assert known["attempts"] == 1
    assert known["fix"]["healer"] == "search"
    assert known["fix"]["why"].endswith("the same fix healed cell 2 of a.ipynb")
    assert "the same fix healed cell 2 of a.ipynb" in (place / "r.html").read_text()
    assert not list((place.parent / "data" / "selfheal" / "runs").glob("*.fixes")), "gone with the run"
