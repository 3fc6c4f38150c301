"""A whole heal by a model alone, against a stand-in server on a socket of this machine that misbehaves on demand.

The engine, the provider, its client and the journal are the product's own; the cells run in a
:class:`~jupyter_selfheal.testing.fake_kernel.FakeKernel`, as what is tested is the way to the model and back.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.jsonl import JsonlJournal, read_journal
from jupyter_selfheal.loop import driver, machine
from jupyter_selfheal.loop.states import Closed
from jupyter_selfheal.model import (
    Case,
    Cell,
    Choice,
    Cost,
    Decision,
    Failure,
    Notebook,
    Oracle,
    Outcome,
    Proposal,
    Reason,
)
from jupyter_selfheal.ports import Provider, Starts
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.openai_compatible import OpenAICompatibleProvider
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import FakeModelServer
from jupyter_selfheal.testing.trials import evaluate

PRICES = {"apple": 3, "pear": 4}
SOURCES = (f"prices = {PRICES!r}", "total = prices['aple'] + prices['pear']\ntotal")
FIX = "total = prices['apple'] + prices['pear']\ntotal"
WRONG = "total = prices.get('aple', 0) + prices['pear']\ntotal"
ORACLE = Oracle(expect="7")

PROVIDERS = ("anthropic", "openai_compatible")
"""Whose client speaks to the stand-in."""


def write_reply(*sources: str, title: str = "Spell the key right") -> str:
    """What a model says that proposes these sources of the failing cell."""
    hypotheses = [
        {
            "title": title, "cause": "the key is misspelt", "risk": "another key was meant",
            "edits": [{"cell": "cell-2", "action": "replace", "source": source}],
        }
        for source in sources
    ]  # fmt: skip
    diagnosis = {"cause": "a misspelt key", "cell": "cell-2", "class": "code", "confidence": 95}
    return json.dumps({"diagnosis": diagnosis, "hypotheses": hypotheses})


@dataclass
class Unattended:
    """Applies what a batch would, and says what is in ``after_pauses`` where the heal pauses; then stops."""

    policy: PolicyApprover
    after_pauses: Sequence[Decision] = ()
    pauses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def decide(self, proposal: Proposal) -> Decision:
        """See :class:`~jupyter_selfheal.ports.Approver`."""
        self.notes += proposal.notes
        return self.policy.decide(proposal)

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        """See :class:`~jupyter_selfheal.ports.Approver`."""
        self.pauses.append(why)
        at = len(self.pauses) - 1
        return self.after_pauses[at] if at < len(self.after_pauses) else Decision(Choice.STOP)


@dataclass(frozen=True, slots=True)
class Healed:
    """What came of one heal. ``waits`` are the seconds that the client would have waited before it sent again."""

    outcome: Outcome
    requests: int
    pauses: tuple[str, ...]
    notes: tuple[str, ...]
    waits: tuple[float, ...]
    lost: tuple[str, ...]

    @property
    def reason(self) -> str:
        return self.outcome.reason.value

    @property
    def healed_source(self) -> str:
        """The failing cell as it was healed; empty where nothing was applied."""
        return self.outcome.applied[0].patch.source_of("id1", SOURCES[1]) if self.outcome.applied else ""

    @property
    def usd(self) -> float:
        return self.outcome.cost.usd

    def describe(self) -> str:
        """In a sentence: how it ended, what was asked of the user, and what was sent."""
        pause = f"; paused: {shorten_reason(self.pauses[0])}" if self.pauses else ""
        sent = f"{self.requests} request{'' if self.requests == 1 else 's'}"
        return f"{self.reason.replace('_', ' ')}{pause}; {sent}, ${self.usd:.3f}"


def shorten_reason(text: str) -> str:
    """The first sentence of a reason, without what a server or a system said in its own words."""
    return text.splitlines()[0].split(" (")[0].split(", or ")[0] if text else ""


def heal_by_model(
    folder: Path,
    script: Iterable[Any],
    *,
    provider: str = "anthropic",
    after_pauses: Sequence[Decision] = (),
    oracle: Oracle = ORACLE,
    url: str = "",
    hurried: bool = False,
    **settings: Any,
) -> Healed:
    """Heal a misspelt key with a server that does what ``script`` says; ``url`` is asked in its place where one is given.

    ``hurried``: a minute passes whenever the client looks at the clock, so that nobody has to wait for a time limit.
    """
    case, state = build_case(oracle), FakeKernel(SOURCES[:1])
    config = HealConfig(
        **{
            "healers": ("language_model",),
            "consent": True,
            "hypotheses": 1,
            "memory": False,
            "provider": provider,
            **settings,
        }
    )
    approver, waits = Unattended(PolicyApprover("all", config.accept), after_pauses), list[float]()
    minutes = itertools.count(step=60.0)
    retry = Retry(sleep=waits.append, clock=(lambda: float(next(minutes))) if hurried else time.monotonic)
    with FakeModelServer(script) as server, JsonlJournal.create("run", config=config, folder=folder) as journal:
        asked = None if config.replay else _connect_provider(provider, url or server.url, retry)
        with engine.open_dependencies(
            case, Starts(before=(state,)), config=config.with_(base_url=server.url), approver=approver, journal=journal,
            stand_ins=engine.StandIns(provider=asked),
        ) as parts:  # fmt: skip
            outcome = driver.heal(case, parts)
        sent = len(server.requests)
    lost = (*_find_lost(state, journal.path, config, outcome),)
    return Healed(outcome, sent, tuple(approver.pauses), tuple(approver.notes), tuple(waits), lost)


def build_case(oracle: Oracle = ORACLE) -> Case:
    """The misspelt key, on which the second cell fails."""
    cells = tuple(Cell(f"id{n}", source) for n, source in enumerate(SOURCES))
    failure = Failure("id1", SOURCES[1], ename="KeyError", evalue="'aple'", line=1, statement=0)
    return Case(failure, Notebook(cells), oracle)


def _connect_provider(name: str, url: str, retry: Retry) -> Provider:
    if name == "anthropic":
        return AnthropicProvider(key="none", base_url=url, retry=retry)
    return OpenAICompatibleProvider(base_url=f"{url}/v1", prices=Prices("anthropic"), retry=retry)


def _find_lost(state: FakeKernel, path: Path, config: HealConfig, outcome: Outcome) -> list[str]:
    """What the user had before the heal and has no longer."""
    lost = []
    if evaluate(state, "prices") != PRICES:
        lost.append("the state of the kernel")
    folded = machine.fold_events(read_journal(path).events(), config)  # type: ignore[arg-type]
    if not isinstance(folded, Closed) or folded.reason is not outcome.reason:
        lost.append("how the run ended, in its journal")
    if outcome.cost.usd > config.budget_usd:
        lost.append("money beyond the budget")
    return lost
