"""What the user's kernel says to its worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import (
    Case,
    Cost,
    Decision,
    Notebook,
    Patch,
    Start,
)

wire.register(HealConfig)


@wire.register
@dataclass(frozen=True, slots=True)
class Hello:
    """The first message. ``kernel_pid`` is the user's kernel, ``folder`` its working directory, ``version`` its release, ``last_words`` the
    file that says which cell runs (empty: there is none), ``told`` the one to which is written how the kernel died in one."""

    version: str
    kernel_pid: int = 0
    folder: str = ""
    last_words: str = ""
    told: str = ""


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
class Reproduce:
    """The cell has just failed and a heal of it will likely follow: run it from this state already, as that does first.

    The state is the kernel's until the heal names it. ``case`` knows the failure's type only; ``new_modules`` as of :class:`Heal`.
    """

    case: Case
    state: StateAddress
    config: HealConfig = HealConfig()
    new_modules: int = 0


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


ToWorker: TypeAlias = (
    Hello
    | Heal
    | Reproduce
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
