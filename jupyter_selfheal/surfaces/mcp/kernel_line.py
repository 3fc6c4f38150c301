"""The agent's server's end of the line to a running kernel (``surfaces/live/agents.py`` is the other)."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_selfheal import messages as m
from jupyter_selfheal import wire
from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import KernelError, UsageError
from jupyter_selfheal.model import JSON, Patch

TARGET = "jupyter_selfheal.agent"

PATIENCE = 30.0
"""Seconds that a kernel may take to answer: while a cell runs it does not."""

TICK = 0.5
"""Seconds after which whoever waits looks whether its call was cancelled."""

NOT_LOADED = "the extension is not loaded in that kernel: ask the user to run `%load_ext jupyter_selfheal` there, then call again"
RESTARTED = "the kernel was restarted, or the extension was loaded anew, while the card asked the user: offer it again"
BUSY = "the kernel does not answer: it runs a cell, or has ended; call again when it is idle"


class KernelLine:
    """A comm to one running kernel. Thread-safe: one question at a time; what is pushed meanwhile is kept.

    ``find`` says where the kernel's connection file is: asked before the first question, and again where the kernel does not answer, as the
    user may have opened the notebook anew. A kernel that was restarted is noticed by its messages, which come from another session.
    Raises :class:`UsageError` in one sentence wherever the kernel cannot be reached, or its extension is not loaded.
    """

    def __init__(self, find: Callable[[], Path], patience: float = PATIENCE) -> None:
        self._find = find
        self._patience = patience
        self._lock = threading.RLock()
        self._client: Any = None
        self._file = Path()
        self._comm = ""
        self._session = ""
        self._number = 0
        self._decisions: dict[str, dict[str, JSON]] = {}

    def look(self, *, copies: bool) -> m.AgentView:
        """The session as it is now, with a frozen copy of its state where ``copies`` says so."""
        view = wire.loads(str(self._ask_kernel({"ask": "look", "copy": copies})["view"]))
        assert isinstance(view, m.AgentView)
        return view

    def offer(self, cell_id: str, patch: Patch, note: str) -> str:
        """Put a patch to the user; the run by which :meth:`wait_for_decision` tells what became of it."""
        return str(self._ask_kernel({"ask": "offer", "offer": wire.dumps(m.AgentOffer(cell_id, patch, note))})["run"])

    def wait_for_decision(
        self, run: str, is_cancelled: Callable[[], bool], tell: Callable[[str], None]
    ) -> dict[str, JSON]:
        """Block until the user has decided, or the call was cancelled; ``tell`` gets each new line of the card's status.

        Raises :class:`KernelError` where the call was cancelled, or the card is gone with its kernel.
        """
        said, comm = "", self._comm
        while not is_cancelled():
            with self._lock:
                self._take_next(TICK)
                state = self._decisions.get(run, {})
                is_lost = not self._comm or self._comm != comm
            if (status := str(state.get("status", ""))) != said:
                tell(said := status)
            if state.get("phase") in ("applied", "closed"):
                return state
            if is_lost:
                raise KernelError(RESTARTED)
        raise KernelError("the call was cancelled: the card still asks the user")

    def close(self) -> None:
        """Let go of the kernel; it goes on."""
        with self._lock:
            if self._client is not None:
                if self._comm:
                    self._send_message("comm_close", {"comm_id": self._comm, "data": {}})
                self._client.stop_channels()
            self._client, self._comm, self._session = None, "", ""

    def _ask_kernel(self, question: dict[str, JSON]) -> dict[str, JSON]:
        with self._lock:
            was_open = bool(self._comm)
            try:
                answer = self._ask_once(question)
            except UsageError:
                if not was_open or self._comm:
                    raise
                answer = self._ask_once(question)  # it is another kernel by now, which may have the extension
        if "error" in answer:
            raise UsageError(str(answer["error"]))
        return answer

    def _ask_once(self, question: dict[str, JSON]) -> dict[str, JSON]:
        self._open_comm()
        self._number += 1
        number = self._number
        self._send_message("comm_msg", {"comm_id": self._comm, "data": {"number": number, **question}})
        return self._wait_for(lambda data: data.get("number") == number)

    def _open_comm(self) -> None:
        """The comm, opened at the first question, and anew where it was closed from there (the extension was reloaded)."""
        if self._client is None:
            self._client = self._connect_kernel()
        if self._comm:
            self._drain_comm()
        if self._comm:
            return
        self._comm = uuid.uuid4().hex
        self._send_message(
            "comm_open", {"comm_id": self._comm, "target_name": TARGET, "data": {"version": __version__}}
        )
        hello = self._wait_for(lambda data: "hello" in data)
        if hello["hello"] != __version__:
            self._comm = ""
            raise UsageError(
                f"the kernel has release {hello['hello']} of the extension, this server is {__version__}: use one release for both"
            )

    def _connect_kernel(self) -> Any:
        from jupyter_client.blocking.client import BlockingKernelClient

        client, self._file = BlockingKernelClient(), self._find()
        try:
            client.load_connection_file(str(self._file))
            client.start_channels(stdin=False, hb=False, control=False)
            self._wait_until_heard(client)
        except BaseException:
            client.stop_channels()
            raise
        return client

    def _wait_until_heard(self, client: Any) -> None:
        """Until what the kernel publishes is received: before that an answer would be lost."""
        until = time.monotonic() + self._patience
        while time.monotonic() < until:
            client.kernel_info()
            try:
                client.get_iopub_msg(timeout=TICK)
            except queue.Empty:
                continue
            return
        raise UsageError(BUSY)

    def _send_message(self, kind: str, content: dict[str, JSON]) -> None:
        self._client.shell_channel.send(self._client.session.msg(kind, content))

    def _drain_comm(self) -> None:
        while self._comm and self._take_next(0.0):
            pass

    def _wait_for(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        until = time.monotonic() + self._patience
        while (left := until - time.monotonic()) > 0:
            data = self._take_next(min(left, TICK))
            if not self._comm:
                raise UsageError(NOT_LOADED)
            if data and fits(data):
                return data
            if not data and not self._file.is_file():
                break  # who ends a kernel removes its file
        if self._find() != self._file:
            self.close()  # the notebook was opened anew: the next question goes to the kernel of now
        raise UsageError(BUSY)

    def _take_next(self, seconds: float) -> dict[str, Any]:
        """The next thing said on the comm, or an empty object; what is said of a run is kept."""
        if self._client is None:
            return {}
        try:
            message = self._client.get_iopub_msg(timeout=seconds)
        except queue.Empty:
            return {}
        content, session = message["content"], message["header"]["session"]
        if self._session not in ("", session):
            self._comm = ""
        self._session = session
        if content.get("comm_id") != self._comm or not self._comm:
            return {"other": message["msg_type"]}
        if message["msg_type"] == "comm_close":
            self._comm = ""
            return {}
        data: dict[str, Any] = content.get("data") or {}
        if "run" in data and "phase" in data:
            self._decisions[str(data["run"])] = data
        return data
