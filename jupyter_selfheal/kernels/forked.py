"""The trial kernel that holds the exact state: the engine's end of a zygote (:mod:`~jupyter_selfheal.inside.fork.zygote`).

One connection carries requests, each with the ends of its own channels: the results (frames, written by the trial), the
status (written by the guard) and, where the state may be kept, the connection to the kept zygote. There is nothing to
multiplex and no lock but the one for sending; closing an end is the word to stop.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from jupyter_selfheal.errors import KernelError, SandboxError
from jupyter_selfheal.kernels.question_line import QuestionLine
from jupyter_selfheal.kernels.trial_channels import GONE, Channels, NotBegun, read_results, send_request
from jupyter_selfheal.kernels.trial_report import describe_isolation, find_ending, is_sandboxed, measure_phases
from jupyter_selfheal.kernels.trial_results import ResultReader
from jupyter_selfheal.model import Ending, Isolation, Keep, Sandbox, Start, Trial, TrialRequest
from jupyter_selfheal.numbers import read_number

_PATIENCE = 20.0
"""Seconds beyond a trial's limit after which the machinery, not the code, is at fault."""

_PAUSES = (0.1, 0.5, 2.0)
"""Seconds until a trial is asked for again of which nothing was heard: a machine that has no process, file or memory left for it may have soon."""

_QUESTIONS_SECONDS = 600.0
"""Seconds that a trial may answer questions for; who asks then gets another."""


class ForkedKernel:
    """A :class:`~jupyter_selfheal.ports.TrialKernel` over a connected zygote.

    ``folders`` are those whose writes an overlay discards, besides the kernel's working directory. ``on_close`` is called
    once, when this state and every state kept from it were let go (to stop the kernel that it was forked from, say). ``explain_end``
    says why the state is gone, as far as that is known.
    """

    is_exact = True

    def __init__(
        self,
        control: socket.socket,
        start: Start = Start.BEFORE_CELL,
        *,
        folders: tuple[str, ...] = (),
        on_close: Callable[[], None] | None = None,
        explain_end: Callable[[], str] | None = None,
        lineage: _Lineage | None = None,
    ) -> None:
        self._control = control
        self._start = start
        self._folders = folders
        self._lineage = lineage or _Lineage(on_close, explain_end)
        self._lineage.add_state()
        self._lock = threading.Lock()
        self._running: set[socket.socket] = set()
        self._lines: weakref.WeakSet[QuestionLine] = weakref.WeakSet()
        """Those that may be open still: who asks may leave them to :meth:`close`."""
        self._closed = False
        self._probed: dict[str, str | None] | None = None
        self._ahead: _TrialAhead | None = None

    @classmethod
    def connect(
        cls,
        path: str,
        start: Start = Start.BEFORE_CELL,
        *,
        folders: tuple[str, ...] = (),
        on_close: Callable[[], None] | None = None,
        explain_end: Callable[[], str] | None = None,
    ) -> ForkedKernel:
        """Connect to the socket that ``checkpoint`` named. A zygote takes one connection and ends with it.

        Raises :class:`KernelError` where nobody listens.
        """
        return cls(_open_control(path), start, folders=folders, on_close=on_close, explain_end=explain_end)

    @property
    def start(self) -> Start:
        """See :class:`~jupyter_selfheal.ports.TrialKernel`."""
        return self._start

    @property
    def isolation(self) -> Isolation:
        """What the default sandbox gives in this kernel's own environment; asked of the zygote once."""
        if self._probed is None:
            mine, theirs = socket.socketpair()
            with mine:
                with theirs:
                    self._send_order({"do": "probe"}, [theirs])
                mine.settimeout(_PATIENCE)
                with contextlib.suppress(OSError), mine.makefile("rb") as answer:
                    self._probed = json.loads(answer.read() or b"null")
            if self._probed is None:
                raise KernelError(GONE)
        return describe_isolation(Sandbox(), self._probed, ())

    def run_ahead(self, request: TrialRequest) -> None:
        """Begin a trial before anybody waits for it: the first :meth:`run` of an equal request gets its result. Nothing is kept of it.

        It is ended where the same patch is run otherwise, or another trial is begun ahead: nobody will ask for it."""
        ahead = _TrialAhead(request)
        with self._lock:
            if self._ahead is not None:
                self._ahead.cancel()
            self._ahead = ahead

        def work() -> None:
            try:
                ahead.result.set_result(self._run_once(request, ahead))
            except BaseException as error:  # whoever wants the result gets that
                ahead.result.set_exception(error)

        threading.Thread(target=work, name="selfheal-ahead", daemon=True).start()

    def run(self, request: TrialRequest) -> tuple[Trial, ForkedKernel | None]:
        """See :meth:`jupyter_selfheal.ports.TrialKernel.run`."""
        ahead = self._take_ahead(request)
        if ahead is not None:
            with contextlib.suppress(NotBegun):
                return ahead.result.result()
        for pause in _PAUSES:
            try:
                return self._run_once(request)
            except NotBegun:
                time.sleep(pause)
        return self._run_once(request)

    def _take_ahead(self, request: TrialRequest) -> _TrialAhead | None:
        """The trial that runs already, where it is this one."""
        with self._lock:
            ahead = self._ahead
            if ahead is None or ahead.request.patch_id != request.patch_id:
                return None
            self._ahead = None
            if ahead.request == request:
                return ahead
            ahead.cancel()
            return None

    def _run_once(self, request: TrialRequest, ahead: _TrialAhead | None = None) -> tuple[Trial, ForkedKernel | None]:
        began = time.monotonic()
        with Channels(keep=request.keep is not Keep.NEVER) as channels:
            self._register_trial(channels.status, ahead)
            try:
                self._send_run(request, channels, began)
                reading = ResultReader(request.steps)
                send_request(channels.results, request, self._folders)
                report = read_results(channels, reading, began + 2 * request.timeout + _PATIENCE)  # see guard.Limit
            finally:
                self._unregister_trial(channels.status, ahead)
            trial = self._build_trial(request, reading, report, began)
            return trial, self._keep_state(channels, trial) if reading.is_kept else None

    def open_questions(self) -> QuestionLine:
        """See :class:`jupyter_selfheal.ports.AnswersQuestions`."""
        channels = Channels(keep=False)
        line = QuestionLine(channels, self._unregister_trial)
        try:
            self._register_trial(channels.status)
            request = TrialRequest((), timeout=_QUESTIONS_SECONDS)
            self._send_run(request, channels, time.monotonic(), asks=True)
            send_request(channels.results, request, self._folders, asks=True)
            with self._lock:
                self._lines.add(line)
                if self._closed:
                    raise KernelError("this state was closed: open a new one")
        except BaseException:
            line.close()
            raise
        return line

    def _send_run(self, request: TrialRequest, channels: Channels, began: float, *, asks: bool = False) -> None:
        is_boxed = is_sandboxed(request.sandbox)
        order = {
            "do": "run",
            "deadline": began + request.timeout,
            "sandboxed": is_boxed,
            "asks": asks,
            "last": request.is_last,
        }
        self._send_order(order, channels.theirs)
        channels.close_theirs()

    def move_to(self, path: str) -> None:
        """Go on from another frozen state, whose zygote listens there: this one's is gone, or out of date.

        Raises :class:`KernelError` where nobody listens.
        """
        control = _open_control(path)
        with self._lock:
            old, self._control, self._probed = self._control, control, None
        old.close()

    def close(self) -> None:
        """See :class:`~jupyter_selfheal.ports.TrialKernel`. States kept from this one live on."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for status in self._running:
                _cancel_trial(status)
            self._control.close()
            lines = list(self._lines)
        for line in lines:
            line.close()
        self._lineage.remove_state()

    def _send_order(self, order: Mapping[str, Any], ends: list[socket.socket]) -> None:
        with self._lock:
            if self._closed:
                raise KernelError("this state was closed: open a new one")
            try:
                socket.send_fds(self._control, [json.dumps(order).encode()], [end.fileno() for end in ends])
            except OSError as error:
                raise KernelError(self._lineage.describe_end()) from error

    def _register_trial(self, status: socket.socket, ahead: _TrialAhead | None = None) -> None:
        with self._lock:
            if self._closed:
                raise KernelError("this state was closed: open a new one")
            if ahead is not None:
                ahead.begin(status)
            self._running.add(status)

    def _unregister_trial(self, status: socket.socket, ahead: _TrialAhead | None = None) -> None:
        with self._lock:
            self._running.discard(status)
            if ahead is not None:
                ahead.status = None

    def _build_trial(
        self, request: TrialRequest, reading: ResultReader, report: Mapping[str, Any], began: float
    ) -> Trial:
        if reading.failed:
            raise SandboxError(f"the trial was not run: {reading.failed}")
        ending, detail = find_ending(report, reading)
        for name, text in report.get("tail", {}).items():
            if text:
                reading.add_output({"output_type": "stream", "name": name, "text": text})
        if ending is Ending.CANCELLED and not self._closed:
            raise KernelError(GONE)
        died = detail if ending in (Ending.EXITED, Ending.KILLED, Ending.OUT_OF_MEMORY) else ""
        now = time.monotonic()
        return Trial(
            patch_id=request.patch_id,
            steps=reading.build_results(
                timed_out=ending is Ending.TIMED_OUT, died=died, fault=str(report.get("fault", ""))
            ),
            ending=ending,
            start=self._start,
            isolation=describe_isolation(request.sandbox, reading.probed, reading.layers),
            detail=detail,
            seconds=now - began,
            phases=measure_phases(began, now, (reading.done or {}).get("marks", {})),
            blocked=tuple(dict.fromkeys(reading.blocked)),
            peak_mb=read_number({**(reading.done or {}), **report}.get("peak_mb"), 0) or 0.0,
        )

    def _keep_state(self, channels: Channels, trial: Trial) -> ForkedKernel:
        failed = any(s.status not in ("ok", "skipped") and s.role != "probe" for s in trial.steps)
        start = Start.AFTER_FAILURE if failed else Start.BEFORE_CELL
        return ForkedKernel(channels.take_control(), start, folders=self._folders, lineage=self._lineage)


class _TrialAhead:
    """A trial that was begun before anybody waits for it. Its kernel's lock is held in every call."""

    def __init__(self, request: TrialRequest) -> None:
        self.request = request
        self.result: Future[tuple[Trial, ForkedKernel | None]] = Future()
        self.status: socket.socket | None = None
        """The end by which it can be ended, while it runs."""
        self._is_cancelled = False

    def begin(self, status: socket.socket) -> None:
        """It is about to be sent. Raises :class:`KernelError` where it was cancelled by then."""
        if self._is_cancelled:
            raise KernelError("nobody wants this trial any more")
        self.status = status

    def cancel(self) -> None:
        """Nobody will ask for it: its guard ends it, and all that it started."""
        self._is_cancelled = True
        if self.status is not None:
            _cancel_trial(self.status)


def _cancel_trial(status: socket.socket) -> None:
    """The guard takes it as the word to cancel, and still reports."""
    with contextlib.suppress(OSError):
        status.shutdown(socket.SHUT_WR)


def _open_control(path: str) -> socket.socket:
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        control.connect(path)
    except OSError as error:
        control.close()
        raise KernelError(f"{GONE} ({error.strerror})") from error
    return control


class _Lineage:
    """The states that descend from one kernel: it is let go with the last of them."""

    def __init__(self, on_end: Callable[[], None] | None, explain_end: Callable[[], str] | None) -> None:
        self._on_end, self._explain_end = on_end, explain_end
        self._states = 0
        self._lock = threading.Lock()

    def add_state(self) -> None:
        with self._lock:
            self._states += 1

    def remove_state(self) -> None:
        with self._lock:
            self._states -= 1
            is_last = not self._states
        if is_last and self._on_end is not None:
            self._on_end()

    def describe_end(self) -> str:
        """What is said where a state is gone."""
        why = self._explain_end() if self._explain_end is not None else ""
        return f"{GONE} ({why})" if why else GONE
