"""The dashboard of a benchmark: its rows are filtered and put in order, and a narrow page has nothing beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.surfaces.bench.configurations import Configuration
from jupyter_selfheal.surfaces.bench.dashboard_page import build_page
from jupyter_selfheal.surfaces.bench.rows import Row, Setup

pytestmark = pytest.mark.browser

ROWS = [
    Row("b", True, True, fix="the larger", score=9.2, seconds=1.5),
    Row("a", False, False, why="</script><b>none</b>", seconds=10.0),
    Row("c", True, False, fix="the smaller", score=8.8, seconds=2.0),
]


def read_column(page: Any, number: int) -> list[str]:
    return list(page.eval_on_selector_all(f"#rows td:nth-child({number})", "cells => cells.map(c => c.textContent)"))


def test_rows_are_filtered_and_put_in_order(context: Any, tmp_path: Path) -> None:
    found = [Configuration("rules", Setup("a set", "all"), {row.name: [row] for row in ROWS})]
    path = tmp_path / "dashboard.html"
    path.write_text(build_page("a set", [("Correct", "<svg xmlns='http://www.w3.org/2000/svg'/>")], found))
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert read_column(page, 2) == ["b", "a", "c"]
    page.click("th button:text-is('seconds')")
    assert read_column(page, 8) == ["1.5", "2", "10"]  # by number, not as texts
    page.click("th button:text-is('seconds')")
    assert read_column(page, 8) == ["10", "2", "1.5"]
    page.fill("#word", "SMALLER")
    assert read_column(page, 4) == ["applied, wrong"]
    assert page.inner_text("#count") == "1 of 3"
    page.fill("#word", "none</b>")
    assert read_column(page, 7) == ["</script><b>none</b>"]
    page.close()
