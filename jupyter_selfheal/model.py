"""The nouns of the product, in the order in which they come into being.

    Failure → Diagnosis → Patch → (cleared) → Trial → Verdict → Proposal → Decision → Application

Everything here is frozen data from the standard library: no live objects, so that any of it can cross the pipe to the
worker, be written to the journal, and be read back (:mod:`jupyter_selfheal.wire`). Empty strings and empty tuples mean
"nothing"; there is no ``None`` soup.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any, TypeAlias

JSON: TypeAlias = Any
"""A value that ``json`` can write: None, bool, int, float, str, list of JSON, dict of str to JSON."""


# --- the notebook -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a cell, with nbformat 4's fields (https://nbformat.readthedocs.io/en/latest/format_description.html).

    ``output_type`` is ``stream`` (uses ``name``, ``text``), ``display_data`` or ``execute_result`` (``data``,
    ``metadata``), or ``error`` (``ename``, ``evalue``, ``traceback``).
    """

    output_type: str
    name: str = ""
    text: str = ""
    data: Mapping[str, JSON] = field(default_factory=dict)
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    ename: str = ""
    evalue: str = ""
    traceback: tuple[str, ...] = ()

    def to_nbformat(self, execution_count: int | None = None) -> dict[str, JSON]:
        """The dictionary that an .ipynb holds for this output."""
        if self.output_type == "stream":
            return {"output_type": "stream", "name": self.name or "stdout", "text": self.text}
        if self.output_type == "error":
            return {
                "output_type": "error",
                "ename": self.ename,
                "evalue": self.evalue,
                "traceback": list(self.traceback),
            }
        found: dict[str, JSON] = {
            "output_type": self.output_type,
            "data": dict(self.data),
            "metadata": dict(self.metadata),
        }
        if self.output_type == "execute_result":
            found["execution_count"] = execution_count
        return found

    @classmethod
    def from_nbformat(cls, raw: Mapping[str, JSON]) -> Output:
        """Read one output of an .ipynb or the content of an IOPub message; multi-line lists are joined."""
        text = raw.get("text", "")
        data = {
            k: "".join(v) if isinstance(v, list) and all(isinstance(s, str) for s in v) else v
            for k, v in dict(raw.get("data") or {}).items()
        }
        return cls(
            output_type=str(raw.get("output_type", "stream")),
            name=str(raw.get("name", "")),
            text="".join(text) if isinstance(text, list) else str(text),
            data=data,
            metadata=dict(raw.get("metadata") or {}),
            ename=str(raw.get("ename", "")),
            evalue=str(raw.get("evalue", "")),
            traceback=tuple(str(line) for line in raw.get("traceback") or ()),
        )


@dataclass(frozen=True, slots=True)
class Oracle:
    """What the user said the cell must do; empty fields say nothing.

    ``expect``: a Python expression that the cell's last value must equal. ``stdout``: text that the cell must print
    (``/…/`` is a regular expression). ``checks``: statements that must run without raising after the cell. ``spec``: what
    the cell is for, in words; only a language model can use it.
    """

    expect: str = ""
    stdout: str = ""
    checks: tuple[str, ...] = ()
    spec: str = ""

    def __bool__(self) -> bool:
        """True where something can be checked without a judge."""
        return bool(self.expect or self.stdout or self.checks)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a notebook.

    ``id`` is nbformat's cell id (or one made up by the reader, stable within the run). ``runs`` is the execution number
    in the *running* kernel, 0 where it did not run there. ``outputs`` are the outputs stored in the notebook.
    ``skip`` and ``expensive`` come from the cell's ``selfheal`` metadata.
    """

    id: str
    source: str
    kind: str = "code"
    tags: tuple[str, ...] = ()
    runs: int = 0
    outputs: tuple[Output, ...] = ()
    oracle: Oracle = Oracle()
    skip: bool = False
    expensive: bool = False


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells around a failure, in order. Live sessions without a notebook have the history's cells here.

    ``path`` is empty where it is unknown; ``folder`` is the kernel's working directory.
    """

    cells: tuple[Cell, ...] = ()
    path: str = ""
    folder: str = ""

    def index(self, cell_id: str) -> int:
        """Position of the cell, or -1."""
        return next((n for n, cell in enumerate(self.cells) if cell.id == cell_id), -1)

    def cell(self, cell_id: str) -> Cell:
        """The cell of that id; raises ``KeyError`` where there is none."""
        at = self.index(cell_id)
        if at < 0:
            raise KeyError(cell_id)
        return self.cells[at]

    def code_before(self, cell_id: str) -> tuple[Cell, ...]:
        """The code cells above it, in order (all code cells where it is unknown)."""
        at = self.index(cell_id)
        return tuple(c for c in (self.cells if at < 0 else self.cells[:at]) if c.kind == "code")

    def code_after(self, cell_id: str) -> tuple[Cell, ...]:
        """The code cells below it, in order."""
        at = self.index(cell_id)
        return () if at < 0 else tuple(c for c in self.cells[at + 1 :] if c.kind == "code")

    def with_source(self, cell_id: str, source: str) -> Notebook:
        """The same notebook with one cell's source replaced."""
        return replace(self, cells=tuple(replace(c, source=source) if c.id == cell_id else c for c in self.cells))


# --- what went wrong ----------------------------------------------------------------------------------------------


class FailureKind(StrEnum):
    """How a cell failed."""

    RAISED = "raised"
    SYNTAX = "syntax"
    MISSED = "missed"
    """It ran to its end, but not to what its oracle expects."""
    TIMED_OUT = "timed_out"
    DIED = "died"
    """The kernel's process ended under it (a signal, ``os._exit``, out of memory)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback, outermost first. ``cell_id`` is empty for frames outside the notebook's cells.

    ``line`` is 1-based within the cell or the file.
    """

    file: str
    line: int
    function: str
    text: str = ""
    cell_id: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing cell, as it happened.

    ``line`` (1-based, in the failing cell; 0 unknown) and ``statement`` (0-based index of the failing top-level
    statement; -1 unknown) locate it; ``frames`` run from the cell inwards. ``evalue`` is the message as raised,
    ``traceback`` the plain text without colours. ``seconds`` is how long the cell ran until it failed.
    """

    cell_id: str
    source: str
    kind: FailureKind = FailureKind.RAISED
    ename: str = ""
    evalue: str = ""
    line: int = 0
    statement: int = -1
    frames: tuple[Frame, ...] = ()
    traceback: str = ""
    outputs: tuple[Output, ...] = ()
    seconds: float = 0.0

    @property
    def headline(self) -> str:
        """``NameError: name 'pd' is not defined``, on one line of at most 200 characters."""
        first = self.evalue.strip().splitlines()[0] if self.evalue.strip() else ""
        return (f"{self.ename}: {first}" if first else self.ename)[:200]


class Locus(StrEnum):
    """Where the cause sits."""

    CODE = "code"
    ELSEWHERE = "elsewhere"
    """In another cell of the notebook."""
    ENVIRONMENT = "environment"
    """A module, a file, the network, memory, a credential: no code is rewritten for it on a guess."""
    OURSELVES = "ourselves"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the failure is believed to come from.

    ``leave_alone`` is empty where healing may go on, else the short name of the reason for leaving it: ``deliberate``,
    ``skeleton``, ``missing data``, ``missing credential``, ``bad data``, ``network``, ``not python``, ``input``,
    ``missing module``, ``interrupted``. ``advice`` says what the user can do. ``confidence`` is 0–100.
    """

    cause: str
    locus: Locus = Locus.CODE
    cell_id: str = ""
    confidence: int = 100
    leave_alone: str = ""
    advice: str = ""


# --- patches ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Replace:
    """Put ``source`` in place of ``old`` as the whole source of a cell; refused where the cell no longer holds ``old``."""

    cell_id: str
    old: str
    source: str


@dataclass(frozen=True, slots=True)
class Insert:
    """A new cell ``cell_id`` with ``source``, directly above the cell ``before``."""

    cell_id: str
    source: str
    before: str


@dataclass(frozen=True, slots=True)
class Move:
    """Move a cell directly above the cell ``before``."""

    cell_id: str
    before: str


@dataclass(frozen=True, slots=True)
class RunCells:
    """Run these cells first, in this order; no source changes (a state fix)."""

    cell_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Install:
    """Install distribution ``requirement``, because ``module`` is missing. Proven in a scratch directory."""

    requirement: str
    module: str


Edit: TypeAlias = Replace | Insert | Move | RunCells | Install


class Applicability(IntEnum):
    """How far a change may be trusted, as linters say it (Ruff's ``DisplayOnly < Unsafe < Safe``)."""

    DISPLAY_ONLY = 0
    """Shown, never applied by itself: the user must complete or choose it."""
    UNSAFE = 1
    """Probably right; may change what the code means."""
    SAFE = 2
    """Keeps or restores the evident meaning; only rules and memory may say so, never a model or a search."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A set of edits that may heal a failure.

    ``healer`` is ``memory``, ``rules``, ``search``, ``language_model`` or ``user``; ``rule`` the rule's code, if one made
    it. ``title`` is an imperative line ("Import numpy as np"), ``cause`` says in words what was wrong, ``why`` argues the
    applicability. ``removes`` says what a remedy takes away where removal *is* the remedy; it exempts from the tamper cap.
    ``prior`` (0–1) orders patches of one healer.
    """

    edits: tuple[Edit, ...]
    title: str
    cause: str = ""
    healer: str = "rules"
    rule: str = ""
    applicability: Applicability = Applicability.UNSAFE
    why: str = ""
    removes: str = ""
    prior: float = 0.5

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits of the edits' content: equal edits are one patch, whoever proposed them."""
        text = json.dumps([[type(e).__name__, *_fields(e)] for e in self.edits], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def is_empty(self) -> bool:
        """True for the baseline, the patch without edits."""
        return not self.edits

    def source_of(self, cell_id: str, otherwise: str) -> str:
        """The cell's source after this patch."""
        for edit in reversed(self.edits):
            if isinstance(edit, Replace | Insert) and edit.cell_id == cell_id:
                return edit.source
        return otherwise

    @property
    def cells_touched(self) -> tuple[str, ...]:
        """Ids of the cells whose source or place this patch changes, without repeats."""
        return tuple(dict.fromkeys(e.cell_id for e in self.edits if isinstance(e, Replace | Insert | Move)))


def _fields(edit: Edit) -> list[JSON]:
    return [getattr(edit, name) for name in edit.__slots__]


BASELINE = Patch(edits=(), title="nothing changed", healer="user")
"""The empty patch; its trial is the reproduction of the failure."""


# --- trials -------------------------------------------------------------------------------------------------------


class Start(StrEnum):
    """The state that a trial begins from."""

    BEFORE_CELL = "before the cell"
    AFTER_FAILURE = "after the failure"


@dataclass(frozen=True, slots=True)
class Isolation:
    """What stood between a trial and the user's things.

    ``kernel`` is ``forked`` (the exact state), ``fresh`` (state reconstructed by replay) or ``fake`` (tests).
    ``layers`` that were on; ``missing`` layers, each with the reason ("overlay: not permitted").
    """

    kernel: str
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """One line for a person."""
        what = {
            "forked": "a fork of the kernel (exact state)",
            "fresh": "a fresh kernel (state reconstructed)",
        }.get(self.kernel, self.kernel)
        return what + (": " + ", ".join(self.layers) if self.layers else "; no sandbox layer")


class Role(StrEnum):
    """Why a piece of code runs in a trial."""

    SETUP = "setup"
    """A cell that must have run first: RunCells, inserted or moved cells, changed definitions elsewhere."""
    CELL = "cell"
    """The cell under trial."""
    CHECK = "check"
    """An oracle's check."""
    DOWNSTREAM = "downstream"
    """A cell below, run to see whether it still works."""


@dataclass(frozen=True, slots=True)
class Run:
    """Run ``code`` as a cell (magics, top-level await, displays and all).

    ``line_offset`` is unused lines to add for tracebacks. ``go_on``: a failure of this step does not end the trial.
    ``timeout`` in seconds bounds this step alone (0: only the trial's limit).
    """

    code: str
    cell_id: str = ""
    role: Role = Role.CELL
    go_on: bool = False
    timeout: float = 0.0


@dataclass(frozen=True, slots=True)
class Probe:
    """Ask about the state: ``source`` defines ``probe(shell, last, argument)``, whose JSON-able return is the step's value.

    ``shell`` is the InteractiveShell (``shell.user_ns``), ``last`` has ``.result`` (the last cell's value, or None),
    ``.error`` (its exception with live ``__traceback__``, or None) and ``.stdout`` (what it printed, as text).
    The source may import the standard library and what the state has already imported; it runs in a namespace of its
    own. An exception in it is an ``error`` status of the step, not the end of the trial. ``name`` is for the journal.
    ``timeout`` in seconds (0: only the trial's limit).
    """

    source: str
    argument: JSON = None
    name: str = "probe"
    timeout: float = 0.0


Step: TypeAlias = Run | Probe


class Keep(StrEnum):
    """Whether the process that ran a trial stays, frozen, as the start of further trials."""

    NEVER = "never"
    ON_SUCCESS = "on success"
    """Only where every step ran without error."""
    ALWAYS = "always"
    """Also after a failing step (the state after the failure)."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a trial is allowed. ``writes``: ``discard`` (an overlay, thrown away), ``allow`` (as the parent state would)
    or ``forbid``. ``memory_mb`` 0 means no limit beyond the machine's headroom."""

    network: bool = False
    writes: str = "discard"
    memory_mb: int = 0
    output_kb: int = 8_192


OPEN = Sandbox(network=True, writes="allow")
"""No restriction beyond those of the state that is forked: for running the notebook's own cells on."""


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """What to run from a state, and within which limits.

    ``timeout`` in seconds for the whole trial. ``paths`` are put first on ``sys.path`` (scratch installs).
    """

    steps: tuple[Step, ...]
    patch_id: str = ""
    timeout: float = 10.0
    keep: Keep = Keep.NEVER
    sandbox: Sandbox = Sandbox()
    paths: tuple[str, ...] = ()


class Ending(StrEnum):
    """How the process of a trial ended."""

    FINISHED = "finished"
    """All steps were run, or the trial stopped at a step that raised."""
    TIMED_OUT = "timed out"
    EXITED = "exited"
    """The code ended its process (``os._exit``; ``sys.exit`` is an ordinary error)."""
    KILLED = "killed"
    """A signal: a segmentation fault, the memory limit, an abort."""
    OUT_OF_MEMORY = "out of memory"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An exception of the user's code, located."""

    ename: str
    evalue: str
    line: int = 0
    statement: int = -1
    frames: tuple[Frame, ...] = ()
    traceback: str = ""
    before_exec: bool = False
    """True for a SyntaxError of the cell itself: nothing of it ran."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step did. ``status``: ``ok``, ``error``, ``timeout`` or ``skipped`` (an earlier step ended the trial)."""

    status: str
    role: str = Role.CELL.value
    cell_id: str = ""
    name: str = ""
    outputs: tuple[Output, ...] = ()
    errors: tuple[ErrorInfo, ...] = ()
    value: JSON = None
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.status == "ok"


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a request in a trial kernel. Everything here happened; nothing is inferred.

    ``blocked`` names what the sandbox refused ("network: connect", "write: /etc/x"): a failure because of it is
    inconclusive. ``seconds`` is from request to result; ``phases`` splits it (milliseconds by name).
    """

    patch_id: str
    steps: tuple[StepResult, ...]
    ending: Ending
    start: Start
    isolation: Isolation
    detail: str = ""
    seconds: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    blocked: tuple[str, ...] = ()
    peak_mb: float = 0.0

    def step(self, role: Role) -> StepResult | None:
        """The first step of that role, or None."""
        return next((s for s in self.steps if s.role == role.value), None)

    def probe(self, name: str) -> JSON:
        """The value of the first probe of that name that ran, or None."""
        return next((s.value for s in self.steps if s.name == name and s.ok), None)

    @property
    def ran(self) -> bool:
        """True if the process finished and every setup and cell step ran without an error."""
        return self.ending is Ending.FINISHED and all(
            s.ok for s in self.steps if s.role in (Role.SETUP.value, Role.CELL.value)
        )


# --- judging ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """How good a tried patch is, and why.

    ``score`` is 0–10; ``plausible`` means that it ran where the baseline raised or missed, and that no oracle
    contradicts it. ``proofs`` are short nouns, strongest first ("expected value", "asserts below", "runs"); ``reasons``
    are sentences for a person. ``tampering`` names what caps it. ``inconclusive`` says why nothing can be said
    ("network blocked"), empty otherwise. ``feedback`` goes into the next attempt. ``confidence`` 0–100.
    """

    patch_id: str
    score: float
    plausible: bool
    proofs: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    tampering: tuple[str, ...] = ()
    inconclusive: str = ""
    feedback: str = ""
    confidence: int = 100
    oracle_met: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One patch that was tried (or could not be), archived before anything overwrites it."""

    patch: Patch
    trial: Trial | None = None
    verdict: Verdict | None = None
    rejection: str = ""
    """The user's reason for rejecting it; ``-`` where none was given, empty where it was not rejected."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent: US dollars (``unknown`` where no price is known), tokens, calls."""

    usd: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    unknown: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.usd + other.usd,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
            self.unknown or other.unknown,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A patch with the evidence for it."""

    patch: Patch
    trial: Trial
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """The one value to ask the user for, where plausible patches disagree.

    ``text``: "for `[3, 1, 2]`, should `f` give 1 or 2?"; ``answers`` maps each answer's text to the ids of the patches
    that give it.
    """

    text: str
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is shown to the user: the best candidate first, and what was and was not proven."""

    failure: Failure
    diagnosis: Diagnosis
    candidates: tuple[Candidate, ...]
    proven_from: tuple[Start, ...] = ()
    """Empty: not proven (show-only)."""
    baseline: Trial | None = None
    cost: Cost = Cost()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What was not proven, or is odd: "fails 2 of 3 times", "replayed cells 1, 3"."""
    questions: tuple[Question, ...] = ()
    needs_clearance: tuple[str, ...] = ()
    """Capabilities that the best patch would add ("subprocess"); it is not tried before the user allows it."""


class Choice(StrEnum):
    """What a user can say to a proposal or a pause."""

    APPROVE = "approve"
    REJECT = "reject"
    EDIT = "edit"
    RETRY = "retry"
    ANSWER = "answer"
    CLEAR = "clear"
    CONTINUE = "continue"
    RAISE_BUDGET = "raise_budget"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Decision:
    """A user's (or a policy's) word. ``text`` is the reason, hint, answer, edited source or new budget."""

    choice: Choice
    patch_id: str = ""
    text: str = ""
    by: str = "user"
    """``user``, or the policy that decided: ``--approve safe``."""


class Reason(StrEnum):
    """Why a heal ended."""

    HEALED = "healed"
    REJECTED = "rejected"
    EXHAUSTED = "exhausted"
    """Nothing offline heals it, and there is no (further) model to ask."""
    OVER_BUDGET = "over_budget"
    STUCK = "stuck"
    NO_IMPROVEMENT = "no_improvement"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    INFRASTRUCTURE = "infrastructure"
    NOT_REPRODUCED = "not_reproduced"
    ENVIRONMENT = "environment"
    """Left alone: the diagnosis says why and what the user can do."""
    CANCELLED = "cancelled"
    SELF_ERROR = "self_error"


@dataclass(frozen=True, slots=True)
class Case:
    """Everything known when a heal begins: the failure, the notebook around it, what it must do, which healers may act.

    ``hints`` are the user's words for a model. ``packages`` are the versions installed where the cell runs. Of a *derived*
    case (the failure that came up behind the first one) ``notebook`` and ``failure`` already hold the sources after ``base``.
    """

    failure: Failure
    notebook: Notebook = Notebook()
    oracle: Oracle = Oracle()
    hints: tuple[str, ...] = ()
    base: Patch = BASELINE
    """Edits already made by an earlier round that got past the first failure; patches of this case come on top."""
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a heal ended, and with what."""

    reason: Reason
    failure: Failure
    diagnosis: Diagnosis = Diagnosis(cause="")
    applied: tuple[Candidate, ...] = ()
    """The approved candidate, if any (at most one)."""
    proposal: tuple[Proposal, ...] = ()
    """The last proposal shown, if any (at most one)."""
    attempts: tuple[Attempt, ...] = ()
    cost: Cost = Cost()
    seconds: float = 0.0
    detail: str = ""
    approved_by: str = ""
    """Who approved it: ``user``, or the policy that decided."""


def compose(first: Patch, second: Patch) -> Patch:
    """``second`` after ``first`` as one patch: a Replace of the same cell keeps the oldest ``old`` and the newest source.

    The applicability is the weaker of the two; a patch by a model stays one.
    """
    edits: list[Edit] = list(first.edits)
    for edit in second.edits:
        if isinstance(edit, Replace):
            at = next(
                (n for n, e in enumerate(edits) if isinstance(e, Replace | Insert) and e.cell_id == edit.cell_id), -1
            )
            if at >= 0:
                edits[at] = _resourced(edits[at], edit.source)
                continue
        if edit not in edits:
            edits.append(edit)
    edits = [e for e in edits if not (isinstance(e, Replace) and e.old == e.source)]
    if first.is_empty:
        return replace(second, edits=tuple(edits))
    return Patch(
        edits=tuple(edits),
        title=_joined(first.title, second.title),
        cause=_joined(first.cause, second.cause),
        healer=second.healer if first.healer == second.healer else f"{first.healer}+{second.healer}",
        rule="+".join(dict.fromkeys(r for r in (first.rule, second.rule) if r)),
        applicability=min(first.applicability, second.applicability),
        why=_joined(first.why, second.why),
        removes=_joined(first.removes, second.removes),
        prior=min(first.prior, second.prior),
    )


def _joined(first: str, second: str) -> str:
    """Both texts in one; what the first says already is not said again."""
    sentence = second.endswith((".", ")"))
    if not first or not second or second in first.split("; ") or (sentence and second in first):
        return first or second
    return f"{first} {second}" if first.endswith(".") else f"{first}; {second}"


def _resourced(edit: Edit, source: str) -> Edit:
    if isinstance(edit, Replace):
        return Replace(edit.cell_id, edit.old, source)
    return replace(edit, source=source) if isinstance(edit, Insert) else edit
