"""What a command says of the session's cells, in the session's words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.errors import INTERRUPTED, UsageError
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.live import session_file
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.session_file import name_cells


def test_cells_are_named_as_the_session_names_them() -> None:
    cells = (Cell("a", "x = 1", runs=4), Cell("b", "print(`x`)"))
    notebook = Notebook(cells, shows_runs=True)
    assert name_cells("Look at cell 1 and cell 2.", notebook, cells) == "Look at cell [4] and cell `print('x')`."
    assert name_cells("cell 1 fails (KeyError: 'cell 9')", notebook, cells) == "cell [4] fails (KeyError: 'cell 9')"


def test_one_command_is_at_work_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two would write the same `minimal.ipynb`."""
    monkeypatch.chdir(tmp_path)
    session: Any = SimpleNamespace(command=None, closers=[])
    endless = (Cell("a", "while True: pass"),)
    first = LiveSession.start_command(session, "minimize", endless, "minimal.ipynb")
    try:
        with pytest.raises(UsageError, match="`%heal minimize` is still at work"):
            LiveSession.start_command(session, "bisect", endless)
        assert len(list(tmp_path.iterdir())) == 1, "the refused one leaves no file"
    finally:
        first.stop()
    assert first.wait() == session_file.STOPPED
    second = LiveSession.start_command(session, "bisect", endless)
    second.stop()
    assert second.wait() == session_file.STOPPED
    assert session.closers == [second.stop]
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_cannot_be_started_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.executable", str(tmp_path / "none"))
    session: Any = SimpleNamespace(command=None, closers=[])
    with pytest.raises(FileNotFoundError):
        LiveSession.start_command(session, "bisect", (Cell("a", "1"),))
    assert list(tmp_path.iterdir()) == []
    assert session.closers == []


@pytest.mark.parametrize(
    ("code", "printed", "stopped"),
    [
        (-9, "", True),
        (130, "", True),
        (1, "Traceback (most recent call last):\n  ...\nKeyboardInterrupt\n", True),
        (2, f"note: another kernel\njupyter selfheal: {INTERRUPTED}\n", True),
        (0, "# %%\nraise KeyboardInterrupt\n# KeyboardInterrupt: cell 1, in 3 trials", False),
        (1, "n.ipynb: every cell runs; there is nothing to make small", False),
    ],
)
def test_whenever_an_interrupt_comes_it_is_known(code: int, printed: str, stopped: bool) -> None:
    assert session_file.was_interrupted(code, printed) is stopped
