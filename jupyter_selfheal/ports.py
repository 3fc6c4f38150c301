"""The seams of the product: what the loop needs of the world, as protocols.

Everything here is synchronous. Parallel trials are threads over :meth:`TrialKernel.run`, which every adapter must allow
to be called from several threads at once. A conformance suite for each protocol is in :mod:`jupyter_selfheal.testing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import (
    JSON,
    Attempt,
    Candidate,
    Case,
    Cost,
    Decision,
    Diagnosis,
    Isolation,
    Notebook,
    Outcome,
    Patch,
    Probe,
    Proposal,
    Question,
    Reason,
    Run,
    Start,
    Step,
    Trial,
    TrialRequest,
    Verdict,
)
from jupyter_selfheal.model.model_calls import ModelReply as ModelReply
from jupyter_selfheal.model.model_calls import ModelRequest as ModelRequest


@runtime_checkable
class TrialKernel(Protocol):
    """A frozen state from which any number of trials can be run, none of which changes it."""

    @property
    def start(self) -> Start: ...

    @property
    def isolation(self) -> Isolation:
        """What a trial with the default sandbox would be isolated by."""
        ...

    @property
    def is_exact(self) -> bool:
        """True where the state is the user's own (a fork), False where it was reconstructed by replay."""
        ...

    def run(self, request: TrialRequest) -> tuple[Trial, TrialKernel | None]:
        """Run the steps from this state; block until the result is there. Thread-safe.

        Returns the trial and, where ``request.keep`` asked for it and the process still lives, a kernel frozen in
        the state after it (its ``start`` is AFTER_FAILURE if a step failed, else BEFORE_CELL: the state before
        whatever comes next). The caller closes what it was given.

        Raises :class:`~jupyter_selfheal.errors.KernelError` where the *machinery* fails (the zygote is gone, a
        sandbox layer failed after its probe). Whatever the code does is a :class:`Trial`.
        """
        ...

    def close(self) -> None:
        """Let go of the state and every process of it. Idempotent. Running trials are cancelled."""
        ...


class Questions(Protocol):
    """A copy of a state that answers one question after the other, none of which changes what the next one sees."""

    def ask(self, probe: Probe) -> JSON:
        """The answer; None where the question raised or took too long. Raises :class:`~jupyter_selfheal.errors.KernelError` or
        ``OSError`` where the copy is gone: it ends when nobody has asked for a while."""
        ...

    def prepare(self, source: str) -> None:
        """Let the copy read the source of questions that are to come; not waited for. Raises ``OSError`` where the copy is gone."""
        ...

    def close(self) -> None:
        """Let the copy go. Idempotent."""
        ...


@runtime_checkable
class AnswersQuestions(Protocol):
    """A :class:`TrialKernel` to which a question costs much less than a trial of its own."""

    def open_questions(self) -> Questions:
        """A copy of the state to ask; the caller closes it. Raises :class:`~jupyter_selfheal.errors.KernelError`."""
        ...


@runtime_checkable
class RunsAhead(Protocol):
    """A :class:`TrialKernel` that may be given a trial before anybody waits for it: it costs nobody any time."""

    def run_ahead(self, request: TrialRequest) -> None:
        """Begin it: the first ``run`` of an equal request gets its result. One of the same patch that is not equal ends it."""
        ...


LeaveBehind = Callable[[Sequence[Run], Trial, TrialKernel], None]
"""Takes over a state that a patch left behind in its trial, which ran these steps from the state before the cell; whoever takes it closes it."""


@dataclass(frozen=True, slots=True)
class Starts:
    """The states that a heal may try patches from; empty tuples where there is none (at most one kernel in each).

    ``anew`` makes the state before the cell anew, the n-th of several: the cells above run again, and draw otherwise; with True in a
    fresh kernel with another hash seed. Whoever asked closes it. Raises :class:`~jupyter_selfheal.errors.KernelError` where that cannot be done; None where it may not.
    ``goes_on_after``: somebody may go on from the state after the failure, so that it is said whether a fix holds there too.
    ``leave_behind`` is given the states that patches leave behind from which the cell runs; None where nobody goes on from there.
    """

    before: tuple[TrialKernel, ...] = ()
    after: tuple[TrialKernel, ...] = ()
    anew: Callable[[int, bool], TrialKernel] | None = None
    goes_on_after: bool = True
    leave_behind: LeaveBehind | None = None

    @property
    def best(self) -> TrialKernel:
        """The state before the cell where there is one, else after the failure."""
        return (self.before or self.after)[0]


class Facts(Protocol):
    """Questions about the live state in which the cell failed (names, types, attributes, frames, signatures, files)."""

    def ask(self, source: str, argument: JSON = None) -> JSON:
        """The value of ``probe(shell, last, argument)`` (see :class:`~jupyter_selfheal.model.Probe`), asked of a
        throw-away copy of the state after the failure. Equal questions are answered once. None where it raises or
        no state is at hand."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a healer has to say: patches best first, what they cost, and whether the healer has more if asked again."""

    patches: tuple[Patch, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    cost: Cost = Cost()
    note: str = ""
    exhausted: bool = True
    stop: str = ""
    """Why this healer must not be asked again in this heal (a :class:`Reason` value), or empty."""
    record: JSON = None
    """What the journal should keep (for a model: the request as sent and the reply), redacted by the healer."""
    questions: tuple[Question, ...] = ()
    """One value to ask the user for, where the patches disagree and nothing decides."""


@runtime_checkable
class Healer(Protocol):
    """A source of patches. Never changes anything; never raises for what the user's code does.

    What it is says a class in attributes: ``name``, ``paid``, and any other of :class:`~jupyter_selfheal.registry.Traits`.
    One that is configured by its name is made by a class method ``build(setup)``, which returns None where it cannot act.
    """

    name: str
    paid: bool

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """The most that the next call of :meth:`propose` can cost. Free healers return ``Cost()``."""
        ...

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """Patches for the case. ``history`` holds every earlier attempt of this heal, oldest first.

        Raises :class:`~jupyter_selfheal.errors.ProviderError` where a model cannot be reached.
        """
        ...


@dataclass(frozen=True, slots=True)
class HealerSetup:
    """What a healer may be built from: the settings, and what it takes to ask a model (None where none may be asked)."""

    config: HealConfig
    provider: Provider | None
    redactor: Redacts
    prompts: Callable[[str], tuple[str, str]]
    """The text and the version of a shipped prompt."""


class Diagnoser(Protocol):
    """Says what a failure comes from, and whether it must be left alone."""

    def diagnose(self, case: Case, facts: Facts) -> Diagnosis: ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """What judging gave: a verdict for each tried patch, in the given order, and what a model judge cost and said."""

    verdicts: tuple[Verdict, ...]
    cost: Cost = Cost()
    record: JSON = None
    """What the judge was asked and said, for the journal; None where none was asked."""


class Scorer(Protocol):
    """Turns trials into verdicts."""

    def list_oracle_steps(self, case: Case, patch: Patch) -> tuple[Step, ...]:
        """The steps to run after the cell in every trial: expectation probes, checks, asserts and cells below."""
        ...

    def find_missed_expectation(self, case: Case, trial: Trial) -> str | None:
        """Why a trial whose cell ran misses the user's own oracle ("expected 6, got 5"); None where it does not."""
        ...

    def judge(
        self, case: Case, baseline: Trial, tried: Sequence[tuple[Patch, Trial]], history: Sequence[Attempt]
    ) -> Judgement:
        """One verdict for each tried patch. Raises :class:`~jupyter_selfheal.errors.ProviderError` where a judge fails."""
        ...

    def worst_case(self, case: Case, patches: int) -> Cost:
        """The most that judging so many patches can cost."""
        ...

    def rank(self, tried: Sequence[tuple[Patch, Trial]], verdicts: Sequence[Verdict]) -> tuple[int, ...]:
        """Indices, best first. Total and deterministic."""
        ...


@dataclass(frozen=True, slots=True)
class CellOpinion:
    """What a judge says of one cell that ran: a score from 0 to 10, and why. No score where it said nothing that can be read."""

    score: float | None
    reason: str
    cost: Cost = Cost()
    record: JSON = None
    """What it was asked and said, for the journal."""


class CellJudge(Protocol):
    """Says whether a cell that ran does what words say of it (``case.oracle.spec``)."""

    def worst_case(self) -> Cost:
        """The most that one call of :meth:`judge_cell` can cost."""
        ...

    def judge_cell(self, case: Case, trial: Trial | None) -> CellOpinion:
        """One opinion on the case's cell, as it ran (None: nobody knows what it put out). Raises :class:`~jupyter_selfheal.errors.ProviderError`."""
        ...


class Critic(Protocol):
    """Says what could go wrong with patches, before any of them is run."""

    def worst_case(self, case: Case) -> Cost:
        """The most that one call of :meth:`risks` can cost."""
        ...

    def ask_risks(
        self, case: Case, patches: Sequence[tuple[Patch, Sequence[str]]]
    ) -> tuple[Mapping[str, str], Cost, JSON]:
        """One line for each patch id (one may be missing), what it cost, and what the journal should keep of it.

        Each patch comes with the capabilities that it adds. Raises :class:`~jupyter_selfheal.errors.ProviderError`.
        """
        ...


class Approver(Protocol):
    """Whoever decides: a person at a widget or a terminal, or a policy (``asks_person`` is False then: no critic is paid for words that nobody reads)."""

    def decide(self, proposal: Proposal) -> Decision:
        """Block until there is a word on the proposal."""
        ...

    def decide_after_pause(self, why: str, reason: Reason, proposal: Proposal | None, cost: Cost) -> Decision:
        """The loop is paused, ``reason`` says by what (``OVER_BUDGET``; ``EXHAUSTED``: the attempts; ``REJECTED``; ``INFRASTRUCTURE``: a service),
        ``why`` says it in words: CONTINUE, RAISE_BUDGET, RETRY with a hint, or STOP."""
        ...


class Journal(Protocol):
    """An append-only list of events: the checkpoint of a run."""

    def append(self, event: object) -> None:
        """Write the event durably before anybody acts on it. Raises ``JournalError`` where it cannot be written."""
        ...

    def events(self) -> Iterable[object]:
        """Everything appended so far, oldest first."""
        ...


class Redacts(Protocol):
    """Takes secrets out of a text and puts them back."""

    def redact(self, text: str) -> str: ...

    def restore(self, text: str) -> str: ...


def build_call_record(
    request: ModelRequest, reply: ModelReply, *, provider: str, prompt: str, redactor: Redacts
) -> JSON:
    """What the journal keeps of a call: the request exactly as it was sent, and the reply with its placeholders.

    ``prompt`` is the version of the prompt ("fix-1").
    """
    return {
        "purpose": request.purpose,
        "prompt": prompt,
        "provider": provider,
        "model": request.model,
        "max_tokens": request.max_tokens,
        "effort": request.effort,
        "system": request.system,
        "messages": [{"role": role, "text": text} for role, text in request.messages],
        "schema": request.schema,
        "reply": redactor.redact(redactor.restore(reply.text)),
        "stop": reply.stop,
        "request_id": reply.request_id,
        "usage": dict(reply.usage),
        "usd": reply.cost.usd,
        "price_unknown": reply.cost.unknown,
    }


@runtime_checkable
class Provider(Protocol):
    """A language model behind an API."""

    name: str

    def worst_case(self, request: ModelRequest) -> Cost:
        """The most that the request can cost: its input counted high, its whole ``max_tokens`` used; a second sending must fit in."""
        ...

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """Send it and wait. Raises :class:`~jupyter_selfheal.errors.ProviderError`; KeyboardInterrupt passes at once."""
        ...


@dataclass(frozen=True, slots=True)
class HealDependencies:
    """What a heal runs on: assembled in :mod:`jupyter_selfheal.engine`, faked in tests."""

    starts: Starts
    facts: Facts
    healers: tuple[Healer, ...]
    diagnoser: Diagnoser
    scorer: Scorer
    approver: Approver
    journal: Journal
    config: HealConfig
    notebook: Notebook = Notebook()
    facts_for: Callable[[TrialKernel], Facts] | None = None
    """Facts of another state after a failure: the one that comes up behind the first."""
    fallback_scorer: Scorer | None = None
    """Scores for free where the scorer's model cannot be paid for or reached."""
    critic: Critic | None = None
    """Says what could go wrong with patches that add capabilities or touch other cells; without one the loop says it itself."""
    cell_judge: CellJudge | None = None
    """Says whether a cell that runs does what its specification says; without one, words cannot be checked."""
    install: Callable[[str], str] | None = None
    """Install a requirement into a scratch directory that only trials see; returns its path. Raises InfrastructureError."""
    questions: Callable[[Case, Sequence[Candidate]], tuple[Question, ...]] | None = None
    """The values to ask the user for where plausible candidates disagree."""
    listeners: tuple[Callable[[object], None], ...] = ()
    """Told every event once it is in the journal, for display; from the thread that heals."""
    learners: tuple[Callable[[Outcome], None], ...] = ()
    """Told how the heal ended: the memory writes its postmortem."""
    session_spent: Cost = Cost()
    """What earlier heals of the session spent; the session's ceiling counts it."""
