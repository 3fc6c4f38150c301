"""A healthy notebook is run once, and again as soon as something that it read has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import heal, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def test_only_what_changed_is_run_again(place: Path) -> None:
    (place / "helper.py").write_text("def f():\n    return 1\n")
    (place / "data.csv").write_text("1,2\n")
    (place / "sub").mkdir()
    write(place / "imports.ipynb", "import helper", "helper.f()")
    write(place / "plain.ipynb", "x = 1", "x + 1")
    write(place / "reads.ipynb", "open('data.csv').read()")
    write(place / "shell.ipynb", "!echo one")
    write(
        place / "sub" / "net.ipynb",
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 9))\nexcept OSError:\n    pass",
    )

    def unchanged() -> list[str]:
        done = heal(".", "--in-place", "--json", cwd=place, ends=0)
        return [Path(n["path"]).stem for n in json.loads(done.stdout)["notebooks"] if n["unchanged"]]

    assert unchanged() == []
    (place / "helper.py").write_text("def f():\n    return 2\n")
    assert unchanged() == ["plain", "reads"], "a program may have read any file of the folder"
