"""How a kernel's process died, told: by its signal, the statement that it died in, and its memory. Pure.

The stack is Python's own `faulthandler`'s (https://docs.python.org/3/library/faulthandler.html), written by the dying process
to a file that our side holds, most recent call first.
"""

from __future__ import annotations

import re
import signal

from jupyter_selfheal.model import Ending, Frame

SIGNALS = {
    signal.SIGSEGV: "a segmentation fault: compiled code used memory that is not its own",
    signal.SIGBUS: "a bus error: compiled code read a file or memory that is no longer there",
    signal.SIGABRT: "compiled code gave up",
    signal.SIGILL: "an instruction that this processor does not have",
    signal.SIGFPE: "an arithmetic error in compiled code",
    signal.SIGKILL: "something ended its process",
    signal.SIGTERM: "something asked its process to end",
}
"""What each signal says, in words."""

MEMORY_WORDS = re.compile(r"std::bad_alloc|[Cc]annot allocate memory|[Oo]ut of memory|Unable to allocate")
"""What C++ and C libraries write before they give up for want of memory."""

_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<function>.*)$')


def describe_death(code: int, peak_mb: float, *, oom: bool = False, stderr: str = "") -> tuple[Ending, str]:
    """How a process that ended with ``code`` (negative for a signal) died. ``oom``: the system killed it for want of memory;
    ``stderr`` is the last that it wrote there."""
    memory = f"; it had {peak_mb:,.0f} MB of memory" if peak_mb else ""
    if code >= 0:
        return Ending.EXITED, f"the code ended the kernel's process with exit code {code}"
    if oom or (code == -signal.SIGABRT and MEMORY_WORDS.search(stderr)):
        return Ending.OUT_OF_MEMORY, f"out of memory: the cell needed more than there is{memory}"
    try:
        number = signal.Signals(-code)
    except ValueError:
        return Ending.KILLED, f"signal {-code}{memory}"
    return Ending.KILLED, f"{SIGNALS.get(number, 'a signal')} ({number.name}){memory}"


def parse_stack(text: str) -> tuple[Frame, ...]:
    """The frames of the last stack that was written, outermost first; empty where none was."""
    last = text.rpartition("Fatal Python error:")[2]
    current = last.partition("most recent call first")[2].partition("\n\n")[0]
    matches = [_FRAME.match(line) for line in current.splitlines()]
    frames = [Frame(m["file"], int(m["line"]), m["function"]) for m in matches if m is not None]
    return tuple(reversed(frames))


def find_cell_line(frames: tuple[Frame, ...]) -> int:
    """The line of the cell in which its process died (1-based); 0 where the stack does not say it."""
    runs = [n for n, f in enumerate(frames) if f.function == "run_code" and f.file.endswith("interactiveshell.py")]
    return frames[runs[-1] + 1].line if runs and runs[-1] + 1 < len(frames) else 0
