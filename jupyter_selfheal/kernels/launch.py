"""A real kernel of a notebook's kernelspec, in the notebook's folder, its writes discarded where asked, never orphaned."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.byte_code import PREFIX, give_byte_code_folder
from jupyter_selfheal.kernels.kernel_process import KernelProcess
from jupyter_selfheal.kernels.kernelspec import read_kernelspec
from jupyter_selfheal.kernels.output_collector import OutputCollector
from jupyter_selfheal.model import JSON, ErrorInfo, Launch, Output

_POLL = 0.05


@dataclass(frozen=True, slots=True)
class Reply:
    """What one execution gave. ``values`` are the ``user_expressions`` asked for, as text. ``died``: the kernel ended."""

    outputs: tuple[Output, ...] = ()
    errors: tuple[ErrorInfo, ...] = ()
    execution_count: int = 0
    timed_out: bool = False
    died: bool = False
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True where it ran to its end without an error."""
        return not (self.errors or self.timed_out or self.died)


def build_environment(launch: Launch) -> dict[str, str]:
    """What a kernel's environment has beside that of its kernelspec: the seed of its hashes, and the folder of byte code that it reads."""
    fixed = os.environ.get("PYTHONHASHSEED", "random") != "random"
    hashes = {} if fixed or not launch.seed else {"PYTHONHASHSEED": str(launch.seed)}
    return {**hashes, PREFIX: launch.byte_code} if launch.byte_code else hashes


def start_kernel(
    spec_name: str,
    folder: str,
    *,
    writes: str = "discard",
    strict: bool = False,
    network: bool = True,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> LiveKernel:
    """Start the kernel of a kernelspec and wait until it answers, at most ``timeout`` seconds.

    ``folder`` is its working directory. ``writes``: with ``discard`` what it writes there, in the temporary folder and at home
    is thrown away when it ends, and all else is read-only (see ``LiveKernel.writes_isolated``); ``allow`` leaves it be,
    ``forbid`` makes everything read-only. ``strict``: where writes cannot be discarded they are forbidden, and where they cannot
    be forbidden either the kernel does not start. ``network``: without it the kernel reaches neither the network nor the machine's Unix
    sockets. ``env`` is added to the environment (a folder of byte code becomes an option of Python instead).

    Raises :class:`KernelError` where the kernelspec is missing (naming those installed) or the kernel dies (with the tail
    of what it printed).
    """
    argv, spec_env, by_message = read_kernelspec(spec_name)
    policy = {"writes": writes, "strict": strict, "network": network}
    argv, given = give_byte_code_folder(argv, env or {})
    kernel = LiveKernel(spec_name, folder, argv, {**spec_env, **given}, policy, by_message)
    try:
        kernel._connect_channels(time.monotonic() + timeout)
    except BaseException:
        kernel.stop()
        raise
    return kernel


class LiveKernel:
    """A running kernel. Made by :func:`start_kernel`; one thread at a time executes, others wait for it."""

    def __init__(
        self,
        spec_name: str,
        folder: str,
        argv: list[str],
        env: dict[str, str],
        policy: Mapping[str, JSON],
        by_message: bool,
    ) -> None:
        self.spec_name = spec_name
        self.folder = os.path.realpath(folder)
        self._process = KernelProcess(spec_name, self.folder, argv, env, policy)
        self.shared = self._process.shared
        """A private folder (0700) that we and the kernel both see, whatever its writes are: for sockets."""
        self._lock = threading.RLock()
        self._by_message = by_message
        self._clients: list[Any] = []
        self._unfinished = ""
        self._release = weakref.finalize(self, _release_kernel, self._process, self._clients)

    @property
    def pid(self) -> int:
        """The kernel's process, 0 before it is known."""
        return self._process.pid

    @property
    def layers(self) -> tuple[str, ...]:
        """The sandbox's layers that the kernel runs in."""
        return self._process.layers

    @property
    def writes_isolated(self) -> str:
        """Why writes are not isolated; empty where they are, or were not asked to be."""
        return self._process.why_not

    @property
    def _client(self) -> Any:
        return self._clients[0]

    def _connect_channels(self, deadline: float) -> None:
        """Wait for the warden's report, connect, and wait until both channels are there."""
        from jupyter_client.blocking.client import BlockingKernelClient

        while not self.pid:
            self._process.read_reports(0.5)
            self._check_still_starting(deadline)
        self._clients.append(BlockingKernelClient(connection_file=f"{self.shared}/kernel.json"))
        self._client.load_connection_file()
        self._client.start_channels(stdin=False, hb=False)
        for channel in (self._client.shell_channel, self._client.iopub_channel):
            self._client.kernel_info()
            while True:  # a subscription takes effect some time after connecting: ask until it is heard
                self._check_still_starting(deadline)
                try:
                    channel.get_msg(timeout=0.2)
                    break
                except queue.Empty:
                    if channel is self._client.iopub_channel:
                        self._client.kernel_info()

    def _check_still_starting(self, deadline: float) -> None:
        if not self.alive:
            raise KernelError(f"kernel {self.spec_name!r} died at start: {self._process.describe_end()}")
        if time.monotonic() > deadline:
            raise KernelError(f"kernel {self.spec_name!r} did not answer in time: {self._process.describe_end()}")

    @property
    def alive(self) -> bool:
        """False once the kernel's process has ended."""
        return self._process.exit_code() is None

    @property
    def exit_code(self) -> int | None:
        """The exit code of the kernel's process, negative for a signal; None while it lives."""
        return self._process.exit_code()

    def describe_end(self) -> str:
        """What the kernel's process said last, on one line."""
        return self._process.describe_end()

    def interrupt_cell(self) -> None:
        """Interrupt what is running, as the stop button does. Safe from another thread."""
        if self._by_message:
            self._client.control_channel.send(self._client.session.msg("interrupt_request", {}))
        elif self.alive and self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGINT)

    def execute(
        self,
        code: str,
        timeout: float = 0.0,
        on_output: Callable[[Output], None] | None = None,
        *,
        silent: bool = False,
        cell_id: str = "",
        expressions: Mapping[str, str] | None = None,
    ) -> Reply:
        """Run code as a cell and wait, at most ``timeout`` seconds (0: without a limit).

        ``on_output`` is called with each output as it comes. ``silent`` code is not counted, nor kept in the history, nor seen
        by the kernel's callbacks. ``expressions`` are evaluated after it. After a timeout the code is still running:
        :meth:`interrupt` or :meth:`stop` it. Raises :class:`KernelError` where the kernel is gone already.
        """
        with self._lock:
            if not self.alive:
                raise KernelError(f"kernel {self.spec_name!r} has ended: start another one")
            if not self._wait_for_earlier(timeout):
                return Reply(timed_out=True)
            content = {
                "code": code,
                "silent": silent,
                "store_history": not silent,
                "user_expressions": dict(expressions or {}),
                "allow_stdin": False,
                "stop_on_error": False,  # else the kernel may abort what is sent right after a cell that failed
            }
            request = self._client.session.msg("execute_request", content, metadata={"cellId": cell_id})
            self._client.shell_channel.send(request)
            return self._collect_reply(request["header"]["msg_id"], timeout, OutputCollector(on_output))

    def _wait_for_earlier(self, timeout: float) -> bool:
        """Wait for the reply to an execution that had timed out: what is sent before it would be aborted with it."""
        deadline = time.monotonic() + timeout if timeout else float("inf")
        while self._unfinished and self.alive:
            if time.monotonic() > deadline:
                return False
            with contextlib.suppress(queue.Empty):
                message = self._client.shell_channel.get_msg(timeout=_POLL)
                if message["parent_header"].get("msg_id") == self._unfinished:
                    self._unfinished = ""
        return True

    def _collect_reply(self, request: str, timeout: float, collector: OutputCollector) -> Reply:
        self._unfinished = request
        deadline = time.monotonic() + timeout if timeout else float("inf")
        reply: dict[str, JSON] | None = None
        idle = False
        while not (idle and reply is not None):
            if time.monotonic() > deadline:
                return Reply(collector.outputs, collector.errors, timed_out=True)
            channel = self._client.shell_channel if idle else self._client.iopub_channel
            try:
                message = channel.get_msg(timeout=min(_POLL, max(deadline - time.monotonic(), 0.001)))
            except queue.Empty:
                if not self.alive:
                    return Reply(collector.outputs, collector.errors, died=True)
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "execute_reply":
                reply = message["content"]
            elif message["msg_type"] == "status":
                idle = message["content"]["execution_state"] == "idle"
            else:
                collector.take_message(message["msg_type"], message["content"])
        self._unfinished = ""
        errors = collector.errors
        if reply.get("status") == "error" and not errors:
            errors = (ErrorInfo(str(reply.get("ename", "")), str(reply.get("evalue", ""))),)
        values = {
            k: str(v.get("data", {}).get("text/plain", "")) for k, v in (reply.get("user_expressions") or {}).items()
        }
        return Reply(collector.outputs, errors, int(reply.get("execution_count") or 0), values=values)

    def stop(self) -> None:
        """Kill the kernel and everything it started, and wait until nothing of it is left. Idempotent.

        Done also when this object is collected, and when the interpreter ends.
        """
        self._process.kill_all()  # whoever waits for a reply now sees that it died, and lets go of the lock
        with self._lock:
            self._release()

    def __enter__(self) -> LiveKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _release_kernel(process: KernelProcess, clients: list[Any]) -> None:
    """The end of a kernel. Outside of the class: ``zmq`` hangs where a context is collected before its sockets are closed."""
    process.kill_all()
    for client in clients:
        client.stop_channels()
        client.context.destroy(linger=0)
    process.remove_folder()
