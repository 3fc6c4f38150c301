"""What was observed of one tried patch: the evidence that a verdict weighs."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_selfheal.model import Agreement
from jupyter_selfheal.scoring.comparison import NOTHING, Comparison

SKIPS, ENDS = "skips some rounds of a loop", "ends a loop early"
"""Remarks on a patch: it leaves out what failed."""


@dataclass(frozen=True, slots=True)
class Count:
    """So many were asked and so many held; ``why`` is the first that did not."""

    asked: int = 0
    held: int = 0
    why: str = ""

    @property
    def all_held(self) -> bool:
        return self.asked > 0 and self.held == self.asked


@dataclass(frozen=True, slots=True)
class CellBelow:
    """One dependent cell below: whether it ran, how its output compares, and whether another patch makes it run."""

    cell_id: str
    ran: bool
    error: str = ""
    output: Comparison = NOTHING
    runs_otherwise: bool = False
    missed: str = ""
    """How it misses its own expectation, empty where it has none or meets it."""
    misprinted: str = ""
    """How what it prints differs from the text that is expected of it; empty where none is, or it does not."""
    asserts: int = 0
    """Asserts that run with it."""
    own_work: bool = False
    """As :attr:`Evidence.own_work`; asked only where its output differs in value."""
    is_same_program: bool = False
    """As :attr:`Evidence.is_same_program`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one more oracle saw: how many of its checks held, and what that is worth."""

    name: str
    """What holds, in the plural: "property tests"."""
    asked: int
    held: int
    why: str = ""
    """The first that did not hold, in words."""
    weight: float = 8.5
    """The score where all hold and nothing stronger speaks, from 8 to 10."""
    adds: float = 0.2
    """What it adds to a stronger one."""

    @property
    def all_held(self) -> bool:
        return self.asked > 0 and self.held == self.asked


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an oracle: what it is called, whether it was met, and what differed (empty where it was met)."""

    name: str
    met: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class SeenCalls:
    """How the calls of earlier cells compare under the patch.

    ``differed`` says each that gives something else, in words; ``functions`` are what was called there, for who may not see
    values; a cell that gave what is stored for it and gives another value now is among them. ``excused`` give something else too,
    and what they gave is not what the notebook stores. ``restored`` ones give something else too, as the patch gives again what a library gave
    before a release, nothing is stored for the cell that says the new release's value is right, and something of that library is given
    there or comes of it; of ``unclear`` ones, in words, nothing is. ``mended`` cells give what is stored for them, and did not before;
    ``settled`` are the calls that they made. ``left`` is a cell that another patch mends, and this one does not. ``is_open``: the failure is that of a wrong value, so that a right fix may change others.
    """

    agreed: int = 0
    differed: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    excused: int = 0
    restored: int = 0
    release: str = ""
    unclear: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    left: str = ""
    is_open: bool = False

    @property
    def contradiction(self) -> str:
        """What says that the patch is wrong, in words; empty where nothing does."""
        if self.is_open or not self.differed:
            return ""
        return f"It changes what an earlier call gave, and nobody complained of that: {self.differed[0]}."

    @property
    def without_values(self) -> str:
        """The same for the next attempt: values stay here."""
        names = ", ".join(f"`{name}`" for name in self.functions)
        what = f"earlier calls of {names} gave" if names else "a cell above gives"
        return f"it changes what {what}, which nobody complained of: keep that"

    @property
    def in_numbers(self) -> tuple[str, ...]:
        """How many calls were compared, in one sentence; none where there were none."""
        differ = len(self.differed) + self.excused + self.restored + len(self.unclear)
        if not (self.agreed or differ):
            return ()
        agreed = f"{self.agreed} earlier call" + ("" if self.agreed == 1 else "s")
        wrong = f" (of {self.excused} of them the notebook stores something else)" if self.excused else ""
        wrong += f" ({self.restored} of them gave what they give since {self.release} only)" if self.restored else ""
        return (f"It agrees on {agreed}; differs on {differ or 'none'}{wrong}.",)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything observed of one tried patch.

    ``ran``: the cell ran to its end. ``progress`` (0-3) says how far a failing one came: 0 nowhere, 1 the same failure,
    2 another failure at the same place, 3 past the failing statement. ``failure`` is its headline.
    """

    ran: bool
    progress: int = 0
    failure: str = ""
    inconclusive: str = ""
    cut_after: float = 0.0
    """Seconds after which the time limit ended the cell, behind its failure; 0 where it did not. Nothing that was seen speaks against the patch."""
    user: tuple[Part, ...] = ()
    doctests: Count = Count()
    example_mended: bool = False
    """An example of a docstring failed with the definition as it was, and holds now; asked only for handlers that a text asks for."""
    own_asserts: int = 0
    deciding: Count = Count()
    """Asserts below that depend on the patched cells alone."""
    others: Count = Count()
    """Asserts below that depend on other definitions too."""
    calls: SeenCalls = SeenCalls()
    """Calls that cells above made of what the patch changes."""
    output: Comparison = NOTHING
    below: tuple[CellBelow, ...] = ()
    drawn: bool = False
    """What the cell prints hangs on a random draw without a seed, or on a fitted model: other numbers than the stored ones say
    nothing."""
    own_work: bool = False
    """What the cell prints comes of the notebook's own code and of Python alone: no other release of a library gives other values."""
    is_same_program: bool = False
    """The cell is the program that an older release of Python or of a library ran: what it gives otherwise is a library's doing, and not the patch's."""
    agreement: Agreement = Agreement()
    """How far the notebook's healthy cells still give what is stored for them."""
    shifted: bool = False
    """A result became the same one with a constant more, or was cut, and no check stands for many values."""
    left_out: str = ""
    """A call that failed and is gone, with nothing in its place; empty where there is none."""
    other_data: str = ""
    """A column that is no longer read, where values of what was read are at fault; empty where there is none."""
    unscaled: str = ""
    """Why the asserts do not say which number a text was to be read as; empty where they do, or no number was read."""
    other_label: str = ""
    """A text that the failure names and that is gone, with nothing like it in its place; empty where there is none."""
    rival: str = ""
    """What another change that meets the same few checks does otherwise."""
    printed_alone: int = 0
    """Values of the expected text, where nothing but that text says that a cell which ran was wrong; else 0."""
    of_data: bool = False
    """The assert that failed looks at data; code that looks at them is not proven by passing it."""
    own_raise: bool = False
    """The error is one that the notebook raises itself: passing its check is no proof that what it checks is right."""
    threads_left: bool = False
    """What failed was a thread, and one that the fixed cell started still ran when its trial ended: it may fail later."""
    specified: bool = False
    """Somebody said in words what the cell is for."""
    band_aid: str = ""
    """How the patch treats the symptom though a cause may be left; empty where it does not."""
    fixed: str = ""
    """What of the result stays the same whatever the cell is given, though an answer should follow it; empty where nothing does."""
    edited_data: str = ""
    """What is written down and changed by the patch, a variable or the text of a collection; empty where there is none."""
    scarce: str = ""
    """Somebody wrote the patch to give what is known, and that is hardly more than one value."""
    dodge: str = ""
    """How the patch makes what is asked hold whatever comes out; empty where it does not."""
    avoided: str = ""
    """The function that failed inside and is called less often now, though it is as it was; empty where there is none."""
    left_fault: str = ""
    """What is wrong still in a function that the patch changes, by its text alone; empty where nothing is known to be."""
    untold: str = ""
    """A slip with which the few checks would hold as well; empty where they tell enough, or it is not known."""
    findings: tuple[Finding, ...] = ()
    """What oracles saw that have no place of their own here."""
    tampering: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def checks(self) -> int:
        """Single values that were compared and held."""
        below = sum(b.asserts for b in self.below if b.ran)
        held = (
            sum(f.held for f in self.findings)
            + self.doctests.held
            + self.own_asserts
            + max(self.deciding.held + self.others.held, below)
        )
        return len(self.user) + held + (self.output.computed if self.output.same else 0)
