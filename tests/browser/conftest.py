"""One Jupyter server and one headless Chromium for all browser tests, in folders of their own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
TOKEN = "selfheal"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reason = _missing()
    for item in items:
        if "tests/browser" in str(item.path) and item.path.name != "test_packaging.py":
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))  # one server, one worker
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


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


class Server:
    """A running Jupyter server."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    def notebook(self, name: str, cells: list[str], first: str = "%load_ext jupyter_selfheal") -> str:
        """Write a notebook of code cells; returns its name."""
        sources = [first, *cells] if first else cells
        body = {
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"cell-{n}",
                    "source": s,
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                }
                for n, s in enumerate(sources)
            ],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.folder / name).write_text(json.dumps(body))
        return name

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The server's REST API (https://jupyter-server.readthedocs.io/en/latest/developers/rest-api.html)."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            method=method,
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def end_kernels(self) -> None:
        """End every session and its kernel."""
        for session in self.call("GET", "api/sessions"):
            self.call("DELETE", f"api/sessions/{session['id']}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("jupyter")
    folder = root / "work"
    folder.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {
        **os.environ,
        **{f"JUPYTER_{kind}_DIR": str(root / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
        "IPYTHONDIR": str(root / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(root / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(root / "workspaces"),
    }
    quiet = root / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    log = open(root / "server.log", "w")  # noqa: SIM115
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", f"--IdentityProvider.token={TOKEN}",
         "--allow-root", f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None",
         "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
         "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"],
        env=env, stdout=log, stderr=log, cwd=folder, start_new_session=True,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    _wait_for(f"{url}/api/status?token={TOKEN}", process, root / "server.log")
    yield Server(url, folder)
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    log.close()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(log.read_text()[-2000:])


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Keep a picture of what a failing test saw, where ``SELFHEAL_SCREENSHOTS`` names a folder."""
    outcome: Any = yield
    folder = os.environ.get("SELFHEAL_SCREENSHOTS")
    page = getattr(item, "funcargs", {}).get("page")
    if folder and page is not None and outcome.get_result().failed:
        page.screenshot(path=Path(folder) / f"{item.name}.png")


@pytest.fixture(scope="session")
def context(browser: Any) -> Iterator[Any]:
    """One profile for all tests: JupyterLab's own files are loaded from its cache."""
    found = browser.new_context(viewport={"width": 1280, "height": 1000})
    found.set_default_timeout(60_000)
    yield found
    found.close()


@pytest.fixture
def page(context: Any, server: Server) -> Iterator[Any]:
    """A page of its own; afterwards all pages are closed and all kernels ended."""
    yield context.new_page()
    for found in list(context.pages):
        found.close()
    server.end_kernels()


@pytest.fixture
def failed(page: Any, server: Server, request: pytest.FixtureRequest) -> Any:
    """A notebook whose second cell failed; its card is on its way."""
    from tests.browser.lab import TYPO, Lab

    lab = Lab(page, server, server.notebook(f"{request.node.name}.ipynb", [TYPO, "print('next')"]))
    lab.ready()
    lab.run(1)
    return lab
