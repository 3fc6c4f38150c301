"""Ctrl-C in a process that is all ours: it waits, is heard no more, or comes again where Python lost it."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SOON = 0.01
"""Seconds after which a lost Ctrl-C comes again: what lost it has been left by then, and nobody notices."""


def delay_interrupts(held: bool) -> None:
    """Keep a Ctrl-C waiting, or let it in. Windows knows no such thing: there it may come in between."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK if held else signal.SIG_UNBLOCK, {signal.SIGINT})


def ignore_interrupts() -> None:
    """Hear no Ctrl-C any more, not even one that has come and waits to be answered."""
    while True:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        except KeyboardInterrupt:
            continue
        return


def resend_lost_interrupts() -> None:
    """Let a Ctrl-C come again that Python raised where nothing can be raised, as in a finaliser: it is dropped there with a notice.

    (``sys.unraisablehook``, https://docs.python.org/3/library/sys.html#sys.unraisablehook.) Windows has no timer for it: it is lost there.
    """
    if not hasattr(signal, "setitimer"):
        return
    report = sys.unraisablehook

    def catch_lost(lost: UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, SOON)
        else:
            report(lost)

    def send_again(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code is catch_lost.__code__:  # it would be lost there as well
            signal.setitimer(signal.ITIMER_REAL, SOON)
        else:
            signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGALRM, send_again)
    sys.unraisablehook = catch_lost
