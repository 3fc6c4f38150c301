"""The same flow in terminal IPython, through a pseudo-terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.kernel
PATIENCE = 60


class Terminal:
    """IPython as a person has it, without colours and completion menus in the way."""

    def __init__(self, folder: Path, key: str = "") -> None:
        env = {**os.environ, "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_DATA_DIR": str(folder), "TERM": "dumb"}
        env.pop("ANTHROPIC_API_KEY", None)
        if key:
            env["ANTHROPIC_API_KEY"] = key
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "IPython", "--no-banner", "--colors=NoColor", "--simple-prompt", "--no-confirm-exit"],
            env=env, cwd=str(folder), encoding="utf-8", timeout=PATIENCE, dimensions=(50, 160),
        )  # fmt: skip
        self.child.expect(r"In \[1\]: ")

    def type(self, line: str) -> None:
        self.child.sendline(line)

    def until(self, pattern: str) -> str:
        """Everything up to the pattern, without colour codes."""
        self.child.expect(pattern)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.child.before + self.child.after)

    def prompt(self) -> str:
        return self.until(r"In \[\d+\]: ")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path)
    found.type("%load_ext jupyter_selfheal")
    found.prompt()
    yield found
    found.child.close(force=True)


def test_yes_applies_and_runs_the_fix(terminal: Terminal) -> None:
    terminal.type("items = [1, 2]; items.appendd(3)")
    shown = terminal.until(r"Apply\? ")
    assert "AttributeError" in shown
    assert "+items = [1, 2]; items.append(3)" in shown
    assert "proven from" in shown
    terminal.type("y")
    terminal.prompt()
    terminal.type("items")
    assert "[1, 2, 3]" in terminal.prompt()


def test_why_shows_the_evidence_and_no_takes_a_reason(terminal: Terminal) -> None:
    terminal.type("[1].appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("why")
    assert "score" in terminal.until(r"Apply\? ")
    terminal.type("n")
    terminal.until(r"Why\? ")
    terminal.type("leave it")
    assert "Traceback" not in terminal.until(r"In \[\d+\]: |Apply\? ")


def test_interrupt_while_it_asks_leaves_everything(terminal: Terminal) -> None:
    terminal.type("[1].appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.child.sendintr()
    assert "nothing was changed" in terminal.prompt()
    terminal.type("1 + 1")
    assert "2" in terminal.prompt()


def test_late_loading_heals_the_last_failure(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.type("[1].appendd(3)")
    terminal.prompt()
    terminal.type("%load_ext jupyter_selfheal")
    terminal.prompt()
    terminal.type("%heal")
    assert "+[1].append(3)" in terminal.until(r"Apply\? ")
    terminal.child.close(force=True)


def test_no_widget_is_imported(terminal: Terminal) -> None:
    terminal.type("[1].appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("y")
    terminal.prompt()
    terminal.type("import sys; print('ipywidgets' in sys.modules, 'anywidget' in sys.modules)")
    assert "False False" in terminal.prompt()
