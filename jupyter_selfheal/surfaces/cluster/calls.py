"""Calls in a process of our own, made wherever an executor runs: in a thread, a process, a worker of a cluster.

A heal wants a main thread (signals end it) and takes memory; whoever runs many of them stays as it was. A process makes one call
after the other, so that what the calls share (imports, kernels) is there already, and ends when nothing has come for a while. It ends
with its caller too, however that ends: it reads its standard input, which the caller holds open, to the end.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import signal
import struct
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_selfheal.errors import KernelError, SelfHealError
from jupyter_selfheal.own_process import process_arguments
from jupyter_selfheal.surfaces.cli.interrupts import delay_interrupts, resend_lost_interrupts
from jupyter_selfheal.surfaces.cli.jobs import trust_own_folder

PATIENCE = 30.0
"""Seconds that a process gets to stop its kernels before it is killed (then they end with it)."""

IDLE_SECONDS = 10.0
"""How long a process waits for its next call."""

MOST_CALLS = 50
"""Calls that one process makes: then another one takes its place, whatever memory they have left behind."""

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Call:
    """A function that can be imported by its name, its arguments, the working directory, and variables of the environment."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    folder: str
    environment: Mapping[str, str] = field(default_factory=dict)


def call_in_own_process(call: Call) -> Any:
    """What the call returns. Raises what it raises, and :class:`KernelError` where its process ends before that."""
    answer = b""
    with _hold_process(call) as process:
        answer = process.ask(call)
        if not answer and process.calls > 1 and process.end() == 0:  # for want of calls, just as this one came
            process.restart(call)
            answer = process.ask(call)
        if not answer:
            raise KernelError(f"the process that healed it ended (exit code {process.end()}): heal it again, alone")
    worked, result = pickle.loads(answer)
    if not worked:
        raise result
    return result


class _CallProcess:
    """A process that makes calls, seen from its caller."""

    def __init__(self, call: Call) -> None:
        self.calls = 0
        self._process = _start_process(call)

    def ask(self, call: Call) -> bytes:
        """What the process says; empty where it ended."""
        self.calls += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        message = pickle.dumps(call)
        try:
            self._process.stdin.write(_LENGTH.pack(len(message)) + message)
            self._process.stdin.flush()
        except BrokenPipeError:
            return b""
        length = self._process.stdout.read(_LENGTH.size)
        if len(length) < _LENGTH.size:
            return b""
        answer = self._process.stdout.read(_LENGTH.unpack(length)[0])
        return answer if len(answer) == _LENGTH.unpack(length)[0] else b""

    def restart(self, call: Call) -> None:
        """Go on with a new process."""
        self.end()
        self.calls, self._process = 0, _start_process(call)

    def end(self) -> int:
        """Let it end, and its kernels with it; its exit code."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def _start_process(call: Call) -> subprocess.Popen[bytes]:
    how = process_arguments("surfaces.cluster.calls")
    how["env"] = {**how["env"], **call.environment}
    try:
        return subprocess.Popen(**how, cwd=call.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise KernelError(f"{call.folder}: no process can be started there ({error.strerror})") from error


_IDLE: dict[tuple[object, ...], list[_CallProcess]] = {}
_LOCK = threading.Lock()


@contextlib.contextmanager
def _hold_process(call: Call) -> Iterator[_CallProcess]:
    """A process for this folder and environment that nobody else uses; kept for the next call where this one ended well."""
    key = (os.getpid(), call.folder, *sorted(call.environment.items()))
    with _LOCK:
        idle = _IDLE.setdefault(key, [])
        process = idle.pop() if idle else None
    process = process or _CallProcess(call)
    try:
        yield process
    except BaseException:
        process.end()
        raise
    if process.calls >= MOST_CALLS:
        process.end()
        return
    with _LOCK:
        idle.append(process)


@atexit.register
def end_idle_processes() -> None:
    """End those that wait for a call."""
    with _LOCK:
        waiting = [process for key, idle in _IDLE.items() if key[0] == os.getpid() for process in idle]
        _IDLE.clear()
    for process in waiting:
        process.end()


# --- the process itself ---------------------------------------------------------------------------------------------


def main() -> None:
    """Make the calls that come, until none comes any more."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # a terminal's Ctrl-C goes to the caller, whose end is this process's end
    answers = os.dup(1)
    os.dup2(2, 1)  # what anybody prints is no answer
    trust_own_folder(True)  # kernels that it starts keep the user's rules
    resend_lost_interrupts()
    delay_interrupts(False)  # a local cluster's workers hear none
    warnings.filterwarnings("ignore", category=SyntaxWarning, module="<cell>")
    calls: queue.Queue[bytes | None] = queue.Queue()
    threading.Thread(target=_read_calls, args=(calls,), daemon=True).start()
    try:
        while (message := calls.get(timeout=IDLE_SECONDS)) is not None:
            _write_all(answers, _make_call(message))
    except (KeyboardInterrupt, BrokenPipeError, queue.Empty):
        pass
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _make_call(message: bytes) -> bytes:
    try:
        call = pickle.loads(message)
        return pickle.dumps((True, call.function(*call.arguments)))
    except Exception as error:
        return pickle.dumps((False, error if isinstance(error, SelfHealError) else KernelError(repr(error))))


def _read_calls(calls: queue.Queue[bytes | None]) -> None:
    """Pass on what the caller asks; once it has gone, interrupt what is being done as Ctrl-C does."""
    while length := _read_exactly(_LENGTH.size):
        calls.put(_read_exactly(_LENGTH.unpack(length)[0]))
    calls.put(None)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _read_exactly(count: int) -> bytes:
    """So many bytes of the standard input; none where it ends before. (No buffered file: its lock would outlive the main thread.)"""
    pieces, left = [], count
    while left:
        piece = os.read(0, min(left, 1 << 20))
        if not piece:
            return b""
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _write_all(descriptor: int, answer: bytes) -> None:
    left = memoryview(_LENGTH.pack(len(answer)) + answer)
    while left:
        left = left[os.write(descriptor, left) :]
