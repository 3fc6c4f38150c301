"""A live session beside files that are named like modules of Python, and with surroundings that are not as they should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.conftest import LiveKernel
from tests.surroundings import STANDARD, write_modules

pytestmark = pytest.mark.kernel

TYPO = "items = [1, 2]\nitems.appendd(3)\nprint(len(items))"


def test_files_that_are_named_like_modules_of_python_change_nothing(kernel: LiveKernel, tmp_path: Path) -> None:
    write_modules(
        tmp_path / "work", *STANDARD, "types", "enum"
    )  # the kernel has started: these could only harm our worker
    assert kernel.run("%load_ext jupyter_selfheal")["status"] == "ok"
    kernel.run(TYPO, "c", allow_stdin=True)
    kernel.card("fix ready, tested")
    assert kernel.run("%heal approve")["status"] == "ok"


def test_what_a_sitecustomize_prints_is_no_message_of_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "sitecustomize.py").write_text("print('welcome to the cluster')\nprint('{}')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "start"))
    kernel = LiveKernel(tmp_path, tmp_path / "data")
    try:
        kernel.run("%load_ext jupyter_selfheal")
        kernel.run(TYPO, "c", allow_stdin=True)
        kernel.card("fix ready, tested")
        assert "unreadable" not in (tmp_path / "data" / "selfheal" / "live.log").read_text()
    finally:
        kernel.stop()


def test_where_nothing_can_be_written_one_line_says_so(kernel: LiveKernel) -> None:
    kernel.run("import os; os.environ['JUPYTER_DATA_DIR'] = '/proc/none'")
    loaded = kernel.run("%load_ext jupyter_selfheal")
    assert loaded["status"] == "ok"
    assert loaded["text"].startswith("Self-heal is off: /proc/none cannot be written")
    assert len(loaded["text"].splitlines()) == 1
    assert kernel.run("1 + 1")["status"] == "ok"
