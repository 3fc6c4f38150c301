"""The composition root: the only place that knows every part. What a heal runs on is put together here.

Parts are imported when they are configured, and not before: a heal by rules alone never loads a provider.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_selfheal import registry, wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError, KernelError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.inside.telling_names import NAMES
from jupyter_selfheal.journal.describe import describe_event
from jupyter_selfheal.journal.known_secrets import list_environment_secrets
from jupyter_selfheal.journal.live_secrets import keep_live_secrets
from jupyter_selfheal.journal.redact import Redactor, redact_json
from jupyter_selfheal.keys import find_key
from jupyter_selfheal.loop import driver, machine, plan
from jupyter_selfheal.loop.observed_calls import CallObserver
from jupyter_selfheal.loop.trial_states import NoFacts
from jupyter_selfheal.loop.trials import build_sandbox, run_trial
from jupyter_selfheal.model import (
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
    CellJudge,
    Critic,
    Diagnoser,
    Facts,
    HealDependencies,
    Healer,
    HealerSetup,
    Journal,
    Provider,
    Scorer,
    Starts,
    TrialKernel,
)

if TYPE_CHECKING:
    from jupyter_selfheal.healers.memory.run_fixes import RunFixes
    from jupyter_selfheal.kernels.replay_plan import PastCell
    from jupyter_selfheal.providers.pot import Pot


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


def prove_patch(
    case: Case, patch: Patch, starts: Starts, config: HealConfig, observer: CallObserver | None = None
) -> Candidate:
    """Try one patch from these states, with the earlier calls that it may change made again, and score it by the evidence.

    ``observer`` has these calls, where several patches are tried from the same states. Raises :class:`KernelError`.
    """
    scorer, observer = build_free_scorer(config), observer or CallObserver(build_sandbox(config))
    start = Start.BEFORE_CELL if starts.before else Start.AFTER_FAILURE
    with contextlib.ExitStack() as stack:
        install = build_installer(stack) if config.install else None
        calls = observer.build_probe(case, patch, starts.best)
        trial, _ = run_trial(
            case, patch, starts.best, start=start, scorer=scorer, config=config, install=install, calls=calls
        )
        trial = observer.add_recorded_steps(trial)
    judged = scorer.judge(case, trial, ((patch, trial),), ())
    return Candidate(patch, trial, judged.verdicts[0])


def preview_request(case: Case, starts: Starts, config: HealConfig, events: Iterable[Any]) -> JSON:
    """The request that a model would be sent now, as its record; ``events`` are those of the heal so far. Sends nothing."""
    provider = build_provider(config)
    state = machine.fold(events, config)
    prompts = _read_prompt
    with contextlib.ExitStack() as stack:
        facts = build_facts(starts, case, stack)
        redactor = build_redactor(case, facts)  # now that the key is found, wherever it lies
        healer = _load("healers.model.healer", "LanguageModelHealer")(provider, config, redactor, prompts)
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
    scorer: Scorer | None = None,
    install: Callable[[str], str] | None = None,
    listeners: Sequence[Callable[[object], None]] = (),
    learners: Sequence[Callable[[Outcome], None]] = (),
    session_spent: Cost = Cost(),  # noqa: B008 (frozen)
    provider: Provider | None = None,
    given: Sequence[Patch] = (),
    pot: Pot | None = None,
    run_fixes: RunFixes | None = None,
) -> Iterator[HealDependencies]:
    """Everything that a heal of this case runs on; let go of at the end.

    ``scorer``, ``install`` and ``provider`` stand in for the shipped ones; ``given`` are patches that somebody else wrote, which
    are then all that is tried; out of ``pot`` every call is paid that is made for several processes of one command; ``run_fixes``
    healed other notebooks of it, and are tried first.
    """
    with contextlib.ExitStack() as stack:
        facts = build_facts(starts, case, stack)
        if provider is None and not why_no_model(config):
            provider = build_provider(config, pot)
        redactor = build_redactor(case, facts)  # now that the key is found, wherever it lies
        judging = choose_judging_provider(config, provider, pot) if provider is not None else None
        healers = build_healers(config, provider, redactor)
        if run_fixes is not None:
            healers = _load("healers.memory.run_fixes", "ask_known_first")(run_fixes, healers)
        free = build_free_scorer(config)
        if install is None and config.install:
            install = build_installer(stack)
        yield HealDependencies(
            starts=starts,
            facts=facts,
            healers=(_load("healers.given", "GivenPatches")(given),) if given else healers,
            diagnoser=build_diagnoser(healers),
            scorer=scorer or (build_judged_scorer(config, judging, redactor) if judging else free),
            approver=approver,
            journal=journal,
            config=config,
            notebook=case.notebook,
            facts_for=lambda kernel: _build_kernel_facts(kernel, case),
            fallback_scorer=free,
            critic=build_critic(config, judging, redactor) if judging else None,
            cell_judge=build_cell_judge(config, judging, redactor) if judging else None,
            install=install,
            questions=build_questioner(starts, config),
            listeners=tuple(listeners),
            learners=(*learners, *(h.learn for h in healers if hasattr(h, "learn"))),
            session_spent=session_spent,
        )
        _keep_secrets(case, journal, redactor)


def _keep_secrets(case: Case, journal: Journal, redactor: Redactor) -> None:
    """Let whoever shows the journal later know the secrets of the live state. It is asked only where a name in the notebook tells of one."""
    path = getattr(journal, "path", None)
    if path is None or not any(NAMES.search(cell.source) for cell in case.notebook.cells):
        return
    redactor.ask_live_state()
    keep_live_secrets(path, redactor.live)


def open_run_fixes(path: Path) -> RunFixes:
    """What healed notebooks of a run, kept in this file."""
    fixes: RunFixes = _load("healers.memory.run_fixes", "RunFixes")(path)
    return fixes


def build_redactor(case: Case | None = None, facts: Facts | None = None) -> Redactor:
    """Replaces the secrets of a case by their values: those of its cells and outputs, of the environment, the providers' keys, and what
    stands under a telling name in the live state, which is asked once, before anything is sent."""
    redactor = Redactor(known=registry.list_keys(), learns=True)
    redactor.learn_values(list_environment_secrets())
    if case is not None:
        redactor.learn(case.failure.source, case.failure.evalue, *(c.source for c in case.notebook.cells))
        redactor.learn(*(o.text for c in case.notebook.cells for o in c.outputs if o.text))
    if facts is not None:
        redactor.ask = lambda: _read_texts(facts.ask(probe_source("probes.telling_values")))
    return redactor


def _read_texts(answer: JSON) -> list[str]:
    return [text for text in answer if isinstance(text, str)] if isinstance(answer, list) else []


# --- healers --------------------------------------------------------------------------------------------------------


def build_healers(config: HealConfig, provider: Provider | None, redactor: Redactor) -> tuple[Healer, ...]:
    """The configured healers, cheapest first; the language model only where there is a provider."""
    setup = HealerSetup(config, provider, redactor, _read_prompt)
    healers = (
        _build_healer(name, setup) for name in sorted(config.healers, key=lambda h: registry.load_traits(h).rank)
    )
    return tuple(healer for healer in healers if healer is not None)


def _build_healer(name: str, setup: HealerSetup) -> Healer | None:
    """The healer, or None where it cannot act. One of another package that cannot be had is one line in the log."""
    try:
        kind = registry.load_healer(name)
        healer: Healer | None = kind.build(setup)
    except Exception as error:
        if name in registry.SHIPPED_HEALERS:
            raise
        registry.report_problem(
            str(error) if isinstance(error, ConfigError) else f"the healer {name} cannot be built: {error}"
        )
        return None
    return healer


def _read_prompt(name: str) -> tuple[str, str]:
    prompt: tuple[str, str] = _load("providers.prompts", "read_prompt")(name)
    return prompt


def build_diagnoser(healers: Iterable[Healer]) -> Diagnoser:
    """Triage by the failure, the notebook and the live state. It asks the same rules as the loop will, once for both."""
    rules = next((healer for healer in healers if healer.name == "rules"), None)
    diagnoser: Diagnoser = _load("healers.triage.diagnoser", "Triage")(rules)
    return diagnoser


def build_free_scorer(config: HealConfig) -> Scorer:
    """The scorer that goes by evidence alone."""
    scorer: Scorer = _load("scoring.scorer", "EvidenceScorer")(config)
    return scorer


def build_judged_scorer(config: HealConfig, provider: Provider, redactor: Redactor) -> Scorer:
    """The scorer that asks a model where no evidence decides."""
    judge = _load("scoring.judge", "ModelJudge")(provider, config, redactor, _read_prompt)
    scorer: Scorer = _load("scoring.scorer", "EvidenceScorer")(config, judge)
    return scorer


def build_critic(config: HealConfig, provider: Provider, redactor: Redactor) -> Critic:
    """The model that says what could go wrong with a patch before it is run."""
    critic: Critic = _load("scoring.critic", "ModelCritic")(provider, config, redactor, _read_prompt)
    return critic


def build_cell_judge(config: HealConfig, provider: Provider, redactor: Redactor) -> CellJudge:
    """The model that says whether a cell does what words say of it."""
    judge: CellJudge = _load("scoring.cell_judge", "ModelCellJudge")(provider, config, redactor, _read_prompt)
    return judge


def open_cell_judge(config: HealConfig, pot: Pot | None = None) -> CellJudge | None:
    """That model with the configured provider; None where none may be asked (:func:`why_no_model` says why)."""
    if why_no_model(config) is not None:
        return None
    judging = choose_judging_provider(config, build_provider(config, pot), pot)
    return build_cell_judge(config, judging, build_redactor())


def why_no_model(config: HealConfig) -> str | None:
    """Why no model is asked, and what would change that; None where one may be."""
    if config.offline:
        return "offline: no model is asked (leave out --offline to allow one)"
    if not any(registry.load_traits(name).paid for name in config.healers):
        return "language_model is not among the healers (c.SelfHeal.healers)"
    try:
        spec = registry.load_provider(config.provider)
    except ConfigError as error:
        return str(error)
    if config.replay:
        return None  # nothing is sent: no key, no address and no consent is needed
    try:
        missing = spec.find_missing_key(config.base_url, config)
    except ConfigError as error:
        return str(error)
    if missing:
        return f"no key: set {missing} to let a model propose what the rules do not know"
    if spec.needs_base_url and not config.base_url:
        return f"{spec.name} has no address of its own: set c.SelfHeal.base_url"
    if not config.consent:
        return "nothing is sent before you agree: `%heal consent`, or c.SelfHeal.consent = True"
    return None


def build_provider(config: HealConfig, pot: Pot | None = None) -> Provider:
    """The configured provider, with the user's own price where there is one, paid out of ``pot`` if that is given.

    Raises :class:`ConfigError`.
    """
    spec = registry.load_provider(config.provider)
    base_url = config.base_url or spec.base_url
    where = {"provider": spec.prices} if spec.prices else {"api_url": base_url}
    prices = _load("providers.prices", "Prices")(**where, price_in=config.price_in, price_out=config.price_out)
    named = config.key_file or config.keyring  # else the provider reads the environment, whenever it is asked
    found = {"key": key} if named and spec.key_variable and (key := find_key(spec.key_variable, config)) else {}
    build = registry.load_by_name(spec.where)
    if found and "key" not in inspect.signature(build).parameters:
        raise ConfigError(f"{spec.name} takes its key from the environment only: set {spec.key_variable}")
    provider: Provider = build(
        name=spec.name, key_variable=spec.key_variable, base_url=base_url, prices=prices, **found
    )
    wrapped = _wrap_provider(provider, config, pot)
    return _load("providers.pot", "PayingProvider")(wrapped, pot) if pot is not None else wrapped


def import_provider_libraries(config: HealConfig) -> None:
    """Import what the configured provider's client stands on, where a model may be asked: it takes seconds, and the first call need
    not wait for it. Never raises: the call itself says what is wrong."""
    with contextlib.suppress(Exception):
        if why_no_model(config) is None and not config.replay:
            client = registry.load_by_name(registry.load_provider(config.provider).where)
            for library in getattr(client, "libraries", ()):
                import_module(library)


def choose_judging_provider(config: HealConfig, provider: Provider, pot: Pot | None = None) -> Provider:
    """Who judges: the fixing model's provider, unless another one, or another address, is set."""
    if not config.judge_provider and not config.judge_base_url:
        return provider
    name = config.judge_provider or config.provider
    return build_provider(config.with_(provider=name, base_url=config.judge_base_url), pot)


def _wrap_provider(provider: Provider, config: HealConfig, pot: Pot | None) -> Provider:
    """The provider, recorded or replaced by a recording where the settings say so."""
    if config.record and config.replay:
        raise ConfigError("record and replay exclude each other: leave one of the two out")
    if config.replay:
        replaying: Provider = _load("providers.cassette", "ReplayingProvider")(provider, Path(config.replay))
        return replaying
    provider = _load("providers.outages", "watch_service")(provider, pot)
    if not config.record:
        return provider
    redactor = Redactor(known=registry.list_keys(), keeps_placeholders=True)
    recording: Provider = _load("providers.cassette", "RecordingProvider")(
        provider, Path(config.record), lambda value: redact_json(value, redactor)
    )
    return recording


# --- the rest -------------------------------------------------------------------------------------------------------


def build_facts(starts: Starts, case: Case, stack: contextlib.ExitStack) -> Facts:
    """Answers from the state after the failure (or before it, by running the cell); silence where there is no state."""
    if not (starts.before or starts.after):
        return NoFacts()
    kernel_facts = _load("healers.facts", "KernelFacts").of(starts, case.failure)
    stack.callback(kernel_facts.close)
    facts: Facts = kernel_facts
    return facts


def _build_kernel_facts(kernel: TrialKernel, case: Case) -> Facts:
    facts: Facts = _load("healers.facts", "KernelFacts")(kernel, cell_seconds=3.0 * case.failure.seconds)
    return facts


def build_questioner(starts: Starts, config: HealConfig) -> Callable[[Case, Sequence[Candidate]], tuple[Question, ...]]:
    """What to ask the user where plausible patches disagree; variables are looked at in one more trial of each."""
    find_questions = _load("scoring.questions", "choose_questions")

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


# --- kernels --------------------------------------------------------------------------------------------------------


def connect_state(socket: str, start: Start) -> TrialKernel:
    """A frozen state of the user's kernel, taken over by its socket. Raises :class:`KernelError` where it is gone."""
    state: TrialKernel = _load("kernels.forked", "ForkedKernel").connect(socket, start)
    return state


def move_state(state: TrialKernel, socket: str) -> None:
    """Have a state that :func:`connect_state` gave go on from another one. Raises :class:`KernelError` where that is gone."""
    _load("kernels.forked", "ForkedKernel").move_to(state, socket)


def open_state(
    kernelspec: str, folder: str, *, writes: str, network: bool, fresh: bool = False, seed: int = 0
) -> TrialKernel:
    """The state that a notebook's first cell starts from (:func:`jupyter_selfheal.kernels.freeze.open_state`)."""
    state: TrialKernel = _load("kernels.freeze", "open_state")(
        kernelspec, folder, writes=writes, network=network, fresh=fresh, seed=seed
    )
    return state


def open_replayed_state(
    kernelspec: str,
    folder: str,
    past: Sequence[PastCell],
    *,
    writes: str,
    network: bool,
    paths: Sequence[str] = (),
    seed: int = 0,
) -> TrialKernel:
    """The state after these cells, made by running them in a fresh kernel; ``paths`` go on its ``sys.path``, ``seed`` is that of its
    hashes (0: Python chooses one)."""
    env = _load("kernels.freeze", "build_hash_environment")(seed)
    state: TrialKernel = _load("kernels.fresh", "FreshKernel")(
        kernelspec, folder, past, writes=writes, network=network, paths=paths, env=env
    )
    return state


def find_project(folder: str) -> str:
    """The folder of the project that a notebook in ``folder`` belongs to."""
    project: str = _load("kernels.project", "find_project")(folder)
    return project


def find_kernel_python(kernelspec: str) -> str:
    """The Python that a kernelspec starts; ours where it starts something else. Raises :class:`KernelError` where there is no
    such kernelspec."""
    program: str = _load("kernels.kernelspec", "read_kernelspec")(kernelspec)[0][0]
    return program if Path(program).name.startswith("python") else sys.executable


def build_installer(stack: contextlib.ExitStack, python: str = sys.executable) -> Callable[..., str]:
    """Installs requirements for a Python where only trials see them, until the stack is closed."""
    installer = _load("kernels.scratch_install", "ScratchInstaller")(python)
    stack.callback(installer.close)
    made: Callable[..., str] = installer
    return made


def open_environments(stack: contextlib.ExitStack) -> Callable[..., str]:
    """Makes environments for notebooks (a Python, a requirements file) and gives their kernelspecs, until the stack is closed."""
    environments = _load("kernels.environments", "Environments")()
    stack.callback(environments.close)
    make: Callable[..., str] = environments.make
    return make


def format_event(event: object) -> str:
    """One event of the loop in a line (a few, where patches are listed)."""
    return describe_event(wire.encode(event))


def _load(module: str, name: str) -> Any:
    return getattr(import_module(f"jupyter_selfheal.{module}"), name)


def describe_crash(code: int, stack: str, peak_mb: float, *, oom: bool, said: str = "") -> tuple[str, str, int]:
    """How a kernel's process died: the ending, in words, and the line of its cell (0 where ``stack``, as `faulthandler` writes it, does not say)."""
    from jupyter_selfheal.kernels.deaths import describe_death, find_cell_line, parse_stack

    ending, how = describe_death(code, peak_mb, oom=oom, stderr=said)
    return ending.value, how, find_cell_line(parse_stack(stack))
