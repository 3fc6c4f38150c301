"""Money that ends, models that misbehave, services that are down: each against the stand-in server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jupyter_selfheal.model import Choice, Decision, Oracle
from jupyter_selfheal.surfaces.bench.resilience.faults import Fault, Seen
from jupyter_selfheal.surfaces.bench.resilience.stand_in import FIX, ORACLE, WRONG, Healed, heal_by_model, write_reply
from jupyter_selfheal.testing.fake_model_server import Fails, HangsUp, Received, Says

GOOD = Says(write_reply(FIX))
GO_ON = (Decision(Choice.CONTINUE),)
_GUESSES = ("prices['pear'] * 9", "len(prices) + 30", "max(prices.values()) + 100", "min(prices.values()) - 50", "-1")
GUESSES = tuple(Says(write_reply(f"total = {guess}\ntotal", title=guess)) for guess in _GUESSES)


def _guess_dearly() -> Iterable[Any]:
    """A model that uses every token it may have, and is wrong each time."""
    for guess in GUESSES:
        yield lambda received, guess=guess: replace(guess, output_tokens=_read_limit(received.body))


def _read_limit(body: Mapping[str, Any]) -> int:
    return int(body.get("max_tokens") or body["max_completion_tokens"])


@dataclass(frozen=True, slots=True)
class ServiceFault:
    """What the server does, and what must come of it: ``holds`` says so of a heal."""

    name: str
    kind: str
    expected: str
    script: Callable[[], Iterable[Any]]
    holds: Callable[[Healed], bool]
    after_pauses: Sequence[Decision] = ()
    oracle: Oracle = ORACLE
    url: str = ""
    hurried: bool = False
    settings: dict[str, Any] = field(default_factory=dict)


def _is_healed(found: Healed) -> bool:
    return found.reason == "healed" and found.healed_source == FIX


def _is_healed_after_pause(found: Healed) -> bool:
    return _is_healed(found) and len(found.pauses) == 1


def _is_closed(reason: str, most: int = 9) -> Callable[[Healed], bool]:
    """Nothing was applied, for this reason, after at most so many requests."""
    return lambda found: found.reason == reason and not found.healed_source and found.requests <= most


def _answer_and_judge(judged: str) -> Callable[[], Iterable[Any]]:
    """A server whose model proposes the right fix, and whose judge says this."""

    def answer(received: Received) -> Says:
        return Says(judged) if "score_a" in json.dumps(received.body) else GOOD

    return lambda: [answer] * 9


MONEY = (
    ServiceFault(
        "the cost ceiling is reached in the middle", "money", "pauses before the call that could pass it; nothing more is sent",
        _guess_dearly, lambda found: _is_closed("over_budget", 3)(found) and bool(found.pauses),
        settings={"budget_usd": 0.03, "attempts": 9, "no_improvement_after": 9},
    ),
    ServiceFault(
        "the attempts are used up", "money", "pauses and asks; the next try is not sent unasked",
        lambda: GUESSES, lambda found: len(found.pauses) == 1 and found.requests == 2 and not found.healed_source,
        settings={"attempts": 2, "budget_usd": 1.0},
    ),
)  # fmt: skip

MODEL = (
    ServiceFault("a model repeats itself", "model", "ends as stuck after a few calls", lambda: [Says(write_reply(WRONG))] * 9, _is_closed("stuck", 4), settings={"attempts": 9}),
    ServiceFault("a model's guesses get no better", "model", "ends as no improvement", lambda: GUESSES * 2, _is_closed("no_improvement", 5), settings={"attempts": 9, "no_improvement_after": 2, "budget_usd": 1.0}),
    ServiceFault("a model cheats: it writes the expected value down", "model", "runs, and is not applied", lambda: [Says(write_reply("total = 7\ntotal", title="cheat"))] * 9, lambda found: not found.healed_source),
    ServiceFault("a model hides the error", "model", "runs, and is not applied", lambda: [Says(write_reply("try:\n    total = prices['aple']\nexcept KeyError:\n    total = 7\ntotal", title="hide"))] * 9, lambda found: not found.healed_source),
    ServiceFault("a model answers garbage", "model", "is archived and paid, nothing is applied", lambda: [Says("I think that"), Says("no, really")] * 5, lambda found: not found.healed_source and found.usd > 0),
    ServiceFault("a model's reply is cut", "model", "ends as truncated, after one call", lambda: [Says(GOOD.text[:50], stop="max_tokens")] * 3, _is_closed("truncated", 1), settings={"max_tokens": 1_000}),
    ServiceFault("a model refuses", "model", "ends as refused, after one call", lambda: [Says("", stop="refusal")] * 3, _is_closed("refused", 1)),
    ServiceFault("a judge cannot be read", "model", "no guess is applied", _answer_and_judge("fine, I suppose"), lambda found: not found.healed_source, oracle=Oracle()),
    ServiceFault("a server pings for ever", "service", "is cut, and pauses as an outage", lambda: [Says(GOOD.text, breaks="only pings")] * 9, _is_closed("infrastructure", 1), hurried=True),
)  # fmt: skip


def _build_outage(
    name: str, script: Sequence[Any], expected: str = "pauses, and goes on when it is mended"
) -> ServiceFault:
    return ServiceFault(name, "service", expected, lambda: [*script, GOOD], _is_healed_after_pause, GO_ON)


SERVICE = (
    _build_outage("401, the key is not accepted", [Fails(401, "authentication_error")]),
    _build_outage("402, nothing is left to pay with", [Fails(402, "billing_error")]),
    ServiceFault("429 with Retry-After", "service", "waits as long as it was told, and is healed", lambda: [Fails(429, "rate_limit_error", retry_after="7"), GOOD], lambda found: _is_healed(found) and found.waits == (7.0,)),
    ServiceFault("429 without Retry-After", "service", "waits longer each time, and is healed", lambda: [*[Fails(429, "rate_limit_error")] * 2, GOOD], lambda found: _is_healed(found) and len(found.waits) == 2 and found.waits[0] < found.waits[1]),
    _build_outage("429 for ever", [Fails(429, "rate_limit_error")] * 4),
    _build_outage("429 that asks to wait for an hour", [Fails(429, "rate_limit_error", retry_after="3600")]),
    _build_outage("500 for ever", [Fails(500, "api_error")] * 4),
    _build_outage("529 for ever, overloaded", [Fails(529, "overloaded_error")] * 4),
    ServiceFault("a connection is closed without a word", "service", "is sent again, and healed", lambda: [HangsUp(), GOOD], _is_healed),
    ServiceFault("a connection breaks in the middle of a reply", "service", "is sent once more; what came counts as paid", lambda: [Says(GOOD.text, breaks="hangs up"), GOOD], lambda found: _is_healed(found) and found.requests == 2 and found.usd > 0.004),
    ServiceFault("an overload in the middle of two replies", "service", "ends as an outage, and both count as paid", lambda: [Says(GOOD.text, breaks="overloaded")] * 4, lambda found: _is_closed("infrastructure", 2)(found) and found.usd > 0),
    ServiceFault("a reply ends without its end", "service", "is never taken for a whole one", lambda: [Says(GOOD.text, breaks="silent end")] * 9, lambda found: not found.healed_source),
    ServiceFault("a reply turns into a web page", "service", "is never taken for a whole one", lambda: [Says(GOOD.text, breaks="no JSON")] * 9, lambda found: not found.healed_source),
    ServiceFault("a name that cannot be resolved", "service", "pauses as an outage, for nothing", lambda: (), lambda found: _is_closed("infrastructure")(found) and found.usd == 0, url="http://model.invalid"),
)  # fmt: skip


def list_service_faults(provider: str) -> tuple[Fault, ...]:
    """All of them, with this provider's client."""
    return tuple(_build_fault(fault, provider) for fault in (*MONEY, *MODEL, *SERVICE))


def _build_fault(fault: ServiceFault, provider: str) -> Fault:
    def make(folder: Path) -> Seen:
        found = heal_by_model(
            folder, fault.script(), provider=provider, after_pauses=fault.after_pauses, oracle=fault.oracle, url=fault.url,
            hurried=fault.hurried, **fault.settings,
        )  # fmt: skip
        return Seen(found.describe(), fault.holds(found), found.lost)

    return Fault(fault.name, fault.kind, fault.expected, make)
