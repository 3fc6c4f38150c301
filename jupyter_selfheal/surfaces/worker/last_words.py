"""How the user's kernel died, told: the worker outlives it by a moment, and knows its memory until then."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

from jupyter_selfheal import engine
from jupyter_selfheal import source as src
from jupyter_selfheal.healers.triage.smaller import list_what_could_be_smaller
from jupyter_selfheal.inside.fork.guard import count_memory_kills

LOOK_SECONDS = 0.25
"""Between two looks at the kernel's memory, while a cell runs."""

GONE_SECONDS = 5.0
"""How long a kernel that let go of its worker may take to be gone."""

SIGNALS = {
    "Segmentation fault": signal.SIGSEGV, "Bus error": signal.SIGBUS, "Aborted": signal.SIGABRT,
    "Illegal instruction": signal.SIGILL, "Floating point exception": signal.SIGFPE,
}  # fmt: skip
"""The signals that `faulthandler` catches, as it writes them; any other word of its is an abort of Python's own."""


class KernelWatch:
    """Watches the memory of the kernel while a cell of it runs, and writes down how it died."""

    def __init__(self, pid: int, path: Path, told: Path) -> None:
        self._pid = pid
        self._path = path
        self._told = told
        self._peak_mb = measure_memory_mb(pid)
        self._kills = count_memory_kills()
        self._over = threading.Event()

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._look_at_file, name="selfheal-memory", daemon=True).start()

    def _look_at_file(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            try:
                running = self._path.stat().st_size > 0
            except OSError:
                continue
            memory = measure_memory_mb(self._pid)
            self._peak_mb = max(self._peak_mb, memory) if running else memory
            if not running:
                self._kills = count_memory_kills()

    def finish(self) -> None:
        """The kernel has let go of us. Where it died in a cell, that is written for the kernel that comes next."""
        self._over.set()
        until = time.monotonic() + GONE_SECONDS
        while is_running(self._pid) and time.monotonic() < until:
            time.sleep(0.02)
        try:
            left = self._path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return  # it ended in order
        if is_running(self._pid):
            return
        told = tell_death(left, self._peak_mb, oom=count_memory_kills() > self._kills)
        if told:
            new = self._path.with_name(f"{self._path.name}.new")  # whoever reads it finds all of it
            new.touch(0o600)
            new.write_text(json.dumps(told), encoding="utf-8")
            new.replace(self._told)
        self._path.unlink(missing_ok=True)


def tell_death(left: str, peak_mb: float, *, oom: bool) -> dict[str, str]:
    """What is said of a kernel whose file holds ``left``: its ``cell``, a ``text``, and that in a line or two (``brief``); empty where no
    cell ran, or it was ended from outside (a restart, say)."""
    first, _, fault = left.partition("\n")
    try:
        running = json.loads(first)
    except ValueError:
        return {}
    word = fault.partition("Fatal Python error: ")[2].partition("\n")[0].strip()
    if not word and not oom:
        return {}
    source, in_terminal = str(running["source"]), bool(running.get("in_terminal"))
    code = -SIGNALS.get(word, signal.SIGABRT) if word else -signal.SIGKILL
    ending, how, line = engine.describe_crash(code, fault, peak_mb, oom=oom and not word, said=word)
    if not line and len(statements := src.list_statements(source)) == 1:
        line = statements[0].first  # a process that is killed says no line
    lines = source.splitlines()
    statement = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    sentences = [
        f"{'IPython died in this cell' if in_terminal else 'The kernel died in this cell'}: {how}.",
        *([f"Python said: {word}."] if word not in ("", *SIGNALS) else []),
        *([f"It stood at line {line}: `{statement}`"] if statement else []),
        *(_list_smaller(source, line) if ending == "out of memory" else []),
        "Its variables are gone: run the cells from the top.",
    ]
    if in_terminal:  # where no cell is seen
        sentences[1:1] = [f"    {text}" for text in lines]
    at = f" at `{statement}`" if statement else ""
    brief = f"IPython died here{at}: {how}.\nIts variables are gone; `%heal why` tells more."
    return {"cell": str(running["cell"]), "text": "\n".join(sentences), "brief": brief}


def _list_smaller(source: str, line: int) -> list[str]:
    return [f"What could be smaller: {sentence}" for sentence in list_what_could_be_smaller(source, line)]


def measure_memory_mb(pid: int) -> float:
    """The memory that a process holds; 0 where that cannot be read."""
    try:
        with open(f"/proc/{pid}/statm", encoding="utf-8") as words:
            return int(words.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


def is_running(pid: int) -> bool:
    """Whether the process is there and more than a corpse."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as line:
            return line.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False
