"""Every fixed text of the card is in the catalogue that JupyterLab's translation tools read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.live import widget_payload

ROOT = Path(__file__).parents[4]
CATALOGUE = ROOT / "labextension" / "src" / "cardTexts.ts"
PAYLOAD = Path(widget_payload.__file__)
WIDGET = PAYLOAD.parent / "static" / "widget.js"
NAME = "Self-heal"


@pytest.fixture
def known() -> set[str]:
    if not CATALOGUE.exists():
        pytest.skip("only a checkout has the sources of the JupyterLab extension")
    return set(re.findall(r"trans\.__\('([^']+)'\)", CATALOGUE.read_text(encoding="utf-8")))


def test_texts_of_the_widget_are_in_the_catalogue(known: set[str]) -> None:
    source = WIDGET.read_text(encoding="utf-8")
    written = re.findall(r'(?:text|title|"aria-label"): "(\w[^"]+)"|say\("([^"]+)"', source)
    texts = {a or b for a, b in written} - {NAME}
    assert len(texts) > 15
    assert texts - known == set()


def test_labels_of_the_buttons_are_in_the_catalogue(known: set[str]) -> None:
    source = PAYLOAD.read_text(encoding="utf-8")
    labels = set(re.findall(r'(?:add\(|^[A-Z]+ = \()"\w+", "([^"]+)"', source, re.MULTILINE))
    asked = set(re.findall(r'(?:ask|done)="([^"]+)"', source))
    assert len(labels) > 12
    assert (labels | asked) - known == set()
