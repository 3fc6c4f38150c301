"""What a heal of one case runs on, put together from its settings and let go of at the end."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.engine.healers import build_diagnoser, build_healers
from jupyter_selfheal.engine.kernels import build_installer
from jupyter_selfheal.engine.models import (
    build_cell_judge,
    build_critic,
    build_free_scorer,
    build_judged_scorer,
    build_provider,
    choose_judging_provider,
    open_provider,
    read_prompt,
    why_no_model,
)
from jupyter_selfheal.engine.parts import load_part
from jupyter_selfheal.engine.secrets import build_redactor, keep_secrets
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.journal.describe import describe_event
from jupyter_selfheal.loop import driver, machine, plan
from jupyter_selfheal.loop.observed_calls import CallObserver
from jupyter_selfheal.loop.trial_states import NoFacts
from jupyter_selfheal.loop.trials import build_request, build_sandbox, run_trial
from jupyter_selfheal.model import (
    BASELINE,
    JSON,
    Candidate,
    Case,
    Cost,
    Outcome,
    Patch,
    Probe,
    Question,
    Start,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import (
    Approver,
    Facts,
    HealDependencies,
    Journal,
    Provider,
    Starts,
    TrialKernel,
)

if TYPE_CHECKING:
    from jupyter_selfheal.healers.memory.run_fixes import RunFixes
    from jupyter_selfheal.providers.pot import Pot


@dataclass(frozen=True, slots=True)
class StandIns:
    """What stands in for the shipped parts: an installer, a provider of a language model, and, for all healers, patches that somebody else
    wrote: they are then all that is tried."""

    install: Callable[[str], str] | None = None
    provider: Provider | None = None
    given: Sequence[Patch] = ()


@dataclass(frozen=True, slots=True)
class SharedByHeals:
    """What the heals of one session or command share: what they ``spent`` so far, the ``pot`` out of which every call is paid that several
    processes of one command make, and the ``fixes`` that healed other notebooks of it, which are tried first."""

    spent: Cost = Cost()
    pot: Pot | None = None
    fixes: RunFixes | None = None


_ASKED_FIRST = "probes.live_objects"
"""What most failures are asked about before anything else (see ``healers/rules/context/questions.py``)."""


def heal(
    case: Case,
    starts: Starts,
    *,
    config: HealConfig,
    approver: Approver,
    journal: Journal,
    baseline: Trial | None = None,
    resume_from: Iterable[Any] = (),
    cancel: threading.Event | None = None,
    run: str = "",
    unproven: str = "",
    **more: Any,
) -> Outcome:
    """Heal one case with the shipped parts; ``more`` goes to :func:`open_dependencies`. The states are the caller's to close."""
    with open_dependencies(case, starts, config=config, approver=approver, journal=journal, **more) as parts:
        return driver.heal(
            case,
            parts,
            cancel=cancel,
            resume_from=resume_from,
            baseline=baseline,
            run=run,
            unproven=unproven,
        )


def reproduce_ahead(case: Case, state: TrialKernel, config: HealConfig) -> None:
    """Begin the run of the cell as it is with which a heal of this case, from this state before the cell, begins: it gets its result.

    ``state`` is one that :func:`.kernels.connect_state` gave.
    """
    request = build_request(case, BASELINE, Start.BEFORE_CELL, build_free_scorer(config), config)
    load_part("kernels.forked", "ForkedKernel").run_ahead(state, request)


def prove_patch(
    case: Case, patch: Patch, starts: Starts, config: HealConfig, observer: CallObserver | None = None
) -> Candidate:
    """Try one patch from these states, with the earlier calls that it may change made again, and score it by the evidence.

    ``observer`` has these calls, where several patches are tried from the same states. Raises :class:`KernelError`.
    """
    is_last = observer is None
    scorer, observer = build_free_scorer(config), observer or CallObserver(build_sandbox(config))
    start = Start.BEFORE_CELL if starts.before else Start.AFTER_FAILURE
    with contextlib.ExitStack() as stack:
        install = build_installer(stack) if config.install else None
        calls = observer.build_probe(case, patch, starts.best)
        request = build_request(case, patch, start, scorer, config, calls=calls)
        trial, _ = run_trial(patch, starts.best, replace(request, is_last=is_last), start=start, install=install)
        trial = observer.add_recorded_steps(trial)
    judged = scorer.judge(case, trial, ((patch, trial),), ())
    return Candidate(patch, trial, judged.verdicts[0])


def preview_request(case: Case, starts: Starts, config: HealConfig, events: Iterable[Any]) -> JSON:
    """The request that a model would be sent now, as its record; ``events`` are those of the heal so far. Sends nothing."""
    provider = build_provider(config)
    state = machine.fold_events(events, config)
    with contextlib.ExitStack() as stack:
        facts = build_facts(starts, case, stack)
        redactor = build_redactor(case, facts)  # now that the key is found, wherever it lies
        healer = load_part("healers.model.healer", "LanguageModelHealer")(provider, config, redactor, read_prompt)
        request: JSON = healer.preview(case, facts, state.dossier.archive if state else ())
        return request


@contextlib.contextmanager
def open_dependencies(
    case: Case,
    starts: Starts,
    *,
    config: HealConfig,
    approver: Approver,
    journal: Journal,
    listeners: Sequence[Callable[[object], None]] = (),
    stand_ins: StandIns = StandIns(),
    shared: SharedByHeals = SharedByHeals(),
) -> Iterator[HealDependencies]:
    """Everything that a heal of this case runs on; let go of at the end."""
    given, install = stand_ins.given, stand_ins.install
    with contextlib.ExitStack() as stack:
        facts = build_facts(starts, case, stack)
        can_ask = stand_ins.provider is not None or why_no_model(config) is None
        provider = stand_ins.provider or open_provider(config, shared.pot)
        redactor = build_redactor(case, facts)  # now that the key is found, wherever it lies
        judging = choose_judging_provider(config, provider, shared.pot) if provider is not None and can_ask else None
        healers = build_healers(config, provider, redactor)
        if shared.fixes is not None:
            healers = load_part("healers.memory.run_fixes", "ask_known_first")(shared.fixes, healers)
        free = build_free_scorer(config)
        if install is None and config.install:
            install = build_installer(stack)
        yield HealDependencies(
            starts=starts,
            facts=facts,
            healers=(load_part("healers.given", "GivenPatches")(given),) if given else healers,
            diagnoser=build_diagnoser(healers),
            scorer=build_judged_scorer(config, judging, redactor) if judging else free,
            approver=approver,
            journal=journal,
            config=config,
            notebook=case.notebook,
            facts_for=lambda kernel: _build_kernel_facts(kernel, case),
            fallback_scorer=free,
            critic=build_critic(config, judging, redactor)
            if judging and getattr(approver, "asks_person", True)
            else None,
            cell_judge=build_cell_judge(config, judging, redactor) if judging else None,
            install=install,
            questions=build_questioner(starts, config),
            listeners=tuple(listeners),
            learners=tuple(h.learn for h in healers if hasattr(h, "learn")),
            session_spent=shared.spent,
        )
        keep_secrets(case, journal, redactor)


def open_run_fixes(path: Path) -> RunFixes:
    """What healed notebooks of a run, kept in this file."""
    fixes: RunFixes = load_part("healers.memory.run_fixes", "RunFixes")(path)
    return fixes


def build_facts(starts: Starts, case: Case, stack: contextlib.ExitStack) -> Facts:
    """Answers from the state after the failure (or before it, by running the cell); silence where there is no state."""
    if not (starts.before or starts.after):
        return NoFacts()
    kernel_facts = load_part("healers.facts", "KernelFacts").of(starts, case.failure)
    stack.callback(kernel_facts.close)
    kernel_facts.open_line(probe_source(_ASKED_FIRST))
    facts: Facts = kernel_facts
    return facts


def _build_kernel_facts(kernel: TrialKernel, case: Case) -> Facts:
    facts: Facts = load_part("healers.facts", "KernelFacts")(kernel, cell_seconds=3.0 * case.failure.seconds)
    return facts


def build_questioner(starts: Starts, config: HealConfig) -> Callable[[Case, Sequence[Candidate]], tuple[Question, ...]]:
    """What to ask the user where plausible patches disagree; variables are looked at in one more trial of each."""
    find_questions = load_part("scoring.questions", "choose_questions")

    def run_probe(case: Case, patch: Patch, probe: Probe) -> JSON:
        start = Start.BEFORE_CELL if starts.before else Start.AFTER_FAILURE
        steps = plan.build_trial_steps(case, patch, start, (probe,))
        timeout = config.compute_trial_limit(case.failure.seconds) + probe.timeout
        try:
            trial, _ = starts.best.run(TrialRequest(steps, patch.id, timeout=timeout))
        except KernelError:
            return None  # the proposal stands without a question
        return trial.probe(probe.name)

    def ask(case: Case, candidates: Sequence[Candidate]) -> tuple[Question, ...]:
        questions: tuple[Question, ...] = find_questions(
            case, candidates, lambda patch, probe: run_probe(case, patch, probe), config.accept
        )
        return questions

    return ask


def format_event(event: object) -> str:
    """One event of the loop in a line (a few, where patches are listed)."""
    return describe_event(wire.encode(event))
