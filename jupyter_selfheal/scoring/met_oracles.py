"""Which oracles a patch meets, and what each is worth: 8 to 10 (docs: "Oracles, strongest first")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.scoring.comparison import Comparison
from jupyter_selfheal.scoring.evidence import Evidence


@dataclass(frozen=True, slots=True)
class MetOracle:
    """What says that a patch is right: the ``score`` where it stands alone, and what it ``adds`` to a stronger one."""

    score: float
    adds: float
    proof: str
    reason: str


def list_met_oracles(evidence: Evidence, *, is_safe: bool, is_reasoned: bool = False) -> Iterator[MetOracle]:
    """The oracles that a patch meets, strongest first.

    A patch that is not safe is not proven by an output that says nothing of what was computed: a search finds a change
    that prints "Saving figure 3" or a lone 0 in no time, and a rule's fix prints "Stock updated" whatever it did to the stock. A collection that
    the cell builds of what stands in it says enough of a fix ``is_reasoned`` about: no luck chose that one.
    """

    def says(output: Comparison) -> bool:
        return output.same and (output.tells or is_safe or (is_reasoned and output.built))

    for name in dict.fromkeys(part.name for part in evidence.user):
        yield MetOracle(9.2, 0.3, name, f"The {name} you asked for is met.")
    if evidence.doctests.all_held:
        yield MetOracle(9.0, 0.2, "doctests", format_count(evidence.doctests.held, "doctest example", "", "hold"))
    for finding in evidence.findings:
        if finding.all_held:
            yield MetOracle(finding.weight, finding.adds, finding.name, f"All {finding.held} {finding.name} hold.")
    if evidence.own_asserts:
        yield MetOracle(
            8.8,
            0.2,
            "asserts in the cell",
            format_count(evidence.own_asserts, "assert", "in the patched cells", "hold"),
        )
    below_held = evidence.deciding.held + evidence.others.held
    if below_held and below_held == evidence.deciding.asked + evidence.others.asked:  # wherever the patch stands
        yield MetOracle(8.7, 0.2, "asserts below", format_count(below_held, "assert", "below", "hold"))
    elif evidence.deciding.all_held:
        yield MetOracle(8.7, 0.2, "asserts below", format_count(evidence.deciding.held, "assert", "below", "hold"))
    if says(evidence.output):
        weight = 8.0 if evidence.output.weight < 3 else 8.5
        yield MetOracle(weight, 0.3, "stored output", "The output stored in the notebook is reproduced.")
    held = sum(below.asserts for below in evidence.below if below.ran)
    if held and not evidence.deciding.asked:
        yield MetOracle(8.3, 0.1, "asserts below", format_count(held, "assert", "in the cells below", "hold"))
    if mended := len(evidence.calls.mended):
        again = format_count(mended, "cell", "above", "give", "what is stored and did not before")
        yield MetOracle(8.0, 0.5, "cells above", again)
    n = sum(below.ran and not below.missed and says(below.output) for below in evidence.below)
    if n:
        yield MetOracle(8.0, 0.2, "cells below", format_count(n, "cell", "below", "print", "what is stored"))


def format_count(n: int, noun: str, where: str, verb: str, rest: str = "") -> str:
    """``1 assert below holds.``, ``2 asserts below hold.``"""
    counted, does = (noun, verb + "s") if n == 1 else (noun + "s", verb)
    return " ".join(word for word in (str(n), counted, where, does, rest) if word) + "."
