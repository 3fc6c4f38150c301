"""The loop: ask the machine what to do, do it, write down what came of it, before acting on that.

    while commands:
        for event in perform(commands[0]):
            journal.append(event)
            state, commands = step(state, event)

That is all of it. What comes next is decided in :mod:`~jupyter_selfheal.loop.policy`, what an event means in
:mod:`~jupyter_selfheal.loop.machine`, and the effects are in :mod:`~jupyter_selfheal.loop.runner`.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from types import FrameType

from jupyter_selfheal.errors import InfrastructureError, JournalError
from jupyter_selfheal.loop import machine, proposals
from jupyter_selfheal.loop.cancellation import Cancelled
from jupyter_selfheal.loop.commands import Command
from jupyter_selfheal.loop.events import Broke, CancelRequested, Event
from jupyter_selfheal.loop.runner import CommandRunner
from jupyter_selfheal.loop.states import Closed, State
from jupyter_selfheal.model import REJECTED_BEFORE, Case, Outcome, Reason, Trial
from jupyter_selfheal.ports import HealDependencies

log = logging.getLogger(__name__)


def heal(
    case: Case,
    parts: HealDependencies,
    *,
    cancel: threading.Event | None = None,
    resume_from: Iterable[Event] = (),
    baseline: Trial | None = None,
    run: str = "",
    unproven: str = "",
) -> Outcome:
    """Heal one failing cell: from the failure to the user's decision.

    ``cancel`` ends the heal when it is set, as Ctrl-C does. ``resume_from`` are the events of a run that was killed: it goes
    on where it was, and pays for nothing twice. ``baseline`` is a run of the cell that the caller has seen already: it
    is the reproduction only where a second run could not differ (see :func:`.stability.is_conclusive`). ``unproven`` says why there is no state to try patches from (where ``parts.starts`` is empty).

    The user's kernel and notebook are not touched: whoever called applies ``outcome.applied``. Raises
    :class:`~jupyter_selfheal.errors.JournalError` where the journal cannot be written, and nothing else: other faults of
    ours are an outcome (``self_error``, ``infrastructure``) and in the log.
    """
    cancel = cancel or threading.Event()
    with (
        contextlib.closing(CommandRunner(case, parts, cancel, baseline)) as runner,
        _turn_interrupt_into_cancel(cancel, runner),
    ):
        loop = _Loop(runner, parts)
        if not loop.resume(resume_from):
            loop.record_event(runner.build_start_event(run or uuid.uuid4().hex[:12], unproven))
        return loop.run()


class _Loop:
    """One run: the state, and the journal that it is the fold of."""

    def __init__(self, runner: CommandRunner, parts: HealDependencies) -> None:
        self.runner = runner
        self.parts = parts
        self.state: State | None = None
        self.commands: tuple[Command, ...] = ()
        self.began = time.monotonic()

    def resume(self, events: Iterable[Event]) -> bool:
        """Go on where these events end. False where there are none."""
        self.state = machine.fold_events(events, self.parts.config)
        if self.state is not None:
            self.commands = machine.list_commands(self.state, self.parts.config)
        return self.state is not None

    def run(self) -> Outcome:
        """Perform what the machine says until it has nothing more to say."""
        while self.state and self.commands:
            self.perform(self.commands[0], self.state)
        return self.build_outcome()

    def perform(self, command: Command, state: State) -> None:
        """Have the runner do what is wanted. A Ctrl-C, a fault of the world or a bug of ours becomes an event like any other."""
        try:
            for event in self.runner.perform(command, state.dossier):
                self.record_event(event)
        except JournalError:
            raise
        except (Cancelled, KeyboardInterrupt):
            self.record_event(CancelRequested())
        except InfrastructureError as error:
            self.record_event(Broke(Reason.INFRASTRUCTURE, str(error)))
        except Exception as error:
            log.exception("performing %s", type(command).__name__)
            self.record_event(Broke(Reason.SELF_ERROR, f"{type(error).__name__}: {error}"))

    def record_event(self, event: Event) -> None:
        """Into the journal first; then it is acted on; then whoever watches is told."""
        after = machine.step(self.state, event, self.parts.config)
        self.parts.journal.append(event)
        self.state, self.commands = after
        for listener in self.parts.listeners:
            try:
                listener(event)
            except Exception:
                log.exception("a listener failed on %s", type(event).__name__)

    def build_outcome(self) -> Outcome:
        """The outcome, which the memory is told of too."""
        assert isinstance(self.state, Closed)
        closed, dossier = self.state, self.state.dossier
        outcome = Outcome(
            reason=closed.reason,
            failure=dossier.case.failure,
            diagnosis=proposals.find_diagnosis_at_end(dossier)
            if closed.reason is Reason.ENVIRONMENT
            else proposals.choose_diagnosis(dossier),
            applied=closed.applied,
            approved_by=closed.approved_by,
            proposal=proposals.find_last_proposal(dossier),
            attempts=tuple(a for a in dossier.archive if a.rejection != REJECTED_BEFORE),
            cost=dossier.account.spent,
            spent_by=dossier.account.spent_by,
            seconds=time.monotonic() - self.began,
            detail=closed.detail,
        )
        for learn in self.parts.learners:
            try:
                learn(outcome)
            except Exception:
                log.exception("the outcome could not be remembered")
        return outcome


@contextlib.contextmanager
def _turn_interrupt_into_cancel(cancel: threading.Event, runner: CommandRunner) -> Iterator[None]:
    """In the main thread, let Ctrl-C set ``cancel`` instead of raising between an event and its effect.

    It still raises while a person is asked, who may sit in ``input()``. Elsewhere, or where somebody has a handler of
    their own, nothing is changed.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def cancel_heal(number: int, frame: FrameType | None) -> None:
        cancel.set()
        if runner.asking:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, cancel_heal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
