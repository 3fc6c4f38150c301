"""The cells of a session as a notebook file, for a command that works on one in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import JSON, Cell, Notebook
from jupyter_selfheal.surfaces import words

TELL_SECONDS = 5.0
"""How often it is said how long a command takes."""

INTERRUPTED = 130
"""The exit code of a command that Ctrl+C ended."""

NOTED = "jupyter selfheal: interrupted: "
"""What the last line of a command that Ctrl+C ended begins with."""

STOPPED = "Self-heal: stopped; nothing was written."


def write_session(cells: Iterable[Cell]) -> str:
    """The path of a notebook of these cells, in that order, with their stored outputs: in the working folder, so that they find
    their files. Raises :class:`UsageError` where it cannot be written."""
    raw: list[JSON] = [
        {"cell_type": "code", "id": f"cell-{n}", "metadata": {"tags": list(c.tags)}, "execution_count": None,
         "outputs": [o.to_nbformat() for o in c.outputs], "source": c.source}
        for n, c in enumerate((c for c in cells if c.kind == "code"), 1)
    ]  # fmt: skip
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": raw, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    try:
        number, path = tempfile.mkstemp(prefix=".selfheal-", suffix=".ipynb", dir=os.getcwd())
        try:
            with open(number, "w", encoding="utf-8") as file:
                json.dump(notebook, file)
        except BaseException:
            os.unlink(path)
            raise
    except OSError as error:
        raise UsageError(f"the working folder cannot be written to ({error.strerror}): `%cd` to one that can") from None
    return path


class SessionCommand:
    """A ``jupyter selfheal`` command on the cells of this session, in a process of its own.

    It is of the kernel's process group: an interrupt of the kernel stops it, and it ends with the kernel. ``output``: the file that
    it writes; empty: none.
    """

    def __init__(self, command: str, cells: Iterable[Cell], output: str = "") -> None:
        self._path = write_session(cells)
        arguments = [sys.executable, "-m", "jupyter_selfheal", command, self._path, *(["-o", output] if output else [])]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                arguments, stdout=pipe, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True
            )
        except BaseException:
            os.unlink(self._path)
            raise
        self.name = command

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End it, and leave no file. Idempotent."""
        self._process.kill()
        with contextlib.suppress(OSError):
            os.unlink(self._path)

    def wait(self, tell: Callable[[int], None] = lambda seconds: None) -> str:
        """What it prints, once it has ended; every few seconds it is told how long that takes. Stopped by Ctrl+C, it says so."""
        began = time.monotonic()
        try:
            while True:
                try:
                    printed = self._process.communicate(timeout=TELL_SECONDS)[0]
                    break
                except subprocess.TimeoutExpired:
                    tell(round(time.monotonic() - began))
        except KeyboardInterrupt:
            self.stop()
            self._process.communicate()
            return STOPPED
        finally:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
        is_stopped = was_interrupted(self._process.returncode, printed)
        return STOPPED if is_stopped else printed.replace(self._path, "this session").strip()


def was_interrupted(code: int, printed: str) -> bool:
    """Whether a command was stopped: by a signal, by Ctrl+C while Python started, or by Ctrl+C that it took note of itself."""
    last = printed.rstrip().rpartition("\n")[2]
    return code < 0 or code == INTERRUPTED or last.endswith("KeyboardInterrupt") or last.startswith(NOTED)


def show_command(shell: Any, command: SessionCommand, intro: str, describe: Callable[[str], str] = str) -> None:
    """Show what it prints in this cell's output when it has ended, and leave the kernel free meanwhile; where no output can be
    changed later, or nobody is there to see it, wait for it."""
    if not getattr(getattr(shell, "kernel", None), "_allow_stdin", False):
        words.print_lines([intro])
        print(describe(command.wait(lambda seconds: print(f"{seconds} s so far."))))
        return
    display_id = f"selfheal-{os.urandom(6).hex()}"

    def show(text: str, update: bool = True) -> None:
        shell.display_pub.publish({"text/plain": text}, {}, transient={"display_id": display_id}, update=update)

    def wait() -> None:
        show(describe(command.wait(lambda seconds: show(f"{intro} {seconds} s so far."))))

    show(intro, update=False)
    threading.Thread(target=wait, name="selfheal-session-command", daemon=True).start()


def describe_bisection(printed: str, notebook: Notebook) -> str:
    """What ``jupyter selfheal bisect`` says of the session's notebook; cells are named as the session names them."""
    cells = list_code_cells(notebook)
    lines = printed.splitlines()
    return "\n".join(line if line.startswith("  ") else name_cells(line, notebook, cells) for line in lines)


def list_code_cells(notebook: Notebook) -> list[Cell]:
    """Those that are not empty."""
    return [cell for cell in notebook.cells if cell.kind == "code" and cell.source.strip()]


def name_cells(line: str, notebook: Notebook, cells: Sequence[Cell]) -> str:
    """The line with the session's names for cells that it calls by their number among ``cells``."""
    names = {str(number): notebook.name_cell(cell.id) for number, cell in enumerate(cells, 1)}
    return re.sub(r"\bcell (\d+)\b", lambda found: names.get(found[1], found[0]), line)


def choose_free_name(name: str) -> str:
    """``minimal.ipynb``, or with a number where there is one already."""
    stem, suffix = Path(name).stem, Path(name).suffix
    number = 1
    while Path(name).exists():
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name
