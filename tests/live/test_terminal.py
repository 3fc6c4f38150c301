"""The same flow in terminal IPython, through a pseudo-terminal."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.kernel
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""Colours and cursor movements."""


class Terminal:
    """IPython as a person has it, without colours and (where ``simple``) completion menus in the way."""

    def __init__(self, folder: Path, key: str = "", *, editor: str = "", simple: bool = True, times: int = 1) -> None:
        env = {**os.environ, "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_DATA_DIR": str(folder), "TERM": "dumb"}
        for name in ("ANTHROPIC_API_KEY", "VISUAL", "EDITOR"):
            env.pop(name, None)
        if editor:
            env["EDITOR"] = editor
        if not simple:
            env |= {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        if key:
            env["ANTHROPIC_API_KEY"] = key
        command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "--no-confirm-exit"]
        command += ["--simple-prompt"] * simple
        loop = f'for n in {" ".join(map(str, range(times)))}; do "$@"; done'
        self.child = pexpect.spawn(
            *(command[0], command[1:]) if times == 1 else ("sh", ["-c", loop, "sh", *command]),
            env=env, cwd=str(folder), encoding="utf-8", timeout=PATIENCE, dimensions=(50, 160),
        )  # fmt: skip
        self.until_text("In [1]:")

    def type(self, line: str) -> None:
        self.child.sendline(line)

    def until(self, pattern: str) -> str:
        """Everything up to the pattern, without colour codes."""
        self.child.expect(pattern)
        return CONTROL.sub("", self.child.before + self.child.after)

    def until_text(self, text: str) -> str:
        """Everything up to the text, without white space: a full-screen prompt moves the cursor instead."""
        shown, wanted, until = "", "".join(text.split()), time.monotonic() + PATIENCE
        while wanted not in "".join(CONTROL.sub("", shown).split()):
            assert time.monotonic() < until, f"{text!r} did not come; shown: {shown[-2000:]!r}"
            with contextlib.suppress(pexpect.TIMEOUT):
                shown += self.child.read_nonblocking(4096, timeout=1)
        return "".join(CONTROL.sub("", shown).split())

    def interrupt_until(self, text: str) -> None:
        """Press Ctrl-C until that is shown: readline takes no notice of one that comes before it waits for keys."""
        until = time.monotonic() + PATIENCE
        self.child.sendintr()
        while self.child.expect([re.escape(text), pexpect.TIMEOUT], timeout=5):
            assert time.monotonic() < until, f"{text!r} did not come; shown: {self.child.before[-2000:]!r}"
            self.child.sendintr()

    def prompt(self) -> str:
        return self.until(r"In \[\d+\]: ")

    def value(self, name: str) -> str:
        """What a name stands for, once what runs has ended."""
        self.prompt()
        self.type(name)
        return self.prompt()


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
    failed = re.findall(r"In\s*\[(\d+)\]", shown)[-1]
    assert "+items = [1, 2]; items.append(3)" in shown
    assert "proven from" in shown
    terminal.type("y")
    assert "[1, 2, 3]" in terminal.value("items")
    terminal.type("%heal history")
    number = re.search(r"cell \[(\d+)\]: items = ", terminal.until(r"append\(3\)"))
    assert number is not None
    assert number[1] == failed, "the fix ran in its place"


def test_why_shows_the_evidence_and_no_takes_a_reason(terminal: Terminal) -> None:
    terminal.type("[1].appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("why")
    assert "score" in terminal.until(r"Apply\? ")
    terminal.type("n")
    terminal.until(r"Why\? ")
    terminal.type("leave it")
    assert "Traceback" not in terminal.until(r"In \[\d+\]: |Apply\? ")


def test_the_next_ipython_of_the_terminal_tells_once_how_the_last_one_died(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, times=3)
    terminal.type("%load_ext jupyter_selfheal")
    terminal.prompt()
    terminal.type("import faulthandler; faulthandler._sigsegv()")
    assert "IPython died" not in terminal.until_text("In [1]:")
    assert wait_until(lambda: any((tmp_path / "selfheal" / "running").glob("terminal-*.told")))
    terminal.type("%load_ext jupyter_selfheal")
    said = "".join(terminal.until_text("In [2]:"))
    assert "IPythondiedhereat`importfaulthandler;faulthandler._sigsegv()`:asegmentationfault" in said
    terminal.type("%heal why")
    assert "Itstoodatline1:`importfaulthandler" in terminal.until_text("In [3]:")
    assert list((tmp_path / "selfheal" / "running").glob("terminal-*.told")) == []
    terminal.type("exit")
    terminal.until_text("In [1]:")
    terminal.type("%load_ext jupyter_selfheal")
    assert "died" not in terminal.until_text("In [2]:")
    terminal.child.close(force=True)


def test_interrupt_while_it_asks_leaves_everything(terminal: Terminal) -> None:
    terminal.type("[1].appendd(3)")
    terminal.until(r"\[\?\] ")
    terminal.interrupt_until("nothing was changed")
    terminal.type("1 + 1")
    assert "Traceback" not in terminal.until(r"Out\[\d+\]: 2")


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


def test_edited_fix_is_proven_before_it_is_applied(tmp_path: Path) -> None:
    """``e`` opens the fix in the user's editor; what comes back is tried as any other, proposed, and applied."""
    editor = tmp_path / "editor"
    editor.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[-1])\n"
        "assert 'append(3)' in path.read_text()\n"
        "path.write_text(path.read_text().replace('append(3)', 'append(33)'))\n"
    )
    editor.chmod(0o700)
    terminal = Terminal(tmp_path, editor=str(editor))
    terminal.type("%load_ext jupyter_selfheal")
    terminal.prompt()
    terminal.type("items = [1, 2]; items.appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("e")
    shown = terminal.until(r"Apply\? ")
    assert "+items = [1, 2]; items.append(33)" in shown
    assert "fix ready, tested" in " ".join(shown.split())
    assert "proven from" in shown
    terminal.type("y")
    assert "[1, 2, 33]" in terminal.value("items")
    terminal.child.close(force=True)


def test_without_an_editor_the_cell_is_typed(terminal: Terminal) -> None:
    terminal.type("items = [1, 2]; items.appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("e")
    terminal.until("holds only a dot")
    terminal.type("items = [7]\nitems.append(8)\n.")
    assert "+items.append(8)" in terminal.until(r"fix ready[\s\S]*Apply\? ")
    terminal.type("y")
    assert "[7, 8]" in terminal.value("items")


def test_editor_that_fails_leaves_the_fix_as_it_was(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, editor="false")
    terminal.type("%load_ext jupyter_selfheal")
    terminal.prompt()
    terminal.type("items = [1, 2]; items.appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("e")
    assert "left as it was" in terminal.until(r"Apply\? ")
    terminal.type("y")
    assert "[1, 2, 3]" in terminal.value("items")
    terminal.child.close(force=True)


def test_resume_runs_only_what_is_left(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, simple=False)
    for number, line in enumerate(("%load_ext jupyter_selfheal", "calls = []")):
        terminal.child.send(line + "\r")
        terminal.until_text(f"In [{number + 2}]:")
    cell = "calls.append(1)\nitems = [1, 2]\nitems.appendd(3)\nprint('sum', sum(items))"
    terminal.child.send(f"\x1b[200~{cell}\x1b[201~")  # pasted
    terminal.until_text("print('sum', sum(items))")
    terminal.child.send("\r")
    assert "+items.append(3)" in terminal.until_text("Apply?")
    terminal.type("r")
    assert "sum6" in terminal.until_text("In [4]:")
    terminal.child.send("print('called', len(calls), 'times')\r")
    assert "called1times" in terminal.until_text("In [5]:")
    terminal.child.close(force=True)


def test_undo_brings_the_old_source_to_the_next_prompt(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, simple=False)
    for line, then in (("%load_ext jupyter_selfheal", "In [2]:"), ("items = [1]; items.appendd(2)", "Apply?")):
        terminal.child.send(line + "\r")
        terminal.until_text(then)
    terminal.type("y")
    terminal.until_text("In [3]:")
    terminal.child.send("%heal undo\r")
    shown = terminal.until_text("In [4]: items = [1]; items.appendd(2)")
    assert "atthenextprompt;whatthefixedcelldidtoyourvariablesstays" in shown
    terminal.child.send("\r")  # it is there to be run, or edited
    terminal.until_text("AttributeError")
    terminal.until_text("Apply?")
    terminal.child.close(force=True)


def test_undo_at_a_simple_prompt_prints_the_old_source(terminal: Terminal) -> None:
    terminal.type("items = [1]; items.appendd(2)")
    terminal.until(r"Apply\? ")
    terminal.type("y")
    terminal.prompt()
    terminal.type("%heal undo")
    shown = terminal.prompt().replace("\r", "")
    assert "\nitems = [1]; items.appendd(2)" in shown
    assert "next prompt" not in shown
    terminal.type("items")
    assert "[1, 2]" in terminal.prompt()


def test_lines_typed_while_a_heal_goes_on_are_the_next_cells(terminal: Terminal) -> None:
    """They came before the question, so they answer nothing: `a = 3` would else have approved, `n = 5` rejected."""
    terminal.type("items = [1, 2]; items.appendd(3)")
    terminal.type("a = 3")
    terminal.type("n = 5")
    terminal.until("you typed on, so nothing is asked")
    terminal.prompt()
    terminal.prompt()
    assert "(3, 5, [1, 2])" in terminal.value("a, n, items")
    terminal.type("%heal approve")
    assert "[1, 2, 3]" in terminal.value("items")


def test_code_is_no_answer_and_comes_to_the_next_prompt(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, simple=False)
    for line, then in (("%load_ext jupyter_selfheal", "In [2]:"), ("items = [1, 2]; items.appendd(3)", "[q]uit [?]")):
        terminal.child.send(line + "\r")
        terminal.until_text(then)
    terminal.type("a = len(items)")
    shown = terminal.until_text("In [3]: a = len(items)")
    assert "leftasitis,as`a=len(items)`isnoanswer" in shown
    terminal.child.send("; print('kept', a)\r")
    assert "kept2" in terminal.until_text("In [4]:")
    terminal.child.close(force=True)


def test_code_is_no_answer_at_a_simple_prompt_either_and_is_to_be_typed_again(terminal: Terminal) -> None:
    terminal.type("items = [1, 2]; items.appendd(3)")
    terminal.until(r"Apply\? ")
    terminal.type("a = len(items)")
    shown = " ".join(terminal.prompt().split())
    assert "as `a = len(items)` is no answer" in shown
    assert "type it again" in shown
    terminal.type("a")
    shown = " ".join(terminal.prompt().split())
    assert "NameError" in shown, "nothing was run that the user was told to type again"
    assert "start IPython with ANTHROPIC_API_KEY set" in shown


def test_lines_of_a_pipe_are_cells_and_no_answers(tmp_path: Path) -> None:
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "JUPYTER_DATA_DIR": str(tmp_path), "TERM": "dumb"}
    lines = [
        "%load_ext jupyter_selfheal",
        "items = [1, 2]; items.appendd(3)",
        "y = 5",
        "y",
        "items",
        "%heal approve",
        "items",
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "--simple-prompt", "--no-confirm-exit"],
        input="\n".join(lines) + "\n", env=env, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert "no terminal is read, so nothing is asked" in ran.stdout
    assert re.findall(r"Out\[\d+\]: (.*)", ran.stdout) == ["5", "[1, 2]", "[1, 2, 3]"]
