"""A real ipykernel over jupyter_client, with data folders of its own."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest
from jupyter_client.manager import KernelManager

from tests.ports import choose_port
from tests.waiting import PATIENCE


class LiveKernel:
    """A kernel as a front end sees it."""

    def __init__(self, folder: Path, data: Path, *, keep_key: bool = False) -> None:
        (data / "ipython").mkdir(parents=True, exist_ok=True)  # else IPython makes two for good in the temporary folder
        env = {
            **os.environ,
            "IPYTHONDIR": str(data / "ipython"),
            "JUPYTER_DATA_DIR": str(data),
            "JUPYTER_RUNTIME_DIR": str(data / "runtime"),
        }
        if not keep_key:
            env.pop("ANTHROPIC_API_KEY", None)
        self.data = data
        ports = {f"{name}_port": choose_port() for name in ("shell", "iopub", "stdin", "control", "hb")}
        self.manager = KernelManager(kernel_name="python3", cache_ports=False, **ports)
        self.manager.start_kernel(cwd=str(folder), env=env)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        self.messages: list[dict[str, Any]] = []
        self.displays: dict[str, str] = {}

    @property
    def pid(self) -> int:
        return int(self.manager.provisioner.pid)  # type: ignore[union-attr]

    def run(self, code: str, cell_id: str = "", *, metadata: dict[str, Any] | None = None, **more: Any) -> Any:
        """Execute a cell; the reply's content, with what it printed under ``text`` and its outputs under ``outputs``."""
        return self.done(self.queue(code, cell_id, metadata=metadata, **more))

    def queue(self, code: str, cell_id: str = "", *, metadata: dict[str, Any] | None = None, **more: Any) -> str:
        """Send a cell and wait for nothing, as Run All does; the id to give to :meth:`done`, in the order of sending."""
        content = {
            "code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
            "stop_on_error": True, **more,
        }  # fmt: skip
        return self._send("execute_request", content, metadata or ({"cellId": cell_id} if cell_id else {}))

    def done(self, msg_id: str) -> Any:
        """What :meth:`run` returns, for a cell that was queued."""
        outputs = self._until_idle(msg_id)
        reply = self._reply(msg_id)
        reply["outputs"] = outputs
        reply["text"] = "".join(o["content"].get("text", "") for o in outputs if o["msg_type"] == "stream")
        return reply

    def tell(self, data: dict[str, Any]) -> None:
        """Say something as a page with our JupyterLab extension does: over a comm of its own."""
        name = {"comm_id": uuid4().hex}
        self._until_idle(self._send("comm_open", {**name, "target_name": "jupyter_selfheal", "data": {}}))
        self._until_idle(self._send("comm_msg", {**name, "data": data}))

    def ask(self, kind: str, content: dict[str, Any]) -> None:
        """Send a request of another kind than a cell, and wait until it is done."""
        self._until_idle(self._send(kind, content))

    def answer(self, text: str) -> str:
        """Wait until the running cell asks something, answer it; what it asked."""
        asked = self.client.get_stdin_msg(timeout=PATIENCE)
        self.client.input(text)
        return str(asked["content"]["prompt"])

    def value(self, expression: str) -> str:
        """The repr of an expression, asked silently."""
        message = self.client.execute("", silent=True, store_history=False, user_expressions={"v": expression})
        self._until_idle(message)
        found = self._reply(message)["user_expressions"]["v"]
        assert found["status"] == "ok", found
        return str(found["data"]["text/plain"])

    def wait_for(self, condition: Callable[[], bool], what: str = "") -> None:
        """Take in messages until the condition holds."""
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, f"{what or 'it'} did not come; displays: {self.displays}"
            self._take(0.1)

    def card(self, phase: str = "") -> str:
        """The text of the newest card; waits until its first line holds ``phase``."""
        if phase:
            self.wait_for(lambda: any(phase in t for t in list(self.displays.values())[-1:]), phase)
        return list(self.displays.values())[-1]

    def children(self) -> list[psutil.Process]:
        """Every process below the kernel that still runs."""
        return [process for process, _ in self.commands()]

    def has_copies_at_work(self) -> bool:
        """Whether any process below the kernel goes behind it: what is looked at ahead does."""
        own = psutil.Process(self.pid).nice()
        for process in self.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.nice() > own:
                    return True
        return False

    def commands(self) -> list[tuple[psutil.Process, list[str]]]:
        """Each of these with its command line. One that ends meanwhile (a trial's guard may at any time) is left out."""
        found = []
        for process in psutil.Process(self.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append((process, process.cmdline()))
        return found

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def _send(self, kind: str, content: dict[str, Any], metadata: dict[str, Any] | None = None) -> str:
        message = self.client.session.msg(kind, content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def _reply(self, msg_id: str) -> Any:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == msg_id:
                return reply["content"]
        raise AssertionError("no reply")

    def _until_idle(self, msg_id: str) -> list[dict[str, Any]]:
        found = []
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            message = self._take(0.5)
            if message is None or message["parent_header"].get("msg_id") != msg_id:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return found
            found.append(message)
        raise AssertionError("the kernel did not become idle")

    def _take(self, seconds: float) -> dict[str, Any] | None:
        from queue import Empty

        try:
            message: dict[str, Any] = self.client.get_iopub_msg(timeout=seconds)
        except Empty:
            return None
        self.messages.append(message)
        display = message["content"].get("transient", {}).get("display_id", "")
        if display.startswith("selfheal-"):
            self.displays[display] = message["content"]["data"]["text/plain"]
        return message


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[LiveKernel]:
    folder = tmp_path / "work"
    folder.mkdir()
    found = LiveKernel(folder, tmp_path / "data")
    yield found
    found.stop()


@pytest.fixture
def loaded(kernel: LiveKernel) -> LiveKernel:
    assert kernel.run("%load_ext jupyter_selfheal")["status"] == "ok"
    return kernel


assert sys.platform != "win32"
