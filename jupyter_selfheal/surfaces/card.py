"""What the user sees of a heal, as plain data: the widget draws it, the terminal prints it, a saved notebook keeps its text.

A card is built anew for every change from what is known; nothing here touches the shell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from jupyter_selfheal.magic_options import restore_heal_line
from jupyter_selfheal.model import JSON, Applicability, Candidate, Proposal, Reason, Trial

ACCEPTED = 7.0
"""The score from which a fix may be applied without a word of the user's, as in a batch (``c.SelfHeal.accept``)."""

CONTINUES = {
    Reason.OVER_BUDGET: "the same allowance once more",
    Reason.EXHAUSTED: "as many attempts once more",
    Reason.REJECTED: "looks for other fixes",
    Reason.INFRASTRUCTURE: "asks again, once the service or its key is there",
}
"""What *Continue* does, by the limit at which a heal waits."""


def list_ways_on(reason: Reason) -> tuple[str, ...]:
    """What lets a heal go on that waits at a limit: money where money is short, a hint where ideas are, and neither where a service is down."""
    further = {Reason.OVER_BUDGET: ("budget",), Reason.INFRASTRUCTURE: ()}
    return ("continue", *further.get(reason, ("retry",)))


@dataclass(frozen=True, slots=True)
class Card:
    """One heal as it stands.

    ``phase``: healing, proposed, paused, closed, applied. ``status`` is the line on top. ``fresh`` is False once the kernel
    ran other cells (``ran_since`` of them) after the proposal.
    """

    run: str
    cell_id: str
    headline: str
    phase: str = "healing"
    status: str = ""
    paused_by: Reason = Reason.EXHAUSTED
    """Which limit it waits at, while ``phase`` is paused."""
    cause: str = ""
    advice: str = ""
    attempts: tuple[str, ...] = ()
    proposal: tuple[Proposal, ...] = ()
    notes: tuple[str, ...] = ()
    instructions: str = ""
    ran_since: int = 0
    stale: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Cells that ran since the failure, by id: their name, then what they read of what the fix makes. They ran with the old value."""
    expired: bool = False
    """True: its frozen states had to go. What is to be tested next is tested from the state as it is then."""
    draft: str = ""
    """The user's own version, from when it was given until it was tested."""
    resumable: tuple[str, ...] = ()
    """Ids of the patches with which the statements before the failing one need not run again: that was tried, and repeats nothing."""
    repeats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By patch id: what approving does that the cell did already before it failed."""
    reruns: Mapping[str, Trial] = field(default_factory=dict)
    """By patch id: the trial of doing so, where there was one: what approving will show."""
    undo: tuple[JSON, ...] = ()
    model_off: str = "no model is configured"
    """Why no model can be asked; empty where one can."""
    asks_consent: bool = False
    """True: the user wants the model asked, and was told what that sends."""
    auto: bool = False
    """True: the user switched on that safe patches are applied without asking."""
    auto_by: str = ""
    """Which of the views that show this heal was told to do so; empty until one has asked."""
    is_ahead: bool = False
    """True: the cell was not run yet; it failed in a copy of the kernel, and was healed there."""
    can_run: bool = True
    """False: cells above it must run first, so that the fix is put in and not run."""
    page: int = 0
    explanation: tuple[str, ...] = ()
    """Why it failed, in sentences read when it did; a line that begins with blanks belongs to the one above it."""
    teach: bool = False
    """True: the explanation and a hint come first, and the fix when it is asked for (``c.SelfHeal.teach``)."""
    revealed: bool = False
    """Whether the fix was asked for."""
    hint: str = ""
    """Where to look, without what to write."""
    welcomes: bool = False
    """True: the first card that its user sees, which says in three lines what this is."""
    has_page: bool = True
    """False: no page of the JupyterLab extension shows it, so that what only such a page has is not spoken of."""
    written: Mapping[str, str] = field(default_factory=dict)
    """Cells as they stand in the notebook, by id, where that is not what runs: with a ``%%heal`` line, say."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.proposal[0].candidates if self.proposal else ()

    def find_candidate(self, patch_id: str = "") -> Candidate | None:
        """The candidate of that patch, else the one shown."""
        candidates = [c for c in self.candidates if c.patch.id == patch_id] or list(
            self.candidates[self.page : self.page + 1]
        )
        return candidates[0] if candidates else None

    @property
    def hides_fix(self) -> bool:
        """Whether there is a fix which is not shown yet."""
        return self.teach and not self.revealed and self.phase == "proposed"

    @property
    def can_resume(self) -> bool:
        """Whether the candidate that is shown can be resumed."""
        candidate = self.find_candidate()
        return candidate is not None and candidate.patch.id in self.resumable

    @property
    def shown_repeats(self) -> tuple[str, ...]:
        """What approving the candidate that is shown does a second time."""
        candidate = self.find_candidate()
        return self.repeats.get(candidate.patch.id, ()) if candidate else ()

    @property
    def automatic_way(self) -> str:
        """How ``%heal auto`` applies it: ``run``, or ``resume`` where running the whole cell would repeat what it did before it
        failed. Empty: it is not applied without a word of the user's."""
        candidate = self.find_candidate()
        if not self.auto or self.phase != "proposed" or candidate is None or self.ran_since or self.hides_fix:
            return ""
        verdict = candidate.verdict
        is_safe = candidate.patch.applicability is Applicability.SAFE and verdict.plausible
        is_safe = is_safe and verdict.score >= ACCEPTED
        if not is_safe or self.proposal[0].needs_consent or self.proposal[0].blocking:
            return ""
        if not self.shown_repeats:
            return "run"
        return "resume" if self.can_resume else ""

    def restore_source(self, source: str) -> str:
        """A source of the failing cell as it stands in the notebook."""
        return restore_heal_line(self.written.get(self.cell_id, ""), source)

    def with_(self, **changes: object) -> Card:
        return replace(self, **changes)  # type: ignore[arg-type]
