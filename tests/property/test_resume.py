"""A run that is killed at any byte of its journal and resumed reaches the same decisions, and pays for nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import Answered, Decided, Reserved, Scored, TrialEnded
from jupyter_selfheal.model import Applicability, Attempt, Case, Choice, Cost, Decision, Outcome, Proposal
from jupyter_selfheal.ports import Answer, HealDependencies
from jupyter_selfheal.testing.scripted import (
    ScriptedApprover,
    ScriptedHealer,
    ScriptedScorer,
    build_scripted_dependencies,
)
from tests.stages import Stage, replacement, staged

UNSAFE = Applicability.UNSAFE
CONFIG = HealConfig(budget_usd=1.0, parallel=2, no_improvement_after=9)


class Scripted(ScriptedApprover):
    """Says the same thing to the same proposal, however often and in whichever process it is asked."""

    def decide(self, proposal: Proposal) -> Decision:
        self.proposals.append(proposal)
        title = proposal.candidates[0].patch.title
        if title.endswith("a = 0"):
            return Decision(Choice.REJECT, text="a is not nothing")
        return Decision(Choice.APPROVE)


def rules(case: Case, history: Sequence[Attempt]) -> Answer:
    source = case.failure.source
    if "frist" in source:
        return Answer((replacement("c1", source, "x.frist", "x[0]"), replacement("c1", source, "x.frist", "x.first")))
    return Answer((replacement("c1", source, "b = x.lats", "b = None\na = 0", UNSAFE),))


def model(case: Case, history: Sequence[Attempt]) -> Answer:
    cost = Cost(usd=0.01, calls=1)
    asked = sum(a.patch.healer.endswith("language_model") for a in history)
    if asked == 0:
        bad = [
            replacement("c1", case.failure.source, "x.lats", f"x.{n}", UNSAFE, "language_model")
            for n in ("end", "tail")
        ]
        return Answer(tuple(bad), cost=cost, exhausted=False)
    good = replacement("c1", case.failure.source, "x.lats", "x[-1]", UNSAFE, "language_model")
    return Answer((good,), cost=cost, exhausted=False)


def parts_of(stage: Stage, journal: JsonlJournal) -> tuple[HealDependencies, ScriptedHealer]:
    paid = ScriptedHealer(model, name="language_model", paid=True, worst=Cost(usd=0.02, calls=1))
    scorer = ScriptedScorer({"x.frist → x[0]; x.lats → x[-1]": 9.0})
    parts = build_scripted_dependencies(
        stage.starts, [ScriptedHealer(rules), paid], approver=Scripted(), scorer=scorer, config=CONFIG
    )
    from dataclasses import replace

    return replace(parts, journal=journal), paid


def settled(outcome: Outcome) -> tuple[object, ...]:
    return (
        outcome.reason,
        outcome.applied[0].patch if outcome.applied else None,
        [(a.patch.id, a.verdict, a.rejection) for a in outcome.attempts],
    )


@cache
def whole() -> tuple[bytes, tuple[object, ...], int]:
    """A run from beginning to end: its journal, what came of it, and the number of paid calls."""
    stage = staged("x = [3, 1]", "a = x.frist\nb = x.lats\nprint(a, b)")
    with TemporaryDirectory() as folder, JsonlJournal.create("whole", folder=Path(folder)) as journal:
        parts, paid = parts_of(stage, journal)
        outcome = heal(stage.case, parts)
        assert outcome.applied, outcome
        return journal.path.read_bytes(), settled(outcome), len(paid.calls)


def test_the_run_that_is_cut_has_everything_in_it() -> None:
    journal, (reason, _, attempts), calls = whole()
    assert str(reason) == "healed"
    assert calls == 2
    assert len(attempts) >= 4  # type: ignore[arg-type]
    for kind in (b'"Reserved"', b'"Derived"', b'"Decided"'):
        assert kind in journal


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_cut_anywhere_and_resumed_it_ends_the_same_and_pays_for_nothing_twice(data: st.DataObject) -> None:
    journal, expected, calls = whole()
    header = journal.index(b"\n") + 1
    cut = data.draw(st.integers(header, len(journal)))
    stage = staged("x = [3, 1]", "a = x.frist\nb = x.lats\nprint(a, b)")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "whole.jsonl"
        path.write_bytes(journal[:cut])
        resumed, recording = JsonlJournal.resume(path)
        with resumed:
            before = recording.events()
            parts, paid = parts_of(stage, resumed)
            outcome = heal(stage.case, parts, resume_from=before)  # type: ignore[arg-type]
            events = resumed.events()
    assert settled(outcome) == expected
    answered = sum(isinstance(e, Answered) and e.healer == "language_model" for e in before)
    assert len(paid.calls) == calls - answered
    open_ = {e.id for e in before if isinstance(e, Reserved)} - {
        e.settles for e in before if isinstance(e, Answered | Scored)
    }
    assert outcome.cost.usd == round(0.01 * calls + 0.02 * len(open_), 6), "an open reservation counts as spent"
    assert events[: len(before)] == before
    tried = [e.patch_id for e in events if isinstance(e, TrialEnded)]
    assert len(tried) == len(set(tried)), "nothing that was tried is tried again"
    assert sum(isinstance(e, Decided) for e in events) == journal.count(b'{"$":"Decided"')


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_event_of_a_run_makes_the_round_trip(data: st.DataObject) -> None:
    journal, _, _ = whole()
    lines = journal.splitlines()[1:]
    line = data.draw(st.sampled_from(lines))
    event = wire.loads(line)
    assert wire.loads(wire.dumps(event)) == event
