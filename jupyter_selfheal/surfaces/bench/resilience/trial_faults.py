"""Patches that harm where they are tried: each runs in a forked trial of a real kernel, as if somebody had allowed it."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import driver
from jupyter_selfheal.model import (
    OPEN,
    Applicability,
    Choice,
    Decision,
    Ending,
    Keep,
    Launch,
    Patch,
    Replace,
    Run,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, Starts, TrialKernel
from jupyter_selfheal.surfaces.bench.resilience.faults import Fault, Seen
from jupyter_selfheal.surfaces.bench.resilience.stand_in import FIX, PRICES, SOURCES, build_case, shorten_reason
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from jupyter_selfheal.testing.scripted import ListJournal, ScriptedApprover, ScriptedHealer
from jupyter_selfheal.testing.trials import evaluate

SECONDS, MEGABYTES = 5.0, 400
"""What a trial may take: long enough for a slow machine to begin it, as nothing here depends on how far it gets."""

DATA = "shop.csv"
"""A file of the user's, beside the notebook."""

NAME = "selfheal-harm"
"""Of each process that a harmful patch runs in, and of those that it starts: so they are told from those that wait for the next trial."""

_RENAME = f"import ctypes\nctypes.CDLL(None).prctl(15, {NAME.encode()!r}, 0, 0, 0)  # PR_SET_NAME\n"


class RealState:
    """The state before the failing cell in a kernel of its own, opened with the first fault that asks for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._closing = contextlib.ExitStack()
        self._state: TrialKernel | None = None

    def open(self) -> TrialKernel:
        """The state; the same one each time."""
        if self._state is None:
            mark_descendants()
            (self.folder / DATA).write_text("apple,3\n", encoding="utf-8")
            kernel = engine.open_state(Launch("python3", str(self.folder), writes="allow"))
            self._closing.callback(kernel.close)
            _, state = kernel.run(
                TrialRequest((Run(SOURCES[0], "id0"),), timeout=60.0, keep=Keep.ON_SUCCESS, sandbox=OPEN)
            )
            if state is None:
                raise AssertionError("a cell that only sets a variable leaves a state")
            self._closing.callback(state.close)
            self._state = state
        return self._state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._closing.close()


@dataclass(frozen=True, slots=True)
class TrialFault:
    """Code that a patch puts ahead of the right fix; ``{port}`` is where somebody listens. ``applies`` is None where it does not
    matter whether the patch passes: what counts is that nothing is harmed."""

    name: str
    expected: str
    code: str
    applies: bool | None = False


_FORKS = "import os, time\nfor n in range(4):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\n"
_FILLS = "import os\nwith open('big.bin', 'wb') as file:\n    for n in range(48):\n        file.write(bytes(1 << 20))\n"
_CALLS = "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 3).sendall(repr(prices).encode())\nexcept OSError:\n    pass\n"

TRIALS = (
    TrialFault("a trial hangs", "is cut at its limit, and not applied", "while True:\n    pass\n"),
    TrialFault("a trial ignores every polite signal", "is cut at its limit, and not applied", "import signal\nfor s in (2, 14, 15):\n    signal.signal(s, signal.SIG_IGN)\nwhile True:\n    pass\n"),
    TrialFault("a trial leaves processes behind", "they end with it", _FORKS, None),
    TrialFault("a trial eats memory", "fails alone; the kernel is not touched", "big = [bytearray(1 << 26) for n in range(64)]\n"),
    TrialFault("a trial fills the disk", "what it wrote is thrown away", _FILLS, None),
    TrialFault("a trial deletes the data", "the file is still there", f"import os\nos.remove({DATA!r})\n", None),
    TrialFault("a trial phones home", "nobody is reached", _CALLS, None),
    TrialFault("a trial kills its process", "fails alone; the kernel is not touched", "import os\nos.abort()\n"),
    TrialFault("a trial kills the process that guards it", "ends with its guard, and is not applied", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True:\n    pass\n"),
)  # fmt: skip


def list_trial_faults(state: RealState) -> tuple[Fault, ...]:
    """All of them, from one state."""
    return tuple(Fault(fault.name, "trial", fault.expected, _build_make(fault, state)) for fault in TRIALS)


def _build_make(fault: TrialFault, real: RealState) -> Callable[[Path], Seen]:
    def make(_: Path) -> Seen:
        state = real.open()
        files = _read_files(real.folder)
        with _listen_on_port() as (port, reached):
            reason, detail, applied = _heal_by_patch(fault.code.replace("{port}", str(port)), state)
            came = reached()
            left = sum(not is_gone(pid) for pid in list_marked() if _read_name(pid) == NAME)
        lost = [] if evaluate(state, "prices") == PRICES else ["the state of the kernel"]
        lost += [f"the file {name}" for name in files if _read_files(real.folder).get(name) != files[name]]
        lost += [f"nothing, but {name} is new" for name in _read_files(real.folder) if name not in files]
        lost += ["data, to a listener"] if came else []
        return Seen(f"{reason}: {detail}" if detail else reason, fault.applies in (None, applied), tuple(lost), left)

    return make


def _heal_by_patch(code: str, state: TrialKernel) -> tuple[str, str, bool]:
    """How a heal by this patch alone ended, why, and whether it was applied. Whoever is asked allows everything."""
    case = build_case()
    config = HealConfig(healers=("rules",), memory=False, timeout=SECONDS, memory_mb=MEGABYTES)
    edit = Replace("id1", SOURCES[1], _RENAME + code + FIX)
    healer = ScriptedHealer([Answer((Patch((edit,), "harm", healer="rules", applicability=Applicability.SAFE),))])
    approver = ScriptedApprover([Decision(Choice.CONSENT)])
    with engine.open_dependencies(
        case, Starts(before=(state,)), config=config, approver=approver, journal=ListJournal()
    ) as parts:
        outcome = driver.heal(case, replace(parts, healers=(healer,)))
    trials = [attempt.trial for attempt in outcome.attempts if attempt.trial is not None]
    ends = ", ".join(dict.fromkeys(map(_describe_trial, trials)))
    return outcome.reason.value.replace("_", " "), ends or shorten_reason(outcome.detail), bool(outcome.applied)


def _describe_trial(trial: Trial) -> str:
    """How it ended, and the exception that it ended with."""
    names = dict.fromkeys(
        error.ename for step in trial.steps for error in step.errors if trial.ending is Ending.FINISHED
    )
    return ", ".join((trial.detail or trial.ending.value, *names))


def _read_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _read_files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.suffix != ".bin"} | {
        path.name: "" for path in folder.glob("*.bin")
    }


@contextlib.contextmanager
def _listen_on_port() -> Iterator[tuple[int, Callable[[], bool]]]:
    """A port of this machine at which somebody listens, and whether anybody came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)

        def was_reached() -> bool:
            try:
                server.accept()[0].close()
            except BlockingIOError:
                return False
            return True

        yield server.getsockname()[1], was_reached
