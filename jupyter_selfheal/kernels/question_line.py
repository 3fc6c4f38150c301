"""Questions to a frozen state, one after the other, in one trial that waits for them (:mod:`~jupyter_selfheal.inside.fork.questions`)."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.trial_channels import GONE, Channels, send_question
from jupyter_selfheal.kernels.trial_results import FrameReader
from jupyter_selfheal.model import JSON, Probe

_PATIENCE = 20.0
"""Seconds beyond a question's limit after which the machinery, not the code, is at fault."""


class QuestionLine:
    """The engine's end of a trial that answers questions. One question is asked at a time; :meth:`close` may be called by any thread.

    ``on_close`` is called once, with the channel of the trial's guard, when it is let go.
    """

    def __init__(self, channels: Channels, on_close: Callable[[socket.socket], None]) -> None:
        self._channels = channels
        self._frames = FrameReader()
        self._on_close = on_close
        self._is_closed = False
        self._asking = threading.Lock()
        self._sending = threading.Lock()
        """Held for one whole question: another thread may hand in the source of later ones meanwhile."""

    def ask(self, probe: Probe) -> JSON:
        """The answer; None where the question raised, or took too long.

        Raises :class:`KernelError` where the trial is gone (it ends when nobody has asked for a while), and :class:`OSError` likewise.
        """
        with self._asking:
            return self._ask_alone(probe)

    def _ask_alone(self, probe: Probe) -> JSON:
        results = self._channels.results
        with self._sending:
            send_question(results, probe)
        until = time.monotonic() + probe.timeout + _PATIENCE
        while True:
            results.settimeout(max(0.001, until - time.monotonic()))
            data = results.recv(1 << 20)
            if not data:
                raise KernelError(GONE)
            for kind, *rest in self._frames.take_frames(data):
                if kind == "answer":
                    return rest[0].get("value") if rest[0].get("status") == "ok" else None
                if kind == "failed":
                    raise KernelError(f"the question was not asked: {rest[0]}")

    def prepare(self, source: str) -> None:
        """See :class:`jupyter_selfheal.ports.Questions`."""
        with self._sending:
            send_question(self._channels.results, Probe(source), is_ahead=True)

    def close(self) -> None:
        """Let the trial go. Idempotent; a question that is being asked ends with it."""
        if self._is_closed:
            return
        self._is_closed = True
        self._on_close(self._channels.status)
        for end in (self._channels.results, self._channels.status):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)  # wakes who waits for an answer
        with self._asking:
            self._channels.close()
