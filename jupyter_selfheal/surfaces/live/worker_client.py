"""The pipe to the engine: one worker process per kernel, started in the background, JSON lines both ways.

The user's kernel never waits for it: lines are queued and written by a thread, replies are read by another. Both threads'
names begin with ``selfheal-``, which the fork gate knows as ours.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.errors import WireError
from jupyter_selfheal.own_process import process_arguments
from jupyter_selfheal.surfaces.live import LazyModule

if TYPE_CHECKING:
    from jupyter_selfheal import wire
else:
    wire = LazyModule("wire")

RESTARTS_AN_HOUR = 3
"""Times a dead worker is started again within an hour; after that healing stays off, with a notice."""


class WorkerClient:
    """Speaks to a process that runs :mod:`jupyter_selfheal.surfaces.worker`.

    ``on_message(message)`` and ``on_end(what_to_say, is_started_again)`` are called on the reader thread: they must not run
    user code or print.
    """

    def __init__(self, log_path: Path, on_message: Callable[[Any], None], on_end: Callable[[str, bool], None]) -> None:
        self._log_path = log_path
        self._on_message = on_message
        self._on_end = on_end
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._starts: deque[float] = deque()
        self._lock = threading.RLock()
        self._closed = False
        self._pid = os.getpid()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The worker's process id, 0 where there is none."""
        return self._process.pid if self._process else 0

    def start(self) -> bool:
        """Start the worker if it is not there. False where it died too often to be started again."""
        with self._lock:
            if self._closed or os.getpid() != self._pid:
                return False
            if self.alive:
                return True
            now = time.monotonic()
            while self._starts and now - self._starts[0] > 3600:
                self._starts.popleft()
            if len(self._starts) > RESTARTS_AN_HOUR:
                return False
            self._starts.append(now)
            self._lines = queue.SimpleQueue()
            self._process = self._spawn_worker()
            for work, name in ((self._write_lines, "selfheal-writer"), (self._read_messages, "selfheal-reader")):
                threading.Thread(target=work, args=(self._process, self._lines), name=name, daemon=True).start()
            return True

    def _spawn_worker(self) -> subprocess.Popen[bytes]:
        self._log_path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._log_path, "ab") as log:
            return subprocess.Popen(
                **process_arguments("surfaces.worker.__main__"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def greet(self, version: str, folder: str, last_words: str = "", told: str = "") -> bool:
        """Send ``messages.Hello``, written by hand: nothing of the model is loaded for it."""
        hello = {"$": "Hello", "version": version, "kernel_pid": self._pid, "folder": folder}
        hello |= {name: path for name, path in (("last_words", last_words), ("told", told)) if path}
        return self._queue_line(json.dumps({"v": 1, "body": hello}, ensure_ascii=False, separators=(",", ":")))

    def send(self, message: Any) -> bool:
        """Queue a message. False where there is no worker to take it."""
        return self._queue_line(wire.dumps(message))

    def _queue_line(self, line: str) -> bool:
        if not self.start():
            return False
        self._lines.put(line + "\n")
        return True

    def close(self) -> None:
        """End the worker: end of input first, then the signal. Idempotent."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is None or os.getpid() != self._pid:
            return
        self._lines.put(None)
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _write_lines(self, process: subprocess.Popen[bytes], lines: queue.SimpleQueue[str | None]) -> None:
        pipe = process.stdin
        assert pipe is not None
        try:
            while (line := lines.get()) is not None:
                pipe.write(line.encode("utf-8", "surrogatepass"))
                pipe.flush()
        except (BrokenPipeError, OSError, ValueError):
            pass  # the reader sees the end and says so
        finally:
            try:
                pipe.close()
            except OSError:
                pass

    def _read_messages(self, process: subprocess.Popen[bytes], lines: queue.SimpleQueue[str | None]) -> None:
        pipe = process.stdout
        assert pipe is not None
        with pipe:
            while (line := pipe.readline()) and b'"Ready"' not in line:
                pass  # what a sitecustomize prints comes before our worker has put its standard output aside
            for line in pipe:
                import jupyter_selfheal.messages  # noqa: F401  # its classes make themselves known to the wire

                try:
                    message = wire.loads(line)
                except WireError as error:
                    self._write_log_line(f"unreadable line from the worker: {error}")
                    continue
                try:
                    self._on_message(message)
                except Exception as error:  # an error of ours must end in the log, never in the user's notebook
                    self._write_log_line(
                        f"{type(message).__name__} could not be shown: {type(error).__name__}: {error}"
                    )
        lines.put(None)
        code = process.wait()
        if not self._closed:
            again = len(self._starts) <= RESTARTS_AN_HOUR
            self._on_end(f"the healing worker ended (exit status {code}); log: {self._log_path}", again)

    def _write_log_line(self, text: str) -> None:
        write_log_line(self._log_path, text)


def write_log_line(path: Path, text: str) -> None:
    """One line in our log. Never raises: the log is the last resort."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8", errors="replace") as log:
            log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} [{os.getpid()}] {text}\n")
    except OSError:
        pass
