"""Catching everything that a cell puts out, inside the trial.

What Python writes goes, like what C and subprocesses write, straight into one memory file per stream: the order is right,
nothing is lost when the process dies (the guard reads the rest), and no thread is needed. Rich output is taken from the
messages that ipykernel would send. Everything leaves as *frames*, JSON with a length before it, on a socket of its own.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import builtins
import faulthandler
import io
import json
import os
import socket
import struct
import sys
import threading
from typing import Any

KINDS = frozenset({"display_data", "update_display_data", "execute_result", "error", "clear_output"})
"""The IOPub messages that are outputs of a cell; the others (status, comms) are not shown by a notebook file."""

CUT = "\n… output cut: the trial's limit is reached …\n"

HEAD = 2000
"""How many characters are shown of one value that is beyond the limit."""

_SHARE = 8
"""Part of the limit that each step has to itself: a cell that prints without end leaves the cells below their outputs."""

FAULTS = "faults"
"""The file to which Python writes the stack of a crash."""


class Memory:
    """Memory files for standard output and error and for the stack of a crash, made by the guard and shared with its trial.

    The descriptors kept here are for reading; their offset, which both processes share, is what has been sent.
    """

    def __init__(self) -> None:
        self.files = {name: os.memfd_create(f"selfheal-{name}") for name in ("stdout", "stderr", FAULTS)}
        self._fault_writer = -1

    def attach(self) -> None:
        """Let descriptors 1 and 2 append to the files, and descriptor 0 read nothing."""
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        for number, name in ((1, "stdout"), (2, "stderr")):
            writer = os.open(f"/proc/self/fd/{self.files[name]}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            os.dup2(writer, number)
            os.close(writer)

    def catch_faults(self) -> None:
        """Have Python write the stack to the file where this process crashes; what it wrote to before is forgotten."""
        self._fault_writer = os.open(f"/proc/self/fd/{self.files[FAULTS]}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        faulthandler.enable(self._fault_writer, all_threads=False)

    def read_rest(self, name: str, limit: int) -> tuple[str, bool]:
        """What was written since the last call, at most ``limit`` bytes; True where more than that was there (dropped)."""
        file = self.files[name]
        there = os.fstat(file).st_size - os.lseek(file, 0, os.SEEK_CUR)
        size = min(there, limit)
        data = b""
        while len(data) < size and (part := os.read(file, size - len(data))):
            data += part
        if there > limit:
            os.lseek(file, there - len(data), os.SEEK_CUR)
        return data.decode("utf-8", "replace"), there > limit

    def limit_size(self, limit: int) -> None:
        """Drop what is there where a file has grown beyond ``limit`` bytes (something writes without end)."""
        for file in self.files.values():
            if os.fstat(file).st_size > limit:
                os.ftruncate(file, 0)
                os.lseek(file, 0, os.SEEK_SET)

    def close(self) -> None:
        """Give the files back."""
        if self._fault_writer >= 0:
            faulthandler.disable()
            os.close(self._fault_writer)
            self._fault_writer = -1
        for file in self.files.values():
            os.close(file)


class Frames:
    """The writing end of a trial's results: one JSON value a frame, its length (4 bytes, big-endian) before it."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def send(self, *frame: Any) -> None:
        """Send one frame; a process that the trial's code forked sends nothing."""
        if os.getpid() != self._pid:
            return
        data = json.dumps(frame, default=repr).encode("utf-8", "backslashreplace")
        with self._lock:
            self._channel.sendall(struct.pack(">I", len(data)) + data)


class Capture:
    """Takes the place of a kernel's streams and sessions for the rest of this process's life."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.frames: Frames | None = None
        self.memory: Memory | None = None
        self.limit = 0
        self.text = ""
        """What the step at hand has written to standard output."""
        self._sent = 0
        self._current = "stdout"
        self._pid = 0
        self._muted = self._is_cut = False
        self._patch_streams()
        self._patch_sessions()

    def begin(self, frames: Frames, memory: Memory, limit: int) -> None:
        """Send to these from now on; ``limit`` is in bytes, for the whole trial but for what each step has to itself."""
        self.frames, self.memory, self.limit = frames, memory, limit
        self._sent, self._pid = 0, os.getpid()
        self._muted = self._is_cut = False
        memory.attach()
        _refuse_input(self.shell)

    def end(self) -> None:
        """Let go of the trial's channels; what is written now is lost."""
        self.frames = self.memory = None

    def begin_step(self) -> None:
        """A new step begins. However much those before it put out, it may put out a share of the limit."""
        self.flush()
        self.text, self._muted, self._is_cut = "", False, False
        self._sent = min(self._sent, self.limit - self.limit // _SHARE)

    def mute(self) -> None:
        """A probe begins: what it writes is nobody's output."""
        self.flush()
        self._muted = True

    def flush(self) -> None:
        """Send what the streams hold."""
        if self.memory is None or os.getpid() != self._pid:
            return
        for file in (sys.stdout, sys.stderr):
            if type(file) is io.TextIOWrapper:
                file.flush()
        for stream in (self._current, "stderr" if self._current == "stdout" else "stdout"):
            text, is_cut = self.memory.read_rest(stream, max(self.limit - self._sent, 0))
            if self._muted:
                continue
            if stream == "stdout":
                self.text += text
            if text:
                self._send({"output_type": "stream", "name": stream, "text": text}, len(text))
            if is_cut:
                self._say_cut()

    def write(self, stream: str, text: str) -> None:
        """What Python code writes to a stream."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        if self._is_cut:
            return
        if stream != self._current and os.getpid() == self._pid:
            self.flush()
            self._current = stream
        data = text.encode("utf-8", "backslashreplace")
        number = 1 if stream == "stdout" else 2
        while data:
            data = data[os.write(number, data) :]
        if self.memory is not None and os.getpid() == self._pid:
            self._drain_often()

    def _drain_often(self) -> None:
        memory = self.memory
        if memory is not None and os.fstat(memory.files[self._current]).st_size > self.limit:
            self.flush()
            memory.limit_size(0)

    def take_message(self, kind: str, content: dict[str, Any]) -> None:
        """A message that ipykernel would publish."""
        if kind == "stream":
            self.write(str(content.get("name")), str(content.get("text")))
            return
        if kind not in KINDS or self._muted:
            return
        self.flush()
        raw = json.dumps(content, default=repr)
        if kind == "error" or len(raw) + self._sent <= self.limit:
            self._send({"output_type": kind, **json.loads(raw)}, len(raw))
        elif kind != "clear_output":
            # one value that is too much is no end of what is printed: it is told by how it begins (it is no output to compare with)
            text = str((content.get("data") or {}).get("text/plain", ""))[:HEAD] + CUT
            if len(text) + self._sent <= self.limit:
                self._send({"output_type": "stream", "name": "stderr", "text": text}, len(text))
            else:
                self._say_cut()

    def _say_cut(self) -> None:
        """The limit is reached: say so once in each step."""
        if not self._is_cut:
            self._is_cut = True
            self._send({"output_type": "stream", "name": "stderr", "text": CUT}, 0)

    def _send(self, output: dict[str, Any], size: int) -> None:
        self._sent += size
        if self.frames is not None:
            self.frames.send("out", output)

    def _patch_streams(self) -> None:
        """Every stream object of ipykernel keeps its identity (loggers hold it) and writes here instead.

        The functions' code is replaced, not the functions: IPython and others hold bound methods of the old ones. Safe in a
        copy, where the thread that would send the old buffers is not. ``OutStream._flush`` and ``_original_stdstream_copy``
        are private names of ipykernel (checked in 6.29 and 7.4; ``echo`` is public).
        """
        module: Any = sys.modules.get("ipykernel.iostream")
        if module is None:
            return
        module._selfheal_capture = self
        module.OutStream.write.__code__ = _write.__code__
        module.OutStream.flush.__code__ = module.OutStream._flush.__code__ = _flush.__code__
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, module.OutStream):
                stream.echo = None
                stream._original_stdstream_copy = 1 if stream.name == "stdout" else 2

    def _patch_sessions(self) -> None:
        shell = self.shell
        holders = (shell, shell.display_pub, shell.displayhook, getattr(shell, "kernel", None))
        for session in {id(s): s for s in (getattr(h, "session", None) for h in holders) if s is not None}.values():
            session.send = self._make_sender(session)

    def _make_sender(self, session: Any) -> Any:
        def send(stream: Any, message: Any, content: Any = None, *ignored: Any, **also: Any) -> Any:
            if isinstance(message, dict):
                self.take_message(message.get("msg_type", message["header"]["msg_type"]), message.get("content") or {})
                return message
            self.take_message(message, content or {})
            return session.msg(message, content=content or {})

        return send


_selfheal_capture: Any = None  # of ipykernel.iostream, where the code of these two runs


def _write(self: Any, string: str) -> int:
    _selfheal_capture.write(self.name, string)
    return len(string)


def _flush(self: Any) -> None:
    _selfheal_capture.flush()


def _refuse_input(shell: Any) -> None:
    """Nobody answers a trial's questions but with what was given ahead: they raise what a front end without input raises."""
    import getpass

    from IPython.core.error import StdinNotImplementedError

    def refuse(*ignored: Any, **also: Any) -> str:
        raise StdinNotImplementedError("input() was called in a trial, where nobody can answer")

    def answer(*ignored: Any, **also: Any) -> str:
        return str(answers.pop(0)) if answers else refuse()

    answers: list[str] = getattr(shell, "_selfheal_answers", [])
    answer.left = answers  # type: ignore[attr-defined]  # whoever runs candidates puts back what one has read
    builtins.input = answer
    getpass.getpass = refuse
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel._allow_stdin = False
