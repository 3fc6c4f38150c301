"""Trials: what is run from a state, within which limits, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from jupyter_selfheal.model.failure import MADE_UP_PLACE, Frame
from jupyter_selfheal.model.notebook import JSON, Output

OBSERVED_CALLS = "observed calls"
"""The name of the step of a trial that makes calls of earlier cells again."""


class Start(StrEnum):
    """The state that a trial begins from."""

    BEFORE_CELL = "before the cell"
    AFTER_FAILURE = "after the failure"
    STANDS_IN = "after the failure (the whole cell run again)"
    """The state after the failure, taken for the one before the cell where the cell had changed nothing that was there."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What stood between a trial and the user's things.

    ``kernel`` is ``forked`` (the exact state), ``fresh`` (state reconstructed by replay), ``fake`` (tests) or ``none`` (nothing was run).
    ``layers`` that were on; ``missing`` layers, each with the reason ("overlay: not permitted").
    """

    kernel: str
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """One line for a person."""
        kernel = {
            "forked": "a fork of the kernel (exact state)",
            "fresh": "a fresh kernel (state reconstructed)",
        }.get(self.kernel, self.kernel)
        return kernel + (": " + ", ".join(self.layers) if self.layers else "; no sandbox layer")

    @property
    def summary(self) -> str:
        """The same without the names of the layers; that some could not be had is said."""
        kernel = self.words.partition(":")[0]
        return kernel + ((", partly sandboxed" if self.missing else ", sandboxed") if self.layers else "")


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
    FAILED_AGAIN = "failed again"
    """A setup cell that failed when it ran before, and does so in the same way."""
    RECORDED = "recorded"
    """A cell above, run once more as it is, to see which calls it makes."""


@dataclass(frozen=True, slots=True)
class Run:
    """Run ``code`` as a cell (magics, top-level await, displays and all).

    ``line_offset`` is unused lines to add for tracebacks. ``go_on``: a failure of this step does not end the trial.
    ``timeout`` in seconds bounds this step alone (0: only the trial's limit). ``with_asides``: what a thread or a widget's
    callback of it raises is a failure of it too; its threads are waited for. ``failed_with`` is how the cell failed before, where it did: if it
    fails so again, that is no failure of the trial.
    """

    code: str
    cell_id: str = ""
    role: Role = Role.CELL
    go_on: bool = False
    timeout: float = 0.0
    with_asides: bool = False
    failed_with: str = ""


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
    ON_FAILURE = "on failure"
    """Only where a step failed: the state after the failure."""
    ALWAYS = "always"
    """Also after a failing step (the state after the failure)."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a trial is allowed. ``writes``: ``discard`` (an overlay, thrown away), ``allow`` (as the parent state would), ``apart``
    (the same, but where that has an overlay seen only in the states that are kept from it) or ``forbid``. ``memory_mb`` 0 means no limit beyond the machine's headroom."""

    network: bool = False
    writes: str = "discard"
    memory_mb: int = 0
    output_kb: int = 8_192

    @property
    def lets_write(self) -> bool:
        """Whether it may write what the state may that it begins in."""
        return self.writes in ("allow", "apart")


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
    is_brief: bool = False
    """Tracebacks as Python writes them, not as IPython draws them with sources and colours (20 to 150 ms): nobody looks at them."""
    is_last: bool = False
    """No other trial from this state is likely to follow soon: nothing is forked ahead for one."""
    stop_after: float = 0.0
    """Seconds after which no further step need be begun, where the kernel can leave some out; 0: all are run."""


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

    @property
    def words(self) -> str:
        """``SyntaxError: invalid syntax``: as it was raised, without the file that a kernel made up for the cell."""
        message = MADE_UP_PLACE.sub("", self.evalue).rstrip()
        return f"{self.ename}: {message}" if message else self.ename


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
    peak_mb: float = 0.0
    """The most memory of its own, in MiB, that the process has had until the step's end (no mapped files); 0 where that is not known."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def label(self, step: Step, seconds: float = 0.0) -> StepResult:
        """The result under the step's role, cell and name."""
        if isinstance(step, Run):
            return replace(self, role=step.role.value, cell_id=step.cell_id, seconds=seconds)
        return replace(self, role="probe", name=step.name, seconds=seconds)


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
    def failed_by(self) -> str:
        """How it failed, in a few words."""
        errors = [error for step in self.steps for error in step.errors]
        return f"{errors[0].ename}: {errors[0].evalue}"[:200] if errors else self.detail or self.ending.value

    @property
    def ran(self) -> bool:
        """True if the process finished and every setup and cell step ran without an error."""
        return self.ending is Ending.FINISHED and all(
            s.ok for s in self.steps if s.role in (Role.SETUP.value, Role.CELL.value)
        )
