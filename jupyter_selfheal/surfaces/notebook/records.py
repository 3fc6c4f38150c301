"""What a batch run found and did, as data: the table, the HTML page and the JSON report are three views of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePath

from jupyter_selfheal.model import (
    Candidate,
    Cell,
    Cost,
    Diagnosis,
    Doubt,
    Edit,
    Failure,
    FailureKind,
    Isolation,
    Notebook,
    Question,
    Start,
)
from jupyter_selfheal.scoring.comparison import NOTHING, Comparison


class Status(StrEnum):
    """What became of a code cell."""

    RAN = "ran"
    HEALED = "healed"
    FOLLOWED = "runs again"
    """It failed only because an earlier cell did, and runs since that one is healed."""
    LEFT_ALONE = "left alone"
    """Failing, and not ours to change: the diagnosis says why and what its author can do."""
    MEANT_TO_FAIL = "meant to fail"
    """Tagged ``raises-exception``, or the stored output is the same error."""
    CASCADE = "cascade"
    """Failing only because of an earlier cell that is not healed."""
    PROPOSED = "proposed"
    """There is a proven fix that the approval policy did not apply."""
    NOT_HEALED = "not healed"
    REVERTED = "reverted"
    """Healed, but the fix did not survive the run of the whole notebook in a clean kernel."""
    NOT_REACHED = "not reached"
    """The time for the notebook was up, or its kernel could not go on, before this cell was run."""
    SKIPPED = "skipped"
    """``selfheal.skip`` in its metadata: neither run nor healed."""

    @property
    def words(self) -> str:
        """As people are told of it: such a cell *follows* from another."""
        return "follows" if self is Status.CASCADE else self.value

    def describe_count(self, cells: int) -> str:
        """So many cells of it: two of them *follow* from another."""
        return f"{cells} {'follow' if self is Status.CASCADE and cells > 1 else self.words}"


BROKEN = frozenset(
    {Status.LEFT_ALONE, Status.CASCADE, Status.PROPOSED, Status.NOT_HEALED, Status.REVERTED, Status.NOT_REACHED}
)
"""What makes the exit code 1: a cell that should run and does not."""


@dataclass(frozen=True, slots=True)
class Without:
    """What cells below a healed one did without its fix, by their ids: those that failed, and those of which nothing can be said."""

    failed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One code cell. ``number`` is what ``In [n]`` shows for it in a clean run of the notebook as it was given.

    ``candidate`` holds at most one: the fix that was applied, reverted or proposed, or could not be run (``is_fix_unrun``). ``cascade_of`` is the number of the
    cell that it fails because of (0: none). ``detail`` says in a sentence why it is not healed or was reverted.
    """

    cell: Cell
    number: int
    status: Status
    failure: tuple[Failure, ...] = ()
    diagnosis: Diagnosis = Diagnosis(cause="")
    candidate: tuple[Candidate, ...] = ()
    proven_from: tuple[Start, ...] = ()
    cascade_of: int = 0
    detail: str = ""
    seconds: float = 0.0
    cost: Cost = Cost()
    edits: tuple[Edit, ...] = ()
    """The fix as it stands in the file: cells that ran first are moved, installations are cells."""
    run: str = ""
    """The journal of its heal: what `jupyter selfheal trace` is to be given."""
    cost_by: Mapping[str, Cost] = field(default_factory=dict)
    """What each of those who are paid has cost: the language model, the judge, the critic."""
    attempts: int = 0
    """How many patches were tried for it."""
    reason: str = ""
    """Why its heal ended (:class:`~jupyter_selfheal.model.Reason`); empty where none was tried."""
    questions: tuple[Question, ...] = ()
    """What decides between its fixes, where none was applied."""
    stored: Comparison = NOTHING
    """How what the cell put out in the final clean run compares with what the file held, by the one rule for outputs."""
    differs: bool = False
    """It runs, and gives another value than stored, which it would not do by chance."""
    paused: bool = False
    """Its heal did not come to its end because something outside failed: a service, the network, a key."""
    was_warned: bool = False
    """It ran as it was given: what is healed is something that it was warned of."""
    changed: bool = False
    """A healthy cell that gives something else since the fixes; its new output is written."""
    without: Without = Without()
    """What the cells below did without its fix."""
    failed_below: int = 0
    """The number of the cell whose failure it stands with, where that is not its own: it ran, and a cell below failed of what it did."""

    @property
    def own_failure(self) -> tuple[Failure, ...]:
        """The failure, where the cell itself failed."""
        return () if self.failed_below else self.failure

    @property
    def cause(self) -> str:
        """What was wrong, in words."""
        if self.cascade_of:
            return f"follows from cell {self.cascade_of}"
        if self.candidate and self.candidate[0].patch.cause:
            return self.candidate[0].patch.cause
        return self.diagnosis.cause

    @property
    def is_fix_unrun(self) -> bool:
        """Whether its fix is that of its own fault and was not run to its end, as it waits for another cell: it is known, and nothing is proven."""
        return bool(self.candidate) and self.status is Status.CASCADE

    @property
    def headline(self) -> str:
        """The failure on one line."""
        if not self.failure:
            return ""
        failure = self.failure[0]
        if self.failed_below:
            return f"cell {self.failed_below} failed of it: {failure.headline}"
        if failure.kind is FailureKind.TIMED_OUT:
            return f"Timed out after {failure.seconds:.0f} s."
        if failure.kind is FailureKind.MISSED:
            return f"missed: {failure.evalue}" if failure.evalue else "missed its expectation"
        return failure.death or failure.headline


@dataclass(frozen=True, slots=True)
class CellDrift:
    """A cell that ran before and after healing: seconds of both, whether it gives another value now, and the most memory (MiB) that its
    kernel had had by its end; 0 where that is not known."""

    number: int
    before: float
    after: float
    other_value: bool = False
    before_mb: float = 0.0
    after_mb: float = 0.0


@dataclass(frozen=True, slots=True)
class Review:
    """A review: how many cells were looked at, and what speaks against them. Nothing was changed because of it."""

    cells: int
    doubts: tuple[Doubt, ...] = ()
    note: str = ""
    """What was not looked at, and why; empty where there is nothing to say."""
    cost: Cost = Cost()

    def drop_reverted(self, records: Sequence[Record]) -> Review:
        """Without what was said of fixes that were taken back."""
        reverted = {r.cell.id for r in records if r.status is Status.REVERTED}
        return replace(self, doubts=tuple(d for d in self.doubts if d.cell_id not in reverted))


@dataclass(frozen=True, slots=True)
class FileChange:
    """A fix of a file beside the notebook: ``diff`` is a unified one, ``status`` says whether it was written, and if not, why not."""

    path: str
    diff: str
    title: str
    status: str
    written: bool = False


@dataclass(frozen=True, slots=True)
class CellWarning:
    """What a cell's own line was warned of: ``status`` is ``healed``, ``offered`` or ``not healed``; ``title`` the fix, if there is one."""

    cell: int
    headline: str
    status: str
    title: str = ""


def offer_warnings(warnings: Sequence[CellWarning], cells: Collection[int] | None = None) -> tuple[CellWarning, ...]:
    """The warnings, those of ``cells`` (all, where none are given) whose healing was taken back as offered."""
    return tuple(
        replace(w, status="offered") if w.status == "healed" and (cells is None or w.cell in cells) else w
        for w in warnings
    )


def ignore_warning(record: Record) -> Record:
    """The record of a cell whose warning is not healed after all: it runs, as it did when it was given."""
    return Record(record.cell, record.number, Status.RAN, seconds=record.seconds, stored=record.stored)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another environment that the notebook was run in, and the cells (number, failure) that fail there with what was applied."""

    name: str
    failing: tuple[tuple[int, str], ...] = ()

    @property
    def words(self) -> str:
        """One line for a person."""
        if not self.failing:
            return f"with {self.name} every cell runs that should"
        cells = "; ".join(f"cell {number} fails: {headline}" for number, headline in self.failing)
        return f"with {self.name} {cells}"


@dataclass(frozen=True, slots=True)
class NotebookReport:
    """One notebook: its cells as given, the healed notebook, and how sure we are of it.

    ``error`` is set, and everything else nearly empty, where the notebook could not be run at all. ``survived``: the
    whole healed notebook was run in a clean kernel and nothing that ran before fails there.
    """

    path: str
    written: str = ""
    records: tuple[Record, ...] = ()
    given: Notebook = Notebook()
    healed: Notebook = Notebook()
    isolation: Isolation | None = None
    survived: bool = False
    was_run: bool = True
    """False where the clean run that would show whether it survives could not be made."""
    ran_beside: bool = False
    """That run began while the notebook was healed: its seconds are more than it takes alone."""
    notes: tuple[str, ...] = ()
    error: str = ""
    seconds: float = 0.0
    fixes: tuple[str, ...] = field(default=())
    """Titles of the fixes that were applied, in order."""
    review: Review | None = None
    """What a review said of the cells that ran; None where none was asked for."""
    unchanged: bool = False
    """It ran before, and nothing that it depends on has changed since: it was not run again."""
    files: tuple[FileChange, ...] = ()
    """Fixes of the project's own files."""
    drifts: tuple[CellDrift, ...] = ()
    """Run time and outputs before and after, of the cells that can be compared; see :mod:`.drift`."""
    warnings: tuple[CellWarning, ...] = ()
    """What cells that run are warned of, where that was asked for."""
    elsewhere: tuple[Elsewhere, ...] = ()
    """The other environments that it was to run in, and what fails there."""

    @property
    def name(self) -> str:
        """What it is called where it is one of many: its path as it was named, or found; of an absolute one the file alone."""
        path = PurePath(self.path)
        return path.name if path.is_absolute() else path.as_posix()

    @property
    def cost(self) -> Cost:
        review = self.review.cost if self.review is not None else Cost()
        return sum((r.cost for r in self.records), review)

    @property
    def runs(self) -> tuple[str, ...]:
        """The journals of its heals, in order."""
        return tuple(r.run for r in self.records if r.run)

    @property
    def reproduced_outputs(self) -> tuple[int, int]:
        """(n, of m): healed cells with a stored output to compare with, and how many of them reproduce it, be it in another form."""
        asked = [r.stored for r in self.records if r.status is Status.HEALED and r.stored.can_decide]
        return sum(not s.differs for s in asked), len(asked)

    @property
    def clean_run_words(self) -> str:
        """What the run of the healed notebook in a clean kernel showed; never that all of it ran where a cell still fails."""
        if not self.was_run:
            return "the healed notebook was NOT run as a whole in a clean kernel"
        if not self.survived:
            return "NOT everything that ran before runs in a clean kernel"
        failing = self.count(*BROKEN)
        if not failing:
            return "the whole healed notebook ran in a clean kernel"
        still = "1 cell still fails" if failing == 1 else f"{failing} cells still fail"
        return f"what is healed holds in a clean kernel; {still}"

    def number_of(self, cell_id: str) -> int:
        """The number of a cell, as its record has it; 0 where it has none."""
        return next((r.number for r in self.records if r.cell.id == cell_id), 0)

    @property
    def differing(self) -> tuple[Record, ...]:
        """The cells that run, but give another value than is stored for them."""
        return tuple(r for r in self.records if r.differs)

    @property
    def changed_cells(self) -> tuple[Record, ...]:
        """The healthy cells that give something else since the fixes."""
        return tuple(r for r in self.records if r.changed)

    def count(self, *statuses: Status) -> int:
        return sum(r.status in statuses for r in self.records)

    @property
    def paused_cells(self) -> tuple[Record, ...]:
        """The cells that are not healed because something outside failed."""
        return tuple(r for r in self.records if r.paused and r.status is Status.NOT_HEALED)

    @property
    def exit_code(self) -> int:
        """0 everything runs (or is meant to fail), 1 something is still broken, 2 it could not be run, something outside kept a cell from being
        tried, or what was healed could not be run as a whole."""
        if self.error or self.paused_cells:
            return 2
        if self.count(*BROKEN) or any(e.failing for e in self.elsewhere):
            return 1
        return (1 if self.was_run else 2) if self.count(Status.HEALED) and not self.survived else 0

    @property
    def summary(self) -> str:
        """One line for a person."""
        if self.error:
            return self.error
        fails_with = ", ".join(e.name for e in self.elsewhere if e.failing)
        return f"{self._own_summary}; fails with {fails_with}" if fails_with else self._own_summary

    @property
    def _own_summary(self) -> str:
        parts = [
            status.describe_count(self.count(status))
            for status in Status
            if status is not Status.RAN and self.count(status)
        ]
        if self.unchanged:
            return "unchanged since it ran without a failure"
        if not self.records:
            return "it has no code cell"
        if not parts:
            return "the 1 code cell runs" if len(self.records) == 1 else f"all {len(self.records)} code cells run"
        cells = "1 code cell" if len(self.records) == 1 else f"{len(self.records)} code cells"
        unproven = f"; {self.clean_run_words}" if self.count(Status.HEALED) and not self.survived else ""
        return f"{cells}: {self.count(Status.RAN)} ran, {', '.join(parts)}{unproven}"
