"""The page "Try it here" heals in the browser. Python's files are no part of the repository: SELFHEAL_PYODIDE names their npm package."""

from __future__ import annotations

import functools
import http.server
import os
import runpy
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("SELFHEAL_PYODIDE"), reason="SELFHEAL_PYODIDE does not name the npm package pyodide"
    ),
]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The page's own HTML and script with Python's files beside them, served on this machine."""
    shutil.copytree(ROOT / "docs" / "_static", tmp_path / "_static", ignore=shutil.ignore_patterns("pyodide"))
    gather = runpy.run_path(str(ROOT / "docs" / "gather_pyodide.py"))["gather_files"]
    gather(Path(os.environ["SELFHEAL_PYODIDE"]), tmp_path / "_static" / "pyodide")
    page = (ROOT / "docs" / "try.md").read_text().split("```{raw} html\n")[1].split("```")[0]
    (tmp_path / "try.html").write_text(f"<!doctype html><meta charset=utf-8>{page}")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/try.html"
        server.shutdown()


@pytest.fixture
def page(address: str) -> Iterator[Any]:
    """The page, Python started."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra browser")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        start(page)
        yield page
        browser.close()


def start(page: Any) -> None:
    page.click("#try-start")
    wait_until_ready(page)


def wait_until_ready(page: Any) -> None:
    page.wait_for_function("!document.getElementById('try-heal').disabled", timeout=140_000)


def heal(page: Any, example: str = "") -> list[str]:
    """Choose an example, have it healed; returns the cells as they are then."""
    if example:
        page.select_option("#try-example", label=example)
    page.click("#try-heal")
    wait_until_ready(page)
    return [str(text) for text in page.eval_on_selector_all("textarea", "cells => cells.map(cell => cell.value)")]


def test_the_page_heals_its_examples(page: Any) -> None:
    cells = heal(page)
    assert page.inner_text("#try-state").startswith("5 healed, and every cell runs")
    assert cells[1].startswith("total = prices['tea']")
    assert cells[5].startswith("if len(amounts) > 3:")
    assert "- total = prixes['tea'] * 3" in page.inner_text(".try-diff >> nth=0")
    assert page.inner_text("output >> nth=2") == "most: 3"
    assert "if value > largest:" in heal(page, "A wrong result, found by search")[0]
    for example in ("Python 2, brought along", "Fault above, failure below"):
        heal(page, example)
        assert "and every cell runs" in page.inner_text("#try-state")
    heal(page, "Left alone, rightly")
    assert page.inner_text(".try-left") == "Set WEATHER_TOKEN and run the cell again."


def test_what_does_not_end_is_stopped_and_python_starts_again(page: Any) -> None:
    page.fill("textarea >> nth=0", "sum(range(10**12))")
    page.click("#try-heal")
    page.click("#try-stop")
    assert "Stopped" in page.inner_text("#try-state")
    start(page)
    assert heal(page, "Python 2, brought along")[0] == "print('Measured in the summer of 2009')"


def test_a_fix_that_is_offered_is_put_in_by_its_button(page: Any) -> None:
    page.fill("textarea >> nth=0", "import statistics\nmean = 3")
    page.fill("textarea >> nth=1", "'mean: ' + statistics.meen([1])")
    heal(page)
    page.click("text=Put it in")
    assert page.input_value("textarea >> nth=1") == "'mean: ' + str(statistics.mean([1]))"
