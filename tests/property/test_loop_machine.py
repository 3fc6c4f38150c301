"""The machine under random worlds and random users: what must never happen, does not."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import commands as do
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop import states
from jupyter_selfheal.loop.limits import find_exceeded_limit
from jupyter_selfheal.loop.machine import TRANSITIONS, fold_events, step
from jupyter_selfheal.model import (
    BASELINE,
    Applicability,
    Case,
    Choice,
    Cost,
    Decision,
    Diagnosis,
    Ending,
    ErrorInfo,
    Failure,
    Isolation,
    Locus,
    Patch,
    Reason,
    Repeats,
    Replace,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer

SOURCE = "a = x.nope\nb = x.nope\nc = x.nope"
CASE = Case(Failure("c", SOURCE, ename="AttributeError", evalue="nope", line=1, statement=0))
DRAWS = Case(
    dataclasses.replace(CASE.failure, source="import random\nd = random.random()\n" + SOURCE, line=3, statement=2)
)
CONFIG = HealConfig(attempts=2, rejections=2, budget_usd=0.05, session_budget_usd=0.12, stuck_after=2)
HEALERS = ("memory", "rules", "language_model")
LIMITS = {Reason.OVER_BUDGET}
usd = st.floats(0, 0.06).map(lambda x: Cost(usd=round(x, 4), calls=1))
cases = st.sampled_from([CASE, CASE, DRAWS])
starts = st.integers(0, 7).map(lambda n: "no fork" if n == 7 else "")
words = st.sampled_from([*Choice, Choice.APPROVE, Choice.APPROVE, Choice.REJECT, Choice.CONTINUE])


def trial(patch_id: str, line: int, name: str = "nope") -> Trial:
    """A trial that failed in a line of the cell; line 0: it ran."""
    error = (ErrorInfo("AttributeError", name, line=line, statement=line - 1),) if line else ()
    result = StepResult("error" if line else "ok", cell_id="c", errors=error)
    return Trial(patch_id, (result,), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))


class Heals(RuleBasedStateMachine):
    """Every step: look at the command, let something happen that can come of it."""

    @initialize(unproven=starts, spent=usd, cancel_at=st.sampled_from([0, 0, 0, 3, 9, 15]), case=cases)
    def start(self, unproven: str, spent: Cost, cancel_at: int = 0, case: Case = CASE) -> None:
        self.cancel_at = cancel_at
        self.events: list[Any] = []
        self.state: states.State | None = None
        self.command: Any = None
        self.count = 0
        self.archive: tuple[Any, ...] = ()
        self.note(ev.Started("run", case, CONFIG, HEALERS, ("language_model", "judge", "critic"), spent, unproven))

    def note(self, event: Any) -> None:
        before = type(self.state).__name__ if self.state else ""
        event = wire.loads(wire.dumps(event))
        self.state, commands = step(self.state, event, CONFIG)
        self.events.append(event)
        self.command = commands[0] if commands else None
        moved = (before, type(event).__name__, type(self.state).__name__)
        anywhere = isinstance(event, ev.Priced | ev.Reserved | ev.Settled | ev.CancelRequested | ev.Broke)
        assert anywhere or moved in TRANSITIONS, f"{moved} is not in the table"

    # --- what can come of a command ---

    @precondition(lambda self: isinstance(self.command, do.RunBaseline))
    @rule(line=st.sampled_from([1, 1, 1, 1, 1, 1, 1, 0, 2]))
    def reproduce(self, line: int) -> None:
        self.note(ev.BaselineRan(trial(BASELINE.id, line)))

    @precondition(lambda self: isinstance(self.command, do.Diagnose))
    @rule(sure=st.sampled_from([100, 100, 100, 50]))
    def diagnose(self, sure: int) -> None:
        self.note(
            ev.DiagnosisMade(Diagnosis("a cause", Locus.ENVIRONMENT if sure < 80 else Locus.CODE, confidence=sure))
        )

    @precondition(lambda self: isinstance(self.command, do.PriceCall))
    @rule(worst=usd)
    def price(self, worst: Cost) -> None:
        self.note(ev.Priced(self.command.who, worst))

    @precondition(lambda self: isinstance(self.command, do.AskHealer))
    @rule(data=st.data(), fails=st.integers(0, 9), dies=st.integers(0, 9))
    def ask(self, data: st.DataObject, fails: int, dies: int) -> None:
        assert self.state is not None
        command, healer, settles = self.command, self.command.healer, ""
        if healer == "language_model":
            account = self.state.dossier.account
            assert not find_exceeded_limit(account, command.worst, CONFIG), "asked without the money"
            assert any(isinstance(e, ev.Priced) and e.who == healer for e in self.events), "asked without a price"
            settles = f"call-{len(self.events)}"
            self.note(ev.Reserved(settles, healer, command.worst))
            if dies == 0:
                return  # the process died in the call: it is resumed, and the money is gone
        if fails == 0:
            if settles:
                self.note(ev.Settled(settles, Cost()))
            self.note(ev.HealerFailed(healer, Reason.INFRASTRUCTURE, "gone"))
            return
        made = tuple(self.patch(data, healer) for _ in range(data.draw(st.integers(0, 3))))
        cost = Cost(usd=command.worst.usd / 2, calls=1) if settles else Cost()
        stop = data.draw(st.sampled_from(["", "", "", "refused"])) if settles else ""
        self.note(ev.Answered(healer, Answer(made, cost=cost, exhausted=not settles, stop=stop), settles))

    def patch(self, data: st.DataObject, healer: str) -> Patch:
        assert self.state is not None
        self.count += data.draw(st.sampled_from([0, 1, 1, 1]))
        source = self.state.dossier.current.failure.source
        risky = data.draw(st.sampled_from(["", "", "\n!ls"]))
        edit = Replace("c", source, source.replace("nope", f"y{self.count}", 1) + risky)
        return Patch(
            (edit,), f"patch {self.count}", healer=healer, applicability=data.draw(st.sampled_from(Applicability))
        )

    @precondition(lambda self: isinstance(self.command, do.CheckCapabilities))
    @rule(held=st.integers(0, 4))
    def screen(self, held: int) -> None:
        assert self.state is not None
        ids, settles = [p.id for p in self.command.patches], ""
        if self.command.paid:
            assert not find_exceeded_limit(self.state.dossier.account, self.command.worst, CONFIG), (
                "criticised without the money"
            )
            settles = f"critic-{len(self.events)}"
            self.note(ev.Reserved(settles, ev.CRITIC, self.command.worst))
            if held == 4:
                return  # the process died in the call
        adds = {i: ("subprocess",) for i in ids[:1] if held == 0}
        self.note(ev.CapabilitiesChecked(adds, dict.fromkeys(adds, "it could go wrong"), self.command.worst, settles))

    @precondition(lambda self: isinstance(self.command, do.TryPatches))
    @rule(data=st.data())
    def try_one(self, data: st.DataObject) -> None:
        patch = data.draw(st.sampled_from(self.command.patches))
        line = data.draw(st.sampled_from([0, 1, 2, 3]))
        self.note(ev.TrialEnded(patch.id, trial(patch.id, line, f"nope{self.count}" if line else "")))

    @precondition(lambda self: isinstance(self.command, do.Score))
    @rule(data=st.data())
    def score(self, data: st.DataObject) -> None:
        assert self.state is not None
        settles = ""
        if self.command.paid:
            assert not find_exceeded_limit(self.state.dossier.account, self.command.worst, CONFIG), (
                "judged without the money"
            )
            settles = f"judge-{len(self.events)}"
            self.note(ev.Reserved(settles, ev.JUDGE, self.command.worst))
        verdicts = []
        for patch, tried in self.command.tried:
            points = data.draw(st.sampled_from([3.0, 5.0, 8.0])) if tried.ran else 2.0
            verdicts.append(Verdict(patch.id, points, tried.ran, feedback=f"it fails {points}"))
        known = [a for a in self.state.dossier.archive if a.verdict]
        ranked = [
            *((a.verdict.score, a.patch.id) for a in known if a.verdict),
            *((v.score, v.patch_id) for v in verdicts),
        ]
        order = tuple(dict.fromkeys(i for _, i in sorted(ranked, reverse=True)))
        self.note(ev.Scored(tuple(verdicts), order, self.command.worst, settles))

    @precondition(lambda self: isinstance(self.command, do.Derive))
    @rule()
    def derive(self) -> None:
        self.note(ev.Derived(self.command.patch_id))

    @precondition(lambda self: isinstance(self.command, do.Repeat))
    @rule(failures=st.integers(0, 2), doubt=st.sampled_from(["", "it may be luck"]))
    def repeat(self, failures: int, doubt: str) -> None:
        doubt = "it still fails" if failures else doubt
        self.note(ev.Repeated(self.command.patch.id, Repeats(5, 5, 5, failures, doubt=doubt)))

    @precondition(lambda self: isinstance(self.command, do.Propose))
    @rule()
    def propose(self) -> None:
        self.note(ev.ProposalMade(self.command.proposal))

    @precondition(lambda self: isinstance(self.command, do.Pause))
    @rule()
    def pause(self) -> None:
        self.note(ev.PausedForUserAction(self.command.why, self.command.reason))

    @precondition(lambda self: isinstance(self.command, do.AskDecision | do.AskToContinue))
    @rule(choice=words, text=st.sampled_from(["", "because", "0.2", "a = b = c = 1"]))
    def decide(self, choice: Choice, text: str) -> None:
        self.note(ev.Decided(Decision(choice, text=text)))

    @precondition(lambda self: isinstance(self.command, do.Close))
    @rule()
    def close(self) -> None:
        self.note(ev.Ended(self.command.reason, self.command.detail))

    @precondition(lambda self: self.command is not None and len(self.events) == self.cancel_at)
    @rule()
    def cancel(self) -> None:
        self.note(ev.CancelRequested())

    @precondition(lambda self: isinstance(self.state, states.Closed))
    @rule(unproven=starts, spent=usd)
    def heal_again(self, unproven: str, spent: Cost) -> None:
        self.archive = ()
        self.start(unproven, spent)

    # --- what must hold ---

    @invariant()
    def applied_only_by_an_approval(self) -> None:
        applied = isinstance(self.state, states.Applied) or (
            isinstance(self.state, states.Closed) and self.state.applied
        )
        if applied:
            assert isinstance(self.state, states.Applied | states.Closed)
            candidate = self.state.candidate if isinstance(self.state, states.Applied) else self.state.applied[0]
            dossier = self.state.dossier
            repeats = dossier.repeated.get(candidate.patch.id)
            if dossier.case == DRAWS and candidate.verdict.score >= CONFIG.accept:
                assert candidate.patch.id in dossier.preferred or (repeats and not repeats.doubt)
            last = [e for e in self.events if isinstance(e, ev.Decided)][-1]
            assert last.decision.choice is Choice.APPROVE

    @invariant()
    def the_archive_only_grows(self) -> None:
        if self.state is None:
            return
        now = self.state.dossier.archive
        assert len(now) >= len(self.archive)
        for before, after in zip(self.archive, now, strict=False):
            assert (after.patch, after.trial) == (before.patch, before.trial)
            was_repeated = after.patch.id in self.state.dossier.repeated
            assert before.verdict in (None, after.verdict) or was_repeated
            assert before.rejection in ("", after.rejection) or after.rejection
        self.archive = now

    @invariant()
    def every_finished_trial_is_archived_before_the_next_begins(self) -> None:
        if self.state is None or isinstance(self.state, states.Trying):
            return
        tried = [e.patch_id for e in self.events if isinstance(e, ev.TrialEnded)]
        assert [a.patch.id for a in self.state.dossier.archive if a.trial] == tried or set(tried) == {
            a.patch.id for a in self.state.dossier.archive if a.trial
        }

    @invariant()
    def the_journal_folds_to_the_state(self) -> None:
        if self.state is not None:
            assert fold_events(self.events, CONFIG) == self.state

    @invariant()
    def a_limit_pauses_before_it_ends(self) -> None:
        if isinstance(self.state, states.Closed) and self.state.reason in LIMITS:
            assert any(isinstance(e, ev.PausedForUserAction) for e in self.events)

    @invariant()
    def held_patches_are_not_tried(self) -> None:
        if isinstance(self.command, do.TryPatches) and self.state is not None:
            held = {p.id for p, _ in self.state.dossier.awaiting_consent}
            assert not held & {p.id for p in self.command.patches}

    @invariant()
    def every_dollar_is_on_somebodys_account(self) -> None:
        if self.state is None:
            return
        account = self.state.dossier.account
        calls = {e.id: e for e in self.events if isinstance(e, ev.Reserved)}
        settled = [
            (e.id, e.cost)
            if isinstance(e, ev.Settled)
            else (e.settles, e.answer.cost if isinstance(e, ev.Answered) else e.cost)
            for e in self.events
            if isinstance(e, ev.Settled)
            or (isinstance(e, ev.Answered | ev.CapabilitiesChecked | ev.Scored) and e.settles)
        ]
        wanted: dict[str, float] = {}
        for call, cost in [*settled, *((c, r.worst) for c, r in calls.items() if c not in dict(settled))]:
            wanted[calls[call].who] = wanted.get(calls[call].who, 0.0) + cost.usd
        spent = {who: cost.usd for who, cost in account.spent_by.items()}
        assert all(abs(spent.get(who, 0.0) - wanted.get(who, 0.0)) < 1e-9 for who in {*spent, *wanted})

    @invariant()
    def nothing_unproven_is_said_to_be_proven(self) -> None:
        if isinstance(self.state, states.Proposed) and self.state.proposal.proven_from:
            assert self.state.proposal.candidates[0].trial.ran


TestHeals = Heals.TestCase
TestHeals.settings = settings(
    max_examples=25 if settings.default.derandomize else 120,
    stateful_step_count=70,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
