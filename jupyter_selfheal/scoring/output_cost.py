"""What an output that differs in value costs: what the same output would have earned, less where stored outputs are stale.

How stale they are is measured on the notebook itself: the share of its healthy, repeatable cells that still give what is stored
for them. Where they do, another value is as strong a sign as the same one. Where half of them do not, it says little, and a
*safe* rule keeps its 7. Where nothing is known, it keeps its 7 only while most of what was computed is as stored, and only where a library may have changed it: what comes of the
notebook's own code alone is the patch's doing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from jupyter_selfheal.inside.difference import SHOWN, show_value
from jupyter_selfheal.model import Agreement
from jupyter_selfheal.scoring.comparison import Comparison
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.output_text import mask_number, split_tokens

EARNED = 3.0
"""What the stored output earns a patch that nothing else decides on: 8 instead of 5."""

WITHHELD = 6.5
"""The most that a patch scores which gives something else than a notebook stores that is not stale: shown, not applied."""

_FREQUENCY = re.compile(r"\bFreq: (\d*)([A-Za-z]+)((?:-[A-Z]+)?)")

_UNUSED = re.compile(
    r"<(?:bound method|built-in (?:method|function)|function|generator object|(?:map|filter|zip) object)\b"
)
"""What a cell shows that does not call, or go through, what it names: it cannot give what is stored, whatever a cell above gives."""

_FREQUENCIES = {"A": "YE", "AS": "YS", "BA": "BYE", "BAS": "BYS", "BM": "BME", "BQ": "BQE", "BY": "BYE", "L": "ms", "M": "ME", "Q": "QE",
                "T": "min", "U": "us", "Y": "YE"}  # fmt: skip
"""Names of frequencies until pandas 2.2 that it has changed by more than their case."""

SAME_PROGRAM = (
    "The patch only writes the same program for the releases here (Python 3's syntax, a library's new name, an argument by its name):"
    " the difference comes from a library's release or from data, not from the patch."
)


class Age(Enum):
    """How far the stored outputs of a notebook can be relied on."""

    FRESH = "fresh"
    UNKNOWN = "unknown"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Charge:
    """What is taken off for outputs that differ in value.

    ``most`` is the most that is left. ``spares_safe``: a safe rule keeps its 7 all the same. ``reasons`` and ``feedback`` say what
    differs, in words for the user and for the next attempt.
    """

    points: float = 0.0
    most: float = 10.0
    spares_safe: bool = True
    reasons: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Difference:
    """An output that differs in value, of the cell below of that id or, without one, of the healed cell."""

    cell_id: str
    compared: Comparison
    is_same_program: bool
    own_work: bool


def judge_age(agreement: Agreement) -> Age:
    """Fresh where at least two cells were compared and three of four agree, by the rule of succession; stale where half of them differ.

    The rule of succession, (agreed + 1) / (compared + 2), is what so few cells say of the next one: 2 of 2 and 5 of 6 are enough,
    3 of 4 are not.
    """
    if not agreement.compared:
        return Age.UNKNOWN
    if 2 * agreement.agreed <= agreement.compared:
        return Age.STALE
    return Age.FRESH if (agreement.agreed + 1) / (agreement.compared + 2) >= 0.75 else Age.UNKNOWN


def compute_charge(evidence: Evidence) -> Charge:
    """What the outputs of the healed cell, and of those that were run with it, cost a patch."""
    differing = list(_list_differences(evidence))
    if not differing:
        return Charge()
    reasons, feedback = _describe_differences(differing, evidence.agreement)
    least = min(d.compared.similarity for d in differing)
    points = 0.5 + 1.0 * (1.0 - least)
    age = judge_age(evidence.agreement)
    if evidence.user and all(part.met for part in evidence.user):
        return Charge(0.5, reasons=reasons, feedback=feedback)  # the user's word outweighs what was stored before it
    unexplained = [d for d in differing if not d.is_same_program]
    if not unexplained:
        return Charge(points, reasons=(*reasons, SAME_PROGRAM), feedback=feedback)
    own_work = any(d.own_work and not _only_adds_lines(d.compared) for d in unexplained)
    # that one other cell gives something else is no reason to hold what the notebook's own code is to give for stale
    is_stale = age is Age.STALE and (evidence.agreement.compared > 1 or not own_work)
    if (evidence.drawn and all(_has_same_words(d.compared) for d in unexplained)) or is_stale:
        return Charge(points, reasons=reasons, feedback=feedback)
    if age is Age.FRESH or _is_proven_by_outputs(evidence):
        return Charge(EARNED, WITHHELD, False, reasons, feedback)
    if own_work:
        return Charge(points, WITHHELD, False, reasons, feedback)
    return Charge(points, spares_safe=least >= 0.5, reasons=reasons, feedback=feedback)


def _has_same_words(comparison: Comparison) -> bool:
    """Whether nothing differs but numbers and the order: a table made of a dictionary had its columns by name until Python 3.6. How often a
    table's rows come is said in the library's words of then and of now (`Freq: M`, `Freq: ME`)."""
    texts = (_FREQUENCY.sub(_spell_frequency, text) for text in (comparison.stored, comparison.got))
    words, new = (sorted(map(mask_number, split_tokens(text))) for text in texts)
    return comparison.worded or words == new


def _spell_frequency(found: re.Match[str]) -> str:
    """One spelling for the names of a frequency until pandas 2.2 and since: `M` and `ME`, `A-DEC` and `YE-DEC`, `T` and `min`."""
    count, name, anchor = found.groups()
    return f"Freq: {count}{_FREQUENCIES.get(name, name).casefold()}{anchor}"


def _only_adds_lines(comparison: Comparison) -> bool:
    """Whether all that is stored comes again, line by line, with more between: somebody has added a ``print`` since."""
    new = iter(line.strip() for line in comparison.got.splitlines())
    return all(line.strip() in new for line in comparison.stored.splitlines() if line.strip())


def _is_proven_by_outputs(evidence: Evidence) -> bool:
    """Whether other stored outputs come again: those that do cannot prove what those that do not fail to disprove."""
    compared = (evidence.output, *(b.output for b in evidence.below if b.ran))
    return any(c.same and c.computed for c in compared)


def _list_differences(evidence: Evidence) -> Iterator[_Difference]:
    """Whose output differs in value, and how: the healed cell first, then the others that were run."""
    if evidence.output.differs:
        yield _Difference("", evidence.output, evidence.is_same_program, evidence.own_work)
    for below in evidence.below:
        if below.ran and below.output.differs and not _UNUSED.match(below.output.got):
            yield _Difference(below.cell_id, below.output, below.is_same_program, below.own_work)


def _describe_differences(
    differing: list[_Difference], agreement: Agreement
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One sentence for the first difference and one for how many there are besides; and what the next attempt should know."""
    first = differing[0].compared
    whose = "The output of a cell below" if differing[0].cell_id else "Its output"
    how = f"stored {show_value(first.stored, SHOWN)}, now {show_value(first.got, SHOWN)}"
    alike = f"({first.similarity:.0%} alike)"
    reasons = [f"{whose} differs in value from the one stored in the notebook {alike}: {how}."]
    if more := len(differing) - 1:
        reasons.append(f"{more} more output{'s differ' if more > 1 else ' differs'} from what is stored.")
    if agreement.compared:
        reasons.append(
            f"{agreement.agreed} of {agreement.compared} healthy cells compared still give{'s' if agreement.agreed == 1 else ''} what is stored for them."
        )
    feedback = tuple(
        f"the stored output {'of a cell below ' if d.cell_id else ''}was {show_value(d.compared.stored, SHOWN)}, the new one is {show_value(d.compared.got, SHOWN)}"
        for d in differing[:2]
    )
    return tuple(reasons), feedback
