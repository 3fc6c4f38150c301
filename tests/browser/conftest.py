"""One Jupyter server and one headless Chromium for all browser tests; a page, a notebook and a kernel for each.

They are ended after the last browser test, not at the end of the session: while Playwright is on, its event loop counts as
running in this thread, which a test of another part would run into.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import TYPO, Lab
from tests.browser.server import Server
from tests.one_worker import find_group
from tests.waiting import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reason = _missing()
    for item in items:
        if _is_ours(item):
            item.add_marker(pytest.mark.browser)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=_find_place)


def _find_place(item: pytest.Item) -> int:
    """Tests of the kept page come first, one after another, then the other tests of the browser, then those that need none."""
    return (0 if item.get_closest_marker("kept_page") else 1) if _is_ours(item) else 2


def _is_ours(item: pytest.Item | None) -> bool:
    return item is not None and find_group(item.nodeid) == "browser"


def _missing() -> str:
    required = bool(os.environ.get("SELFHEAL_BROWSER_REQUIRED"))
    try:
        import jupyterlab  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        if required:
            raise
        return f"{error.name} is not installed: pip install 'jupyter-selfheal[browser]'"
    if not CHROMIUM:
        assert not required, "CI must have Chromium"
        return "no Chromium was found on PATH"
    return ""


class Shared:
    """What is started once: a server, and a browser with one profile, whose cache keeps JupyterLab's own files."""

    def __init__(self, root: Path) -> None:
        from playwright.sync_api import sync_playwright

        self.server = Server(root)
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        self.context = self._browser.new_context(viewport={"width": 1280, "height": 1000})
        self.context.set_default_timeout(PATIENCE * 1000)
        self.kept_page: Any = None

    def close(self) -> None:
        self.context.close()
        self._browser.close()
        self._playwright.stop()
        self.server.close()
        assert asyncio._get_running_loop() is None, "Playwright's loop must end with the browser tests"


CLOSE_ALL = """() => {
  const { shell } = window.jupyterapp ?? {};
  for (const widget of [...(shell?.widgets('main') ?? [])]) widget.dispose();
  return Boolean(shell) && !document.querySelector('.Toastify__toast, .jp-Dialog, .lm-Menu');
}"""
"""Close every notebook unsaved; whether the page is then as it was before: nothing of JupyterLab's own is in the way."""

SHARED = pytest.StashKey[Shared]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Let go of the browser before a test of another part runs."""
    yield
    if not _is_ours(nextitem) and SHARED in item.config.stash:
        shared = item.config.stash[SHARED]
        del item.config.stash[SHARED]
        shared.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Keep a picture of what a failing test saw, where ``SELFHEAL_SCREENSHOTS`` names a folder."""
    report: Any = yield
    folder = os.environ.get("SELFHEAL_SCREENSHOTS")
    page = getattr(item, "funcargs", {}).get("page")
    if folder and page is not None and call.when == "call" and report.failed:
        for number, seen in enumerate(page.context.pages):
            seen.screenshot(path=Path(folder) / f"{item.name}-{number}.png")
    return report


@pytest.fixture
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    stash = request.config.stash
    if SHARED not in stash:
        stash[SHARED] = Shared(tmp_path_factory.mktemp("jupyter"))
    return stash[SHARED]


@pytest.fixture
def server(shared: Shared) -> Server:
    return shared.server


@pytest.fixture
def context(shared: Shared) -> Any:
    return shared.context


@pytest.fixture
def page(shared: Shared, server: Server, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page for the test; afterwards its notebooks are closed and all kernels ended.

    It is a page of its own, but in a file marked ``kept_page``, whose tests open their notebooks in one page after another:
    JupyterLab starts once for all of them. After a failure, and where something is left in its way, they get a new one.
    """
    kept = request.node.get_closest_marker("kept_page") is not None
    page = shared.kept_page if kept and shared.kept_page else shared.context.new_page()
    shared.kept_page = None
    failures = request.session.testsfailed
    yield page
    if kept and request.session.testsfailed == failures and page.evaluate(CLOSE_ALL):
        page.unroute_all()
        shared.kept_page = page
    for found in list(shared.context.pages):
        if found is not shared.kept_page:
            found.close()
    server.end_kernels()


@pytest.fixture
def failed(page: Any, server: Server, request: pytest.FixtureRequest) -> Lab:
    """A notebook whose second cell failed; its card is on its way."""
    lab = Lab(page, server, server.notebook(f"{request.node.name}.ipynb", [TYPO, "print('next')"]))
    lab.ready()
    lab.run(1)
    return lab
