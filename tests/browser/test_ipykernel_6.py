"""The same with ipykernel 6, which has no subshells: what is chosen while a cell runs is answered when it has ended."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

VERSION = "6.29.5"
NAME = "ipykernel-6"


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that ipykernel alone, to go before the newer one on the path; it is pure Python."""
    folder = tmp_path_factory.mktemp(NAME)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), f"ipykernel=={VERSION}"]
    try:
        subprocess.run(pip, capture_output=True, text=True, timeout=120, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"ipykernel {VERSION} cannot be had here: {str(error.stderr or error)[-200:]}")
    return folder


@pytest.fixture
def lab(page: Any, server: Server, older: Path, request: pytest.FixtureRequest) -> Lab:
    """A notebook in a kernel with that ipykernel: a failing cell, and one that runs until a file is there."""
    spec = server.folder.parent / "data" / "kernels" / NAME
    spec.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    env = {"PYTHONPATH": f"{older}:{Path(__file__).parents[2]}"}
    (spec / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": NAME, "language": "python", "env": env})
    )
    go = f"{request.node.name}.go"
    waits = f"import os, time\nwhile not os.path.exists({go!r}):\n    time.sleep(0.05)\nprint('done')"
    first = "%load_ext jupyter_selfheal\nimport ipykernel\nprint(ipykernel.__version__)"
    name = server.notebook(f"{request.node.name}.ipynb", [TYPO, waits], first=first)
    body = server.saved(name)
    body["metadata"]["kernelspec"] = {"name": NAME, "display_name": NAME, "language": "python"}
    (server.folder / name).write_text(json.dumps(body))
    found = Lab(page, server, name)
    found.ready()
    found.expect_output(0, VERSION)
    found.run(1)
    found.card(1)
    return found


@pytest.mark.slow
def test_approve_and_undo(lab: Lab) -> None:
    lab.press(lab.card(1), "approve")
    lab.expect_source(1, FIXED)
    lab.press(lab.card(1, "applied"), "undo")
    lab.expect_source(1, TYPO)
    lab.card(1, "applied").get_by_text("the old source is back").wait_for()


def test_approve_and_run_while_the_kernel_is_busy(lab: Lab, server: Server, request: pytest.FixtureRequest) -> None:
    lab.run(2)
    lab.press(lab.card(1), "run")
    lab.expect_source(1, FIXED)
    assert lab.prompt(2).strip() == "[*]:", "still busy: the cell has changed, and its run is queued"
    (server.folder / f"{request.node.name}.go").touch()
    lab.expect_output(1, "there are 3")
