"""What a user's kernel and its worker say to each other: one wire line each, over the worker's stdin and stdout.

The kernel sends ``Hello Heal Prove Decide Cancel AskSent Review LookAhead AskStatus Switched Shutdown``; the worker sends ``Ready
Progress Spent Proposed Paused Proven Finished Sent Reviewed Foreseen Status Notice``. Every answer names the ``run`` that it belongs to. The module imports only
the model and the settings, so that it is cheap in the user's kernel.

A conversation::

    kernel                                  worker
    Hello                                ->
                                         <- Ready
    Heal(run, case, states, config)      ->
                                         <- Progress(run, ...)   any number
                                         <- Proposed(run, proposal)
    Decide(run, Decision(REJECT, ...))   ->
                                         <- Progress, Proposed …
    Decide(run, Decision(APPROVE, id))   ->
                                         <- Finished(run, outcome)

End of file on the worker's stdin is ``Shutdown``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import (
    JSON,
    Candidate,
    Case,
    Cost,
    Decision,
    Doubt,
    Notebook,
    Outcome,
    Patch,
    Proposal,
    Start,
    Trial,
)

wire.register(HealConfig)


# --- from the kernel ------------------------------------------------------------------------------------------------


@wire.register
@dataclass(frozen=True, slots=True)
class Hello:
    """The first message. ``kernel_pid`` is the user's kernel, ``folder`` its working directory, ``version`` its release, ``last_words`` the
    file that says which cell runs (empty: there is none)."""

    version: str
    kernel_pid: int = 0
    folder: str = ""
    last_words: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class StateAddress:
    """Where a frozen state can be reached: the Unix ``socket`` of its zygote, whose process is ``pid``.

    ``layers`` and ``missing`` say what a trial there is isolated by, where the kernel has probed it already.
    """

    socket: str
    start: Start
    pid: int = 0
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@wire.register
@dataclass(frozen=True, slots=True)
class Heal:
    """Heal this case from these states (at most one of each start; none: nothing can be proven, patches are only shown).

    The worker owns the states from here on: it closes them when the heal ends. ``unproven`` says why there is no state
    ("this kernel cannot be forked now: …"). ``session_spent`` is what earlier heals of the session spent.
    """

    run: str
    case: Case
    states: tuple[StateAddress, ...] = ()
    config: HealConfig = HealConfig()
    unproven: str = ""
    session_spent: Cost = Cost()
    keep_states: bool = False
    """True: leave the states to the kernel when the heal ends."""
    given: tuple[Patch, ...] = ()
    """Patches that somebody else wrote: they are tried and put to the user, and no healer is asked."""
    new_modules: int = 0
    """How many modules the failing cell had loaded that were not there before it."""


@wire.register
@dataclass(frozen=True, slots=True)
class Prove:
    """Try one patch again, from a newer state: the kernel ran something since the proposal."""

    run: str
    case: Case
    patch: Patch
    states: tuple[StateAddress, ...]
    config: HealConfig = HealConfig()


@wire.register
@dataclass(frozen=True, slots=True)
class Decide:
    """The user's word on the proposal or the pause that is open in this run.

    ``states`` take the place of those that the run had, where these had to go.
    """

    run: str
    decision: Decision
    states: tuple[StateAddress, ...] = ()


@wire.register
@dataclass(frozen=True, slots=True)
class Cancel:
    """End the run now; ``Finished`` with the reason ``cancelled`` follows."""

    run: str


@wire.register
@dataclass(frozen=True, slots=True)
class AskSent:
    """What was sent to a model in this run? Where nothing was: what would be, of this case? ``states`` are there for a heal
    that has ended: an open one has its own."""

    run: str = ""
    cases: tuple[Case, ...] = ()
    states: tuple[StateAddress, ...] = ()
    config: HealConfig = HealConfig()


@wire.register
@dataclass(frozen=True, slots=True)
class Review:
    """List what speaks against the cells that ran, from the state as it is now. ``notebook`` holds them as they ran, each with its
    execution number. The worker owns the states from here on."""

    run: str
    notebook: Notebook
    states: tuple[StateAddress, ...] = ()
    config: HealConfig = HealConfig()
    session_spent: Cost = Cost()


@wire.register
@dataclass(frozen=True, slots=True)
class LookAhead:
    """Run the cells below, in order, in copies of the state as it is now; the first failure is healed there. The worker owns the
    states from here on. ``is_idle``: nobody waits, so it is done with little, each cell is told as it is known, and ``Cancel``
    ends it."""

    run: str
    notebook: Notebook
    cell_ids: tuple[str, ...] = ()
    states: tuple[StateAddress, ...] = ()
    config: HealConfig = HealConfig()
    is_idle: bool = False


@wire.register
@dataclass(frozen=True, slots=True)
class HealDocument:
    """Heal a copy of the open notebook, as a batch does, for a review. ``content`` is its JSON (nbformat), ``folder`` where the
    kernel runs. ``Cancel`` ends it at the next cell."""

    run: str
    content: str
    path: str = ""
    folder: str = ""
    config: HealConfig = HealConfig()


@wire.register
@dataclass(frozen=True, slots=True)
class Switched:
    """The user switched something (``auto-approve``, ``on``) in the session ``run``. It goes into the journal of that name."""

    run: str
    what: str
    to: str


@wire.register
@dataclass(frozen=True, slots=True)
class AskStatus:
    """What is the worker doing?"""


@wire.register
@dataclass(frozen=True, slots=True)
class Shutdown:
    """Cancel everything and end."""


# --- what a coding agent's server and the kernel say (over a comm; see ``surfaces/live/agents.py``) --------------------


@wire.register
@dataclass(frozen=True, slots=True)
class AgentView:
    """The session as it is now: its cells, the failures that stand, and a frozen copy (none where ``refusal`` says why)."""

    notebook: Notebook
    cases: tuple[Case, ...] = ()
    states: tuple[StateAddress, ...] = ()
    refusal: str = ""


@wire.register
@dataclass(frozen=True, slots=True)
class AgentOffer:
    """Put this patch to the user, on the card of the cell that it heals. ``note`` is what the card says besides."""

    cell_id: str
    patch: Patch
    note: str = ""


# --- from the worker ------------------------------------------------------------------------------------------------


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

    ``proposals`` holds the last proposal shown, if any.
    """

    run: str
    why: str
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


ToWorker: TypeAlias = (
    Hello
    | Heal
    | Prove
    | Decide
    | Cancel
    | AskSent
    | Review
    | LookAhead
    | HealDocument
    | AskStatus
    | Switched
    | Shutdown
)
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
