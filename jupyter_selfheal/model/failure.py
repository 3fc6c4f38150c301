"""What went wrong in a cell, and what it is believed to come from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from jupyter_selfheal.model.notebook import Output
from jupyter_selfheal.numbers import read_number

_FITS = re.compile(r"\s*All the \d+ fits failed\.")
_BLOCK = re.compile(r"(?m)^-{20,}\n(\d+) fits failed with the following error:\n")
_FRAME = re.compile(r'(?m)^  File "([^"\n]+)", line (\d+), in (.+)\n(?:    (.*)\n)?')
_RAISED = re.compile(r"(?m)^(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?:: (.*(?:\n.*)*))?$")

_LONGEST = 200
"""Characters of a headline."""

_PLACE = re.compile(r" \((?:<[^<>]*>|[\w.-]+\.py), line \d+\)$")
"""What Python writes behind a syntax error; the name of the file is one that IPython made up."""

MADE_UP_PLACE = re.compile(r"\((?:\d{5,}\.py|<ipython-input-[^()>]{1,80}>), line (\d+)\)")
"""Where a message of a syntax error names a file that a kernel made up for its cell; the line in it is right."""

_LIBRARY = re.compile(r" \((?:/|[A-Z]:\\)[^()]*\)$")
"""The library's file, which Python writes behind a name that cannot be imported."""


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


OTHER_THAN_STORED = "another value than the stored one"
"""The words of a failure that nothing but a stored output tells."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing cell, as it happened.

    ``line`` (1-based, in the failing cell; 0 unknown) and ``statement`` (0-based index of the failing top-level
    statement; -1 unknown) locate it; ``frames`` run from the cell inwards. ``evalue`` is the message as raised,
    ``traceback`` the plain text without colours. ``seconds`` is how long the cell ran until it failed. ``is_aside``: a thread,
    a widget's callback or how an object is shown failed, the cell itself ended well.
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
    is_aside: bool = False

    @property
    def headline(self) -> str:
        """``NameError: name 'pd' is not defined``, on one line of at most 200 characters; a missed expectation by its words alone."""
        first = self.evalue.strip().splitlines()[0].rstrip(" :") if self.evalue.strip() else ""
        first = first if first.endswith("..") else first.removesuffix(".")  # more follows it, in a card say
        if self.kind is FailureKind.SYNTAX:
            first = _PLACE.sub("", first)
        if self.ename == "ImportError":
            first = _LIBRARY.sub("", first)
        if first and self.ename == "ExpectationMissed":
            return _cut_text(first[0].upper() + first[1:])
        if (held := self.held) is not None:
            return _cut_text(f"{first.rstrip('.')}: {held.headline}")
        return _cut_text(f"{self.ename}: {first}" if first else self.ename)

    @property
    def is_silent(self) -> bool:
        """It is nothing but another value than the stored one, of a cell that nobody said anything of."""
        return self.kind is FailureKind.MISSED and self.evalue == OTHER_THAN_STORED

    @property
    def is_warning(self) -> bool:
        """It is a warning that was made an error (``FutureWarning``, ``MatplotlibDeprecationWarning``), told by its name."""
        return self.ename.endswith("Warning")

    @property
    def death(self) -> str:
        """How the kernel died, in words without the class that we gave it, which no user knows; empty where it did not."""
        where = f" at line {self.line}" if self.line else ""
        said = f"The kernel died{where}" + (f": {self.evalue}" if self.evalue else ".")
        return said if self.kind is FailureKind.DIED else ""

    @property
    def held(self) -> Failure | None:
        """The failure whose traceback stands in this one's message, with the frames of that text, which are in no cell yet: scikit-learn's
        ``All the 30 fits failed`` (``_warn_or_raise_about_fit_failures``); of several the one that came up most often."""
        blocks = _BLOCK.split(self.evalue)[1:] if self.ename == "ValueError" and _FITS.match(self.evalue) else []
        if not blocks:
            return None
        text = max(zip(blocks[::2], blocks[1::2], strict=True), key=lambda block: int(block[0]))[1]
        found = list(_FRAME.finditer(text))
        raised = _RAISED.search(text, found[-1].end()) if found else None
        if raised is None:
            return None
        frames = tuple(Frame(m[1], int(m[2]), m[3], (m[4] or "").strip()) for m in found)
        return replace(self, ename=raised[1], evalue=(raised[2] or "").strip(), frames=frames, traceback=text)


def _cut_text(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class SkipReason(StrEnum):
    """Why a failure must be left alone: no code is rewritten for it. The values are what a user reads."""

    DELIBERATE = "deliberate"
    SKELETON = "skeleton"
    """An exercise that is still open."""
    MISSING_DATA = "missing data"
    MISSING_CREDENTIAL = "missing credential"
    BAD_DATA = "bad data"
    NETWORK = "network"
    NOT_PYTHON = "not python"
    INPUT = "input"
    """The cell asks a person for input."""
    MISSING_MODULE = "missing module"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"
    ENVIRONMENT = "environment"
    """Something else outside of the notebook, as a model believes."""
    OWN_CHECK = "own check"
    """The notebook's own code refuses what it is given: left alone in the end, but what led to it may be a fault that
    somebody can show to be mended, so that everyone may be asked."""

    FLAKY = "flaky"
    """It fails in some runs and not in others. Whoever knows why may be asked; what merely makes it pass once proves nothing."""

    @property
    def is_final(self) -> bool:
        """True where nobody is asked for a patch."""
        return self not in (SkipReason.OWN_CHECK, SkipReason.FLAKY)

    @property
    def words(self) -> str:
        """The reason as the end of a sentence: "Not changed: a data file is missing"."""
        return _SKIP_WORDS[self]


_SKIP_WORDS = {
    SkipReason.DELIBERATE: "the cell raises this on purpose",
    SkipReason.SKELETON: "the cell is not finished yet",
    SkipReason.MISSING_DATA: "a data file is missing",
    SkipReason.MISSING_CREDENTIAL: "a key or password is missing",
    SkipReason.BAD_DATA: "the data is at fault, not the code",
    SkipReason.NETWORK: "the network or a service did not answer",
    SkipReason.NOT_PYTHON: "this is not Python",
    SkipReason.INPUT: "the cell asks for input",
    SkipReason.MISSING_MODULE: "a module is not installed",
    SkipReason.INTERRUPTED: "you stopped the cell",
    SkipReason.MEMORY: "there is not enough memory",
    SkipReason.ENVIRONMENT: "the cause is outside of the notebook",
    SkipReason.OWN_CHECK: "the notebook's own check refuses what it is given",
    SkipReason.FLAKY: "it fails in some runs and not in others",
}


MAY_BE_MEANT = "The saved output is the same error: it may be meant."
"""What is said of a fix where :attr:`Diagnosis.may_be_meant`, and where there is none."""


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

    ``skip_reason`` says why it must be left alone, None where healing may go on. ``advice`` says what the user can do.
    ``confidence`` is 0–100. ``kept``: the notebook was saved with this error, and its author had gone on below it.
    ``may_be_meant``: then nothing tells whether to show it or because it was left behind; a fix is offered and not applied.
    """

    cause: str
    locus: Locus = Locus.CODE
    cell_id: str = ""
    confidence: int = 100
    skip_reason: SkipReason | None = None
    advice: str = ""
    kept: bool = False
    may_be_meant: bool = False

    def __post_init__(self) -> None:
        if read_number(self.confidence, 0, 100) is None:
            raise ValueError(f"no diagnosis: confidence {self.confidence!r} of 100")
