"""What a judging model is asked about, and how much its word may decide.

It is asked where nothing that ran is proof, and about proofs that are weak: it may speak against those. It lifts no doubt that
evidence raised, and makes nothing of a free healer's good enough: a model that is on must never make a case worse than one that
is off.
"""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal.model import Applicability, Patch, Verdict
from jupyter_selfheal.registry import load_traits
from jupyter_selfheal.scoring.evidence import Evidence

MOST, DOUBTED = 8.0, 6.0
"""The most that a judge's word is worth, and where evidence raised a doubt."""

UNPROVEN = 6.5
"""The most that a free healer's patch gets by it: as much as without a judge, where all cells below run."""

SPECIFICATION = "specification"
"""The proof where a judge held a cell against words of the user's; without such words it is "judge" and proves nothing by itself."""


def list_to_be_judged(patches: Sequence[Patch], seen: Sequence[Evidence], verdicts: Sequence[Verdict]) -> list[int]:
    """Indices of the patches that a judge is asked about: the undecided ones where no sibling is proven; where one is, only those
    whose proof is weak."""
    weak = [n for n, v in enumerate(verdicts) if v.oracle_met and is_weak_proof(patches[n], seen[n], v)]
    if any(v.oracle_met for n, v in enumerate(verdicts) if n not in weak):
        return []
    open_ = [n for n, v in enumerate(verdicts) if not v.oracle_met and _is_undecided(patches[n], seen[n], v)]
    return weak or open_


def _is_undecided(patch: Patch, seen: Evidence, verdict: Verdict) -> bool:
    settled = patch.applicability is Applicability.SAFE or verdict.needs_word
    return seen.ran and verdict.plausible and not settled


def is_weak_proof(patch: Patch, seen: Evidence, verdict: Verdict) -> bool:
    """Whether what proves a patch may come by chance: one stored value, one check of a guess, or a band-aid that it is met with."""
    if patch.applicability is Applicability.SAFE or seen.user:
        return False
    outputs_only = set(verdict.proofs) <= {"stored output", "cells below", "runs"}
    return (verdict.checks <= 1 and (outputs_only or load_traits(patch.healer).paid is False)) or bool(seen.band_aid)


def find_most_for_opinion(patch: Patch, seen: Evidence) -> tuple[float, str]:
    """The most that a judge's word may make of a patch that no oracle proves, and why it is not more (empty where nothing is)."""
    if seen.fixed:
        return DOUBTED, "A judge's word does not outweigh a result that does not follow its inputs."
    if seen.edited_data:
        return DOUBTED, f"It changes `{seen.edited_data}`, which the notebook is given."
    if seen.dodge:
        return DOUBTED, f"{seen.dodge}, and what holds with it may say nothing."
    if seen.own_raise:
        return DOUBTED, "The notebook raises this error itself, and no result shows that its check should not hold."
    if seen.output.differs or any(b.ran and b.output.differs for b in seen.below):
        return DOUBTED, "A judge's word does not outweigh a stored output."
    if seen.of_data:
        return DOUBTED, "The check looks at data: as likely they are at fault, not the code that looks."
    if seen.band_aid:
        return DOUBTED, f"It {seen.band_aid}, which may leave the cause."
    if not any(load_traits(name).paid for name in patch.healer.split("+")):
        return UNPROVEN, "Nothing that ran shows that it is right."
    return MOST, ""
