"""Parts of a heal that do what a script says: for tests of the loop and of whatever stands on it.

With :class:`~jupyter_selfheal.testing.fake_kernel.FakeKernel` they make a whole heal that needs no process, no key and no
network. Everything records what it was asked, for assertions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import (
    JSON,
    Applicability,
    Attempt,
    Case,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    Patch,
    Proposal,
    Reason,
    Role,
    Step,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer, Facts, HealDependencies, Healer, Judgement, Starts

__all__ = [
    "ListJournal",
    "NoFacts",
    "ScriptedApprover",
    "ScriptedDiagnoser",
    "ScriptedHealer",
    "ScriptedScorer",
    "build_scripted_dependencies",
]

Script = Callable[[Case, Sequence[Attempt]], Answer]


class NoFacts:
    """No state to ask."""

    def ask(self, source: str, argument: JSON = None) -> JSON:
        return None


@dataclass
class ScriptedHealer:
    """Answers by a list, in order, then with nothing; or by a function of the case and the history.

    ``worst`` is the price it names before each call. An exception in the list is raised in its turn.
    """

    answers: Script | Sequence[Answer | Exception] = ()
    name: str = "rules"
    paid: bool = False
    worst: Cost = Cost()
    calls: list[tuple[Case, tuple[Attempt, ...]]] = field(default_factory=list)

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        return self.worst

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        self.calls.append((case, tuple(history)))
        if callable(self.answers):
            return self.answers(case, history)
        at = len(self.calls) - 1
        answer = self.answers[at] if at < len(self.answers) else Answer()
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class ScriptedDiagnoser:
    """The same diagnosis for every failure, unless ``by_ename`` has one for its exception."""

    diagnosis: Diagnosis = Diagnosis(cause="scripted")
    by_ename: Mapping[str, Diagnosis] = field(default_factory=dict)

    def diagnose(self, case: Case, facts: Facts) -> Diagnosis:
        return self.by_ename.get(case.failure.ename, self.diagnosis)


@dataclass
class ScriptedScorer:
    """7 for a safe patch that ran, 5 for another, 2 for one that did not, unless ``scores`` (by title) says otherwise.

    ``oracle`` are the steps after each cell; a failing one is a miss.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    oracle: tuple[Step, ...] = ()
    price: Cost = Cost()
    judged: list[tuple[str, ...]] = field(default_factory=list)

    def list_oracle_steps(self, case: Case, patch: Patch) -> tuple[Step, ...]:
        return self.oracle

    def find_missed_expectation(self, case: Case, trial: Trial) -> str | None:
        step = trial.step(Role.CHECK)
        return step.errors[0].evalue or "missed" if step is not None and step.errors else None

    def judge(
        self, case: Case, baseline: Trial, tried: Sequence[tuple[Patch, Trial]], history: Sequence[Attempt]
    ) -> Judgement:
        self.judged.append(tuple(patch.id for patch, _ in tried))
        return Judgement(tuple(self._build_verdict(case, patch, trial) for patch, trial in tried), self.price)

    def _build_verdict(self, case: Case, patch: Patch, trial: Trial) -> Verdict:
        missed = self.find_missed_expectation(case, trial)
        runs = trial.ran and not missed
        score = self.scores.get(patch.title, 7.0 if patch.applicability is Applicability.SAFE else 5.0)
        feedback = missed or next((f"{e.ename}: {e.evalue}" for s in trial.steps for e in s.errors), "")
        return Verdict(patch.id, score if runs else min(score, 2.0), plausible=runs, feedback=feedback)

    def worst_case(self, case: Case, patches: int) -> Cost:
        return self.price

    def rank(self, tried: Sequence[tuple[Patch, Trial]], verdicts: Sequence[Verdict]) -> tuple[int, ...]:
        """By score; equal ones in the order in which they were tried."""
        return tuple(sorted(range(len(tried)), key=lambda n: (-verdicts[n].score, n)))


@dataclass
class ScriptedApprover:
    """Says what is in ``decisions``, in order, to proposals and pauses alike; then approves proven proposals and stops."""

    decisions: Iterable[Decision] = ()
    proposals: list[Proposal] = field(default_factory=list)
    pauses: list[str] = field(default_factory=list)
    said: int = 0

    def decide(self, proposal: Proposal) -> Decision:
        self.proposals.append(proposal)
        return self._take_next(Decision(Choice.APPROVE if proposal.proven_from else Choice.STOP, by="script"))

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        self.pauses.append(why)
        return self._take_next(Decision(Choice.STOP, by="script"))

    def _take_next(self, otherwise: Decision) -> Decision:
        script = tuple(self.decisions)
        self.said += 1
        return script[self.said - 1] if self.said <= len(script) else otherwise


class ListJournal:
    """A journal in memory, in the form it has on disk: what cannot be written and read back fails here too."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines = list(lines)

    def append(self, event: object) -> None:
        self.lines.append(wire.dumps(event))

    def events(self) -> tuple[object, ...]:
        return tuple(wire.loads(line) for line in self.lines)


def build_scripted_dependencies(
    starts: Starts,
    healers: Sequence[Healer] = (),
    *,
    approver: ScriptedApprover | None = None,
    scorer: ScriptedScorer | None = None,
    diagnoser: ScriptedDiagnoser | None = None,
    config: HealConfig | None = None,
    journal: ListJournal | None = None,
) -> HealDependencies:
    """Parts that do what their scripts say."""
    return HealDependencies(
        starts=starts,
        facts=NoFacts(),
        healers=tuple(healers),
        diagnoser=diagnoser or ScriptedDiagnoser(),
        scorer=scorer or ScriptedScorer(),
        approver=approver or ScriptedApprover(),
        journal=journal or ListJournal(),
        config=config or HealConfig(),
        facts_for=lambda kernel: NoFacts(),
    )
