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


def test_the_page_heals_its_cells(address: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra browser")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.click("#try-start")
        page.wait_for_function("!document.getElementById('try-heal').disabled", timeout=240_000)
        page.click("#try-heal")
        page.wait_for_function("document.getElementById('try-state').textContent.includes('healed')", timeout=280_000)
        assert "left to you" not in page.inner_text("#try-state")
        cells = page.eval_on_selector_all("textarea", "cells => cells.map(cell => cell.value)")
        browser.close()
    assert cells[1].startswith("total = prices['tea']")
    assert cells[5].startswith("if len(amounts) > 3:")
    assert "if value > largest:" in cells[6], "by the search"
