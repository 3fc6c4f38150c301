"""A Jupyter server in folders of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Any

from tests.ports import choose_port
from tests.waiting import PATIENCE, wait_until

TOKEN = "selfheal"


class Server:
    """A running Jupyter server; ``root`` holds its folders, ``folder`` the notebooks."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "work"
        self.folder.mkdir()
        port = choose_port()
        self.url = f"http://127.0.0.1:{port}"
        self._log = root / "server.log"
        self._runtime = root / "runtime"
        with self._log.open("w") as log:
            self._process = self._start(root, port, log)
        assert wait_until(self._answers), "the Jupyter server did not come"

    def _start(self, root: Path, port: int, log: IO[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", f"--IdentityProvider.token={TOKEN}",
             "--allow-root", f"--ServerApp.root_dir={self.folder}", "--LabApp.news_url=None",
             # so that a kernel whose port another process took first comes again at other ports (jupyter_client keeps cached ones)
             "--KernelManager.cache_ports=False",
             "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
             "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"],
            env=_environment(root), stdout=log, stderr=log, cwd=self.folder, start_new_session=True,
        )  # fmt: skip

    def close(self) -> None:
        """End the server, and with it every kernel."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def notebook(self, name: str, cells: list[str], first: str = "%load_ext jupyter_selfheal", **metadata: Any) -> str:
        """Write a notebook of code cells with ids cell-0, cell-1…; ``metadata`` is that of cells by id. Returns its name."""
        found = [
            {"cell_type": "code", "id": f"cell-{n}", "source": source, "metadata": metadata.get(f"cell_{n}", {}),
             "outputs": [], "execution_count": None}
            for n, source in enumerate([first, *cells] if first else cells)
        ]  # fmt: skip
        return self.write(name, found)

    def write(self, name: str, cells: list[dict[str, Any]]) -> str:
        """Write a notebook of those cells."""
        body = {
            "cells": cells,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.folder / name).write_text(json.dumps(body))
        return name

    def saved(self, name: str) -> Any:
        """The notebook as it is in its file."""
        return json.loads((self.folder / name).read_text())

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The server's REST API (https://jupyter-server.readthedocs.io/en/latest/developers/rest-api.html)."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            method=method,
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def start_session(self, name: str) -> None:
        """Start a notebook's kernel as an earlier page would have, and wait until it answers: the page then finds it idle.

        A page that starts its kernel itself may miss the kernel's first word (JupyterLab's own race, once in some hundred starts).
        """
        kernel = {"name": self.saved(name)["metadata"]["kernelspec"]["name"]}
        session = self.call("POST", "api/sessions", {"path": name, "name": name, "type": "notebook", "kernel": kernel})
        connection = self._runtime / f"kernel-{session['kernel']['id']}.json"
        assert wait_until(lambda: _is_ready(connection)), "the kernel did not answer"

    def end_kernels(self) -> None:
        """End every session and its kernel, and wait until they are gone."""
        for kind in ("sessions", "kernels"):
            for found in self.call("GET", f"api/{kind}"):
                try:
                    self.call("DELETE", f"api/{kind}/{found['id']}")
                except urllib.error.HTTPError as error:
                    if error.code not in (404, 410):  # it has ended meanwhile, or its kernel has
                        raise
        assert wait_until(lambda: not self.call("GET", "api/kernels")), "kernels did not end"

    def _answers(self) -> bool:
        assert self._process.poll() is None, self._log.read_text()[-2000:]
        try:
            with urllib.request.urlopen(f"{self.url}/api/status?token={TOKEN}", timeout=PATIENCE):
                return True
        except OSError:
            return False


def _is_ready(connection: Path) -> bool:
    """Whether the kernel answers within some seconds at the ports that its file names now.

    A port that another process took before the kernel did ends the kernel; the server starts it again at other ports.
    """
    from jupyter_client.blocking.client import BlockingKernelClient

    client = BlockingKernelClient(connection_file=str(connection))
    client.load_connection_file()
    client.start_channels(stdin=False, hb=False)
    try:
        client.wait_for_ready(timeout=10)
    except RuntimeError:
        return False
    finally:
        client.stop_channels()
    return True


def _environment(root: Path) -> dict[str, str]:
    quiet = root / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")},
        **{f"JUPYTER_{kind}_DIR": str(root / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
        "IPYTHONDIR": str(root / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(root / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(root / "workspaces"),
    }
