"""What the worker says to the user's kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from jupyter_selfheal import wire
from jupyter_selfheal.model import (
    JSON,
    Candidate,
    Cost,
    Doubt,
    Outcome,
    Proposal,
    Reason,
    Trial,
)


@wire.register
@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has loaded and listens. ``log`` is the file that its own faults are written to."""

    version: str
    pid: int
    log: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class Progress:
    """One event of a running heal, for the card. ``kind`` is the event's class name, ``text`` one line for a person.

    ``attempt`` counts tried patches so far; ``cost`` is what was spent so far.
    """

    run: str
    kind: str
    text: str
    attempt: int = 0
    cost: Cost = Cost()
    seconds: float = 0.0


@wire.register
@dataclass(frozen=True, slots=True)
class Spent:
    """What the run may have spent so far: a call that is under way counts at its worst, so that a worker which dies in it
    leaves no money uncounted."""

    run: str
    cost: Cost


@wire.register
@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal waits for a ``Decide``.

    ``repeats``, by patch id: what approving it does that the cell did already before it failed ("changes `calls`"). ``reruns``,
    likewise: a trial of that, the whole cell run again from after the failure, which is what approving does.
    """

    run: str
    proposal: Proposal
    repeats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reruns: Mapping[str, Trial] = field(default_factory=dict)


@wire.register
@dataclass(frozen=True, slots=True)
class Paused:
    """The heal is paused at a limit and waits for a ``Decide``: CONTINUE, RAISE_BUDGET, RETRY with a hint, or STOP.

    ``reason`` says which limit (see :meth:`~jupyter_selfheal.ports.Approver.decide_after_pause`). ``proposals`` holds the last proposal shown, if any.
    """

    run: str
    why: str
    reason: Reason
    cost: Cost = Cost()
    proposals: tuple[Proposal, ...] = ()


@wire.register
@dataclass(frozen=True, slots=True)
class Proven:
    """The answer to ``Prove``: the patch with its new trial; ``error`` where it could not be tried."""

    run: str
    candidates: tuple[Candidate, ...] = ()
    error: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class Finished:
    """The heal ended. ``journal`` is the run's file."""

    run: str
    outcome: Outcome
    journal: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class Sent:
    """Every request that went to a model, and its reply, redacted as it was sent; oldest first.

    ``text`` is the same for a person to read. ``would`` is the request that would be sent, where none was.
    """

    run: str
    records: tuple[JSON, ...] = ()
    text: str = ""
    would: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class Reviewed:
    """The answer to ``Review``: the doubts; ``notes`` say what could not be looked at, and why."""

    run: str
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()


WILL_RUN, WILL_FAIL, NOT_KNOWN = "will run", "will fail", "not known"
"""The outcomes of a :class:`Forecast`."""


@wire.register
@dataclass(frozen=True, slots=True)
class Forecast:
    """What became of one cell in a copy: ``outcome`` is one of the three above; ``detail`` says how or why, ``fix`` what
    would heal it and was proven, and ``proposal`` is all that there is to show of it."""

    cell_id: str
    outcome: str
    detail: str = ""
    fix: str = ""
    proposal: tuple[Proposal, ...] = ()


@wire.register
@dataclass(frozen=True, slots=True)
class Foreseen:
    """The answer to ``LookAhead``, a forecast for each cell; ``notes`` say what could not be done, and why. ``is_done`` is False
    while more are to come."""

    run: str
    forecasts: tuple[Forecast, ...] = ()
    notes: tuple[str, ...] = ()
    is_done: bool = True


@wire.register
@dataclass(frozen=True, slots=True)
class DocumentProgress:
    """How far ``HealDocument`` is: at which of how many code cells, and what is done there."""

    run: str
    at: int
    of: int
    doing: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class DocumentHealed:
    """The answer to ``HealDocument``: the fixes and the cells that are left, as a page shows them; ``error`` says why there is
    nothing."""

    run: str
    fixes: tuple[JSON, ...] = ()
    left: tuple[JSON, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class Status:
    """``running`` is the run in work (or empty), ``waiting`` whether it waits for a decision, ``queued`` runs behind it."""

    running: str = ""
    waiting: bool = False
    queued: tuple[str, ...] = ()
    heals: int = 0
    spent: Cost = Cost()


@wire.register
@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know that belongs to no event. ``level`` is info, warning or error."""

    text: str
    level: str = "info"
    run: str = ""


FromWorker: TypeAlias = (
    Ready
    | Progress
    | Spent
    | Proposed
    | Paused
    | Proven
    | Finished
    | Sent
    | Reviewed
    | Foreseen
    | DocumentProgress
    | DocumentHealed
    | Status
    | Notice
)
