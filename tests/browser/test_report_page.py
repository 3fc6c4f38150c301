"""The report of a batch on a phone: nothing to be scrolled sideways but code in its own box, also with long words and outputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.model import Cell, Diagnosis, Failure
from jupyter_selfheal.surfaces.notebook.html import format_page
from jupyter_selfheal.surfaces.notebook.records import Elsewhere, NotebookReport, Record, Status

pytestmark = pytest.mark.browser

LONG = "temperature_in_degrees_celsius" * 4


def write_page(folder: Path) -> Path:
    failure = Failure("c1", "x", ename="KeyError", evalue=LONG)
    record = Record(Cell("c1", f"{LONG} = 1"), 1, Status.NOT_HEALED, (failure,), Diagnosis(f"`{LONG}` is missing."))
    report = NotebookReport(
        f"lessons/{LONG}.ipynb", records=(record,), elsewhere=(Elsewhere("oldest.txt", ((1, LONG),)),), notes=(LONG,)
    )
    stored = replace(record.stored, stored="-" * 200, got="-" * 200)
    differing = replace(report, records=(replace(record, status=Status.RAN, differs=True, stored=stored),))
    path = folder / "report.html"
    path.write_text(format_page([report, differing, NotebookReport("n.ipynb", error=f"n.ipynb: {LONG}")]))
    return path


def test_nothing_stands_beside_a_narrow_page(context: Any, tmp_path: Path) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(write_page(tmp_path).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("(wide => wide.scrollWidth - wide.clientWidth)(document.querySelector('.wide'))") == 0
    page.close()
