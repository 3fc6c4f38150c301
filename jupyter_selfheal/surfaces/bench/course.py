"""What a heal did, read from its journals: how it ended, what it tried, what that cost, and what was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import jupyter_selfheal.loop.events as ev
from jupyter_selfheal.journal.jsonl import read_journal
from jupyter_selfheal.model import Candidate, Patch

PHASES: Mapping[type, str] = {
    ev.BaselineRan: "reproduce", ev.DiagnosisMade: "diagnose", ev.Answered: "propose", ev.HealerFailed: "propose",
    ev.CapabilitiesChecked: "propose", ev.TrialEnded: "try", ev.Repeated: "try", ev.Scored: "score", ev.CellJudged: "score",
}  # fmt: skip
"""Which phase ends with an event: the time since the event before it is the phase's."""


@dataclass(frozen=True, slots=True)
class Course:
    """One notebook's heals, in order.

    ``reason`` is why the last one ended, ``attempts`` how many rounds of patches were judged, ``first`` whether the first round
    had the patch that healed. ``seconds`` are by phase, on the clock; ``tokens`` and ``dollars`` by who was paid (a healer, the
    judge, the critic). ``cpu`` are the search's CPU seconds, ``rank`` the place of its first plausible candidate.
    """

    reason: str = ""
    attempts: int = 0
    first: bool = False
    seconds: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)
    dollars: Mapping[str, float] = field(default_factory=dict)
    cpu: float = 0.0
    rank: int = 0
    shown: tuple[Candidate, ...] = ()
    """The patches of the last proposal, best first."""
    first_paid: Patch | None = None
    """The first patch of the first paid answer: what a model says before anything was tried."""


def read_course(data: Path) -> Course:
    """The course from all journals below a folder, in order of their names."""
    events = [timed for path in sorted(data.rglob("*.jsonl")) for timed in _read_events(path)]
    only = [event for _, event in events]
    reasons = [e.reason.value for e in only if isinstance(e, ev.Ended)]
    attempts = sum(isinstance(e, ev.Scored) for e in only)
    cpu, rank = _read_search(only)
    tokens, dollars = _read_bills(only)
    return Course(
        reasons[-1] if reasons else "", attempts, attempts == 1 and reasons[-1:] == ["healed"], _read_phases(events), tokens,
        dollars, cpu, rank, next((e.proposal.candidates for e in reversed(only) if isinstance(e, ev.ProposalMade)), ()),
        next((e.answer.patches[0] for e in only if isinstance(e, ev.Answered) and e.settles and e.answer.patches), None),
    )  # fmt: skip


def _read_events(path: Path) -> Iterator[tuple[datetime, object]]:
    recording = read_journal(path)
    times = (datetime.fromisoformat(record.at) for record in recording.records)
    return zip(times, recording.events(), strict=True)


def _read_phases(events: list[tuple[datetime, object]]) -> dict[str, float]:
    spent: Counter[str] = Counter()
    before: datetime | None = None
    for at, event in events:
        if before is not None and (phase := PHASES.get(type(event))):
            spent[phase] += (at - before).total_seconds()  # type: ignore[assignment]
        before = None if isinstance(event, ev.Ended) else at
    return {phase: round(seconds, 3) for phase, seconds in sorted(spent.items())}


def _read_bills(events: list[object]) -> tuple[dict[str, int], dict[str, float]]:
    """Tokens and dollars by who was paid. What was never settled counts with its worst case, as the budget counts it."""
    who = {e.id: e.who for e in events if isinstance(e, ev.Reserved)}
    costs = {e.id: e.worst for e in events if isinstance(e, ev.Reserved)}
    for event in events:
        if isinstance(event, ev.Settled):
            costs[event.id] = event.cost
        elif isinstance(event, ev.Answered) and event.settles:
            costs[event.settles] = event.answer.cost
        elif isinstance(event, ev.Scored | ev.CapabilitiesChecked | ev.CellJudged) and event.settles:
            costs[event.settles] = event.cost
    tokens: Counter[str] = Counter()
    dollars: dict[str, float] = {}
    for call, cost in costs.items():
        role = who.get(call, "")
        tokens[role] += cost.input_tokens + cost.output_tokens
        dollars[role] = round(dollars.get(role, 0.0) + cost.usd, 6)
    return dict(tokens), dollars


def _read_search(events: list[object]) -> tuple[float, int]:
    cpu, rank = 0.0, 0
    for event in events:
        record = event.answer.record if isinstance(event, ev.Answered) and event.healer == "search" else None
        if isinstance(record, dict):
            cpu, rank = cpu + float(str(record.get("cpu", 0.0))), int(str(record.get("first", 0)))
    return round(cpu, 3), rank
