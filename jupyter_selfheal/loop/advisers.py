"""The calls: healers, the judge and the critic, each with its money set aside before and settled after."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from jupyter_selfheal.errors import InfrastructureError, ProviderError
from jupyter_selfheal.loop import advance, evidence, limits, risks
from jupyter_selfheal.loop import commands as do
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop.cancellation import Cancelled, run_cancellable
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.loop.trial_states import TrialStates
from jupyter_selfheal.model import Case, Cost, Reason
from jupyter_selfheal.ports import Answer, HealDependencies, Healer, Scorer

log = logging.getLogger(__name__)

T = TypeVar("T")


class Advisers:
    """Asks whoever is named, on a thread that is left behind once ``cancel`` is set: its cost then counts at its worst."""

    def __init__(self, parts: HealDependencies, states: TrialStates, cancel: threading.Event) -> None:
        self._parts = parts
        self._states = states
        self._cancel = cancel
        self._healers: dict[str, Healer] = {h.name: h for h in parts.healers if not (h.paid and parts.config.offline)}

    @property
    def healers(self) -> tuple[str, ...]:
        """Who may be asked for patches, in order."""
        return tuple(self._healers)

    def list_paid(self, case: Case) -> tuple[str, ...]:
        """Who of the healers, the judge and the critic costs money."""
        paid = [name for name, healer in self._healers.items() if healer.paid]
        if self._parts.config.offline:
            return tuple(paid)
        judge = self._parts.cell_judge
        asks_cell = judge is not None and bool(case.oracle.spec) and limits.has_price(judge.worst_case())
        if limits.has_price(self._parts.scorer.worst_case(case, 1)) or asks_cell:
            paid.append(ev.JUDGE)
        if self._parts.critic is not None and limits.has_price(self._parts.critic.worst_case(case)):
            paid.append(ev.CRITIC)
        return tuple(paid)

    def price_call(self, who: str, dossier: Dossier) -> Cost:
        """The most that the next call of a healer, the judge or the critic can cost; nothing of one that is not here (a run
        that is resumed may have lost its key)."""
        if who == ev.CRITIC:
            return self._parts.critic.worst_case(dossier.case) if self._parts.critic is not None else Cost()
        if who == ev.JUDGE:
            judge = self._parts.cell_judge
            if judge is not None and advance.has_words_to_check(dossier):
                return judge.worst_case()
            waiting = sum(a.verdict is None for a in dossier.archive)
            return self._parts.scorer.worst_case(dossier.case, waiting)
        healer = self._healers.get(who)
        return healer.worst_case(dossier.current, dossier.archive) if healer is not None else Cost()

    def ask_healer(self, command: do.AskHealer, dossier: Dossier) -> Iterator[ev.Event]:
        """Set the money aside, ask, settle. A healer that fails ends its own path, not the heal."""
        healer, name = self._healers.get(command.healer), command.healer
        if healer is None:
            yield ev.HealerFailed(name, Reason.INFRASTRUCTURE, "is not available any more")
            return
        starts, facts = self._states.prepare_states(dossier)
        reservation = f"{name}-{len(dossier.account.reserved)}-{dossier.calls}" if healer.paid else ""
        if reservation:
            yield ev.Reserved(reservation, name, command.worst)
        try:
            answer: Answer = self._run_cancellable(lambda: healer.propose(command.case, starts, facts, dossier.archive))
        except InfrastructureError as error:
            is_money = isinstance(error, ProviderError) and error.kind == "budget"
            failed = ev.HealerFailed(name, Reason.OVER_BUDGET if is_money else Reason.INFRASTRUCTURE, str(error))
            cost = _estimate_charge(error, command.worst)
        except Cancelled:
            raise
        except Exception as error:
            log.exception("the healer %s failed", name)
            failed = ev.HealerFailed(name, Reason.SELF_ERROR, f"{type(error).__name__}: {error}")
            cost = command.worst
        else:
            yield ev.Answered(name, answer, reservation)
            return
        if reservation:
            yield ev.Settled(reservation, cost)
        yield failed

    def check_capabilities(self, command: do.CheckCapabilities, dossier: Dossier) -> Iterator[ev.Event]:
        """Look at patches before any is run: what they add, and what could go wrong. A critic that fails is no loss."""
        case, config, critic = dossier.case, self._parts.config, self._parts.critic
        capabilities = {
            p.id: names for p in command.patches if (names := risks.list_added_capabilities(case, p, config))
        }
        lines = {p.id: risks.foresee_risk(case, p, capabilities.get(p.id, ())) for p in command.patches}
        own = {p.id: p.risk for p in command.patches}
        warnings: dict[str, str] = {}
        cost, reservation, note, record = Cost(), "", "", None
        if command.paid and critic is not None:
            chosen = risks.select_for_critic(case, command.patches, config)
            reservation = f"{ev.CRITIC}-{len(dossier.archive)}-{len(dossier.account.reserved)}"
            yield ev.Reserved(reservation, ev.CRITIC, command.worst)
            try:
                answers, cost, record = self._run_cancellable(lambda: critic.ask_risks(case, chosen))
                warnings = dict(answers)
            except ProviderError as error:
                yield ev.Settled(reservation, _estimate_charge(error, command.worst))
                reservation, note = "", f"no critic: {error}"
        warned = {
            i: warnings.get(i) or risks.join_texts(lines[i], own[i]) for i in lines if lines[i] or warnings.get(i)
        }
        yield ev.CapabilitiesChecked(capabilities, warned, cost, reservation, note, record)

    def judge_cell(self, command: do.JudgeCell, dossier: Dossier) -> Iterator[ev.Event]:
        """Ask whether the cell that ran does what its specification says. A judge that fails says nothing."""
        judge, case, trial = self._parts.cell_judge, dossier.case, dossier.baselines[-1].trial
        if judge is None or command.worst is None:
            yield ev.CellJudged((), "the budget does not allow to ask" if judge else "no model can be asked")
            return
        reservation = f"{ev.JUDGE}-cell-{len(dossier.baselines)}"
        yield ev.Reserved(reservation, ev.JUDGE, command.worst)
        try:
            opinion = self._run_cancellable(lambda: judge.judge_cell(case, trial))
        except ProviderError as error:
            yield ev.Settled(reservation, _estimate_charge(error, command.worst))
            yield ev.CellJudged((), str(error))
            return
        scores = () if opinion.score is None else (opinion.score,)
        yield ev.CellJudged(scores, opinion.reason, opinion.cost, reservation, opinion.record)

    def judge_trials(self, command: do.Score, dossier: Dossier) -> Iterator[ev.Event]:
        """Judge what was tried, and rank everything that ever was."""
        baseline = evidence.find_baseline(dossier) or command.tried[0][1]
        reservation, note = "", ""
        scorer = self._require_free_scorer() if ev.JUDGE in dossier.paid and not command.paid else self._parts.scorer
        if scorer is not self._parts.scorer:
            note = "no model judged: the budget does not allow it"
        if command.paid and limits.has_price(command.worst):
            reservation = f"{ev.JUDGE}-{len(dossier.archive)}-{len(dossier.account.reserved)}"
            yield ev.Reserved(reservation, ev.JUDGE, command.worst)
        history = tuple(a for a in dossier.archive if a.verdict)
        try:
            judged = self._run_cancellable(lambda: scorer.judge(dossier.case, baseline, command.tried, history))
        except ProviderError as error:
            if reservation:
                yield ev.Settled(reservation, _estimate_charge(error, command.worst))
            reservation, note = "", f"no model judged: {error}"
            scorer = self._require_free_scorer()
            judged = scorer.judge(dossier.case, baseline, command.tried, history)
        known = [(a.patch, a.trial, a.verdict) for a in history if a.trial and a.verdict]
        every = [*known, *((p, t, v) for (p, t), v in zip(command.tried, judged.verdicts, strict=True))]
        ranking = scorer.rank([(p, t) for p, t, _ in every], [v for _, _, v in every])
        order = tuple(every[n][0].id for n in ranking)
        yield ev.Scored(judged.verdicts, order, judged.cost, reservation, note, judged.record)

    def _require_free_scorer(self) -> Scorer:
        if self._parts.fallback_scorer is None:
            raise InfrastructureError("the judge cannot be asked, and there is no scorer without a model")
        return self._parts.fallback_scorer

    def _run_cancellable(self, call: Callable[[], T]) -> T:
        return run_cancellable(call, self._cancel)


def _estimate_charge(error: InfrastructureError, worst: Cost) -> Cost:
    """What a failed call cost: what the provider's adapter knows of it; its worst case where nobody can know."""
    if isinstance(error, ProviderError):
        return error.cost or (worst if error.kind == "timeout" else Cost(calls=1))
    return worst
