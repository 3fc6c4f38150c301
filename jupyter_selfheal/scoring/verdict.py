"""From evidence to a score: what was seen of one tried patch, and what that is worth (docs: "Scoring, 0-10").

The ladder, accepted from 7 by default:

* 0-3: not run, still failing, the expected value missed, an oracle contradicted, or tampering;
* 4-8: it runs and no oracle speaks: a judge's word, else 7 for a *safe* rule and 5 for everything else;
* 8-10: an oracle is met; the user's own word is worth most, then asserts, then stored outputs, then the cells below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from jupyter_selfheal.model import UNCONFIRMED, Applicability, Patch, Verdict
from jupyter_selfheal.registry import USER, load_traits
from jupyter_selfheal.scoring.calibration import find_measured, name_kind
from jupyter_selfheal.scoring.comparison import Match
from jupyter_selfheal.scoring.evidence import Count, Evidence, Finding
from jupyter_selfheal.scoring.met_by_luck import describe_misprint, find_doubt_of_calls, find_doubt_of_guess
from jupyter_selfheal.scoring.met_oracles import format_count, list_met_oracles
from jupyter_selfheal.scoring.output_cost import Charge, compute_charge
from jupyter_selfheal.scoring.second_opinion import SPECIFICATION, find_most_for_opinion

CAP = 3.0
"""Tampering and a contradicted oracle score no higher."""


AGREED = 0.2
"""What calls of earlier cells that give what they gave add to an oracle that is met; by themselves they prove nothing."""

SEE_ALL = 15
"""Checks that meet whatever else is wrong in a function (``NEEDED`` of the search ends there)."""

FITTED = 6.0
"""A guess with a constant of its own and one check that it meets: shown, not applied."""

KNOWN_FAULT = 5.5
"""The most for what leaves a fault that is known: what mends that fault as well is shown before it."""

OFFERED = 3.5
"""What another value than the stored one leaves at least: up to 3 is for what somebody said, and the patch misses."""


GOES_ON = "A thread that the fixed cell starts still ran when the trial ended: whether it fails later was not seen."

CUT_SHORT = 4.0
"""A fix with a reason that got past the failure and was ended by the time limit: the least that may be offered."""

LONGER = "heal --trial-timeout SECONDS, live the setting `timeout`"

SAFE_RULE, UNDECIDED = 7.0, 5.0


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judge's word on a patch: 0-10, what is wrong with it, and how sure the judge was (0-100)."""

    score: float
    feedback: str = ""
    confidence: int = 100


@dataclass
class _Sheet:
    """A verdict while it is being written."""

    proofs: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    feedback: list[str] = field(default_factory=list)
    needs_word: bool = False


def build_verdict(patch: Patch, evidence: Evidence, opinion: Opinion | None = None) -> Verdict:
    """What the evidence is worth. Pure: equal evidence gives an equal verdict.

    ``opinion`` counts only where no oracle decides.
    """
    sheet = _Sheet()
    if not evidence.ran:
        return _build_failed_verdict(patch, evidence)
    charge = compute_charge(evidence)
    contradiction = next(_list_contradictions(evidence), None)
    if contradiction:
        score, met = _score_miss(evidence), False
        sheet.reasons.append(contradiction)
        sheet.feedback.append(
            evidence.calls.without_values if contradiction == evidence.calls.contradiction else contradiction
        )
    else:
        score, met = _weigh_evidence(patch, evidence, opinion, sheet)
        score = _subtract_remarks(score, evidence, charge, sheet, safe=patch.applicability is Applicability.SAFE)
        if evidence.threads_left:
            score = min(score, FITTED)
            sheet.reasons.append(GOES_ON)
    if evidence.tampering:
        score = min(score, CAP)
        sheet.reasons[:0] = [f"It {trick}." for trick in evidence.tampering]
        sheet.feedback += [f"the patch {trick}: heal the cause instead" for trick in evidence.tampering]
    plausible = not contradiction and not evidence.tampering
    guessed = not load_traits(patch.healer).reasoned
    measured = find_measured(name_kind(sheet.proofs, evidence.checks)) if met and plausible and guessed else None
    if measured is not None:  # only guesses were measured
        sheet.reasons.append(measured.sentence)
    return Verdict(
        patch.id,
        round(max(0.0, min(10.0, score)), 1),
        plausible,
        tuple(dict.fromkeys((*sheet.proofs, "runs"))),
        tuple(sheet.reasons),
        evidence.tampering,
        evidence.inconclusive,
        "; ".join(sheet.feedback),
        _measure_confidence(evidence, met, opinion, guessed=guessed),
        met and plausible,
        next(iter(charge.reasons), ""),
        needs_word=sheet.needs_word and plausible and not evidence.remarks,
        checks=evidence.checks,
        untold=evidence.untold,
    )


def _weigh_evidence(patch: Patch, evidence: Evidence, opinion: Opinion | None, sheet: _Sheet) -> tuple[float, bool]:
    """The score of a patch that nothing contradicts, and whether an oracle proves it."""
    guessed = not load_traits(patch.healer).reasoned
    is_safe = patch.applicability is Applicability.SAFE and not guessed
    score, met = _score_oracles(evidence, sheet, is_safe=is_safe, is_reasoned=not guessed)
    sheet.reasons += evidence.calls.in_numbers
    as_guess = guessed or bool(patch.guess_before)  # a chain is trusted as far as its weakest part
    doubt = (find_doubt_of_guess(evidence, patch) if as_guess else None) or find_doubt_of_calls(patch, evidence)
    if evidence.edited_data:
        doubt = f"It changes `{evidence.edited_data}`, which the notebook is given: as likely the code that reads it is at fault."
        sheet.feedback.append(f"`{evidence.edited_data}` is data: mend the code that reads it")
    if evidence.fixed:
        doubt = f"As if the answer were written down: {evidence.fixed}."
        sheet.feedback.append(f"{evidence.fixed}: compute it from its inputs")
    if evidence.dodge:
        doubt = f"{evidence.dodge}: what holds with it may say nothing."
        sheet.feedback.append(f"{evidence.dodge[0].lower()}{evidence.dodge[1:]}: mend the code that is asked")
    if leaves_fault := patch.healer != USER and bool(evidence.left_fault) and evidence.checks < SEE_ALL:
        doubt = f"A fault is left that no check sees: {evidence.left_fault}."
        sheet.feedback.append(f"a fault is left: {evidence.left_fault}")
    if doubt is None and evidence.untold:
        doubt = f"A second fault may be left that no check sees: {evidence.untold}."
        sheet.feedback.append(evidence.untold)
    if not met:
        score = _score_undecided(patch, evidence, opinion, sheet)
        if evidence.calls.unclear:
            sheet.reasons += [doubt] if doubt is not None else []
            score = min(FITTED, score)
        return score, False
    if doubt is None and evidence.scarce and not (evidence.specified and opinion is not None):
        doubt, sheet.needs_word = evidence.scarce, opinion is None
    if doubt is None and (opinion is None or opinion.score >= SAFE_RULE):
        return score, True
    sheet.reasons += [doubt] if doubt is not None else []
    most = KNOWN_FAULT if leaves_fault else FITTED
    return (most if opinion is None else min(most, _take_opinion(patch, evidence, opinion, sheet))), False


def _build_failed_verdict(patch: Patch, evidence: Evidence) -> Verdict:
    failure = evidence.failure or "it did not run"
    words = {
        0: f"It does not get as far as the failing statement: {failure}.",
        1: f"The same failure comes up again: {failure}.",
        2: f"Another failure comes up at the same place: {failure}.",
        3: f"It gets past the failing statement, then fails: {failure}.",
    }
    if evidence.cut_after and not (evidence.tampering or evidence.remarks) and load_traits(patch.healer).reasoned:
        return _build_cut_verdict(patch, evidence)
    if evidence.inconclusive:
        reason = f"Nothing can be said: {evidence.inconclusive} ({failure})."
    else:
        reason = words[evidence.progress]
    tampered = tuple(f"It {trick}." for trick in evidence.tampering)
    return Verdict(
        patch.id,
        CAP if evidence.inconclusive else float(evidence.progress),
        False,
        reasons=(*tampered, reason),
        tampering=evidence.tampering,
        inconclusive=evidence.inconclusive,
        feedback=evidence.inconclusive or failure,
    )


def _build_cut_verdict(patch: Patch, evidence: Evidence) -> Verdict:
    """What mends the failure for a reason, and was then ended by the time limit: it is shown, and never applied."""
    seen = evidence.inconclusive[0].upper() + evidence.inconclusive[1:]
    left = "Whether the rest of the cell runs, and what it gives, was not seen; a longer limit shows it"
    return Verdict(
        patch.id,
        CUT_SHORT,
        plausible=True,
        reasons=(f"{seen} after {evidence.cut_after:.0f} s.", f"{left}: {LONGER}."),
        inconclusive=evidence.inconclusive,
        feedback=f"{evidence.inconclusive} (a longer one: {LONGER})",
        confidence=60,
    )


def _list_contradictions(evidence: Evidence) -> Iterator[str]:
    """Every oracle that says the patch is wrong, strongest first; none of these texts is empty."""
    yield from (part.why or f"the {part.name} is missed" for part in evidence.user if not part.met)
    if evidence.doctests.asked and not evidence.doctests.all_held:
        yield f"a doctest fails: {evidence.doctests.why}"
    if evidence.deciding.asked and not evidence.deciding.all_held:
        yield f"an assert below fails: {evidence.deciding.why}"
    if evidence.calls.contradiction:
        yield evidence.calls.contradiction
    yield from (f"of the {f.name} one fails: {f.why}" for f in evidence.findings if f.asked and not f.all_held)
    yield from (f"a cell below misses its expectation: {b.missed}" for b in evidence.below if b.missed)


def _score_miss(evidence: Evidence) -> float:
    """2 to 3, by the share of what was asked that held: so that a better miss is an improvement."""
    counts: tuple[Count | Finding, ...] = (evidence.doctests, evidence.deciding, *evidence.findings)
    calls = evidence.calls
    asked = len(evidence.user) + sum(c.asked for c in counts) + calls.agreed + len(calls.differed)
    held = sum(p.met for p in evidence.user) + sum(c.held for c in counts) + calls.agreed
    return 2.0 + (held / asked if asked else 0.0) * 0.9


def _score_oracles(evidence: Evidence, sheet: _Sheet, *, is_safe: bool, is_reasoned: bool) -> tuple[float, bool]:
    """8 to 10 where an oracle is met, by how much the met ones cover; the strongest sets the base."""
    met = list(list_met_oracles(evidence, is_safe=is_safe, is_reasoned=is_reasoned))
    sheet.proofs += [oracle.proof for oracle in met]
    sheet.reasons += [oracle.reason for oracle in met]
    extra = sum(oracle.adds for oracle in met[1:])
    if met and evidence.calls.agreed and not evidence.calls.differed:
        extra += AGREED
    return min(10.0, max((oracle.score for oracle in met), default=0.0) + extra), bool(met)


def _score_undecided(patch: Patch, evidence: Evidence, opinion: Opinion | None, sheet: _Sheet) -> float:
    """No oracle decides: the judge's word within 4-8, 7 for a safe rule, else 5, and a little for cells below that run."""
    sheet.reasons.append("It runs." if evidence.output.can_decide or evidence.others.asked else UNCONFIRMED)
    if opinion is not None:
        return _take_opinion(patch, evidence, opinion, sheet)
    ran = sum(below.ran for below in evidence.below)
    if ran:
        sheet.proofs.append("cells below run")
        sheet.reasons.append(format_count(ran, "cell", "below", "run", "with it"))
    if patch.applicability is Applicability.SAFE:
        standard = "" if patch.healer == "memory" else f"Standard fix {patch.rule}: "
        sheet.reasons.append(f"{standard}{(patch.why or patch.title).rstrip('.')}.")
        return SAFE_RULE + min(0.5, 0.1 * ran)
    return UNDECIDED + min(1.5, 0.5 * ran)


def _take_opinion(patch: Patch, evidence: Evidence, opinion: Opinion, sheet: _Sheet) -> float:
    """The judge's word, within what it may decide."""
    sheet.proofs.append(SPECIFICATION if evidence.specified else "judge")
    sheet.feedback += [opinion.feedback] if opinion.feedback else []
    sheet.reasons.append(
        f"The judge gives it {opinion.score:.1f} ({opinion.confidence} % sure)"
        + (f": {opinion.feedback}" if opinion.feedback else ".")
    )
    most, why = find_most_for_opinion(patch, evidence)
    if why and opinion.score > most:
        sheet.reasons.append(why)
    return max(4.0, min(most, opinion.score))


def _subtract_remarks(score: float, evidence: Evidence, charge: Charge, sheet: _Sheet, *, safe: bool) -> float:
    """Take off what speaks against the patch without proving it wrong; ``safe`` rules keep 7 but where something speaks against
    that too (see :mod:`~jupyter_selfheal.scoring.output_cost` for outputs)."""
    floor = SAFE_RULE if safe and charge.spares_safe and score >= SAFE_RULE else 0.0
    score = min(max(score - charge.points, min(score, OFFERED)), charge.most)
    sheet.reasons += charge.reasons
    sheet.feedback += charge.feedback
    if evidence.output.match is Match.FORM:
        sheet.reasons.append("Its output differs from the one stored in the notebook in form only.")
    broken = next((b for b in evidence.below if b.error.startswith("AssertionError") and not b.runs_otherwise), None)
    if broken is not None:
        score -= 1.0
        sheet.reasons.append(f"An assert in a cell below fails, perhaps for another reason: {broken.error}.")
        sheet.feedback.append(f"an assert in a cell below fails: {broken.error}")
    elif (misprinted := describe_misprint(evidence)) and misprinted not in sheet.reasons:
        score -= 1.0
        sheet.reasons.append(misprinted)
        sheet.feedback.append(misprinted)
    if (otherwise := next((b for b in evidence.below if b.runs_otherwise), None)) is not None:
        score, floor = score - 1.5, 0.0
        sheet.reasons.append(f"A cell below fails with it ({otherwise.error}) that runs under another patch.")
        sheet.feedback.append(f"a cell below fails: {otherwise.error}")
    if evidence.others.asked and not evidence.others.all_held:
        score -= 0.5
        sheet.reasons.append(f"An assert below fails, perhaps for another reason: {evidence.others.why}.")
    for remark in evidence.remarks:
        score, floor = score - 0.5, 0.0
        sheet.reasons.append(f"It {remark}, which may hide the fault.")
    return max(score, floor)


def _measure_confidence(evidence: Evidence, met: bool, opinion: Opinion | None, *, guessed: bool) -> int:
    if any(_list_contradictions(evidence)) or evidence.tampering:
        return 95
    if met and guessed and evidence.checks <= 1:
        return 80  # many programs give one right value
    if met:
        return 95 if any(p.met for p in evidence.user) or evidence.deciding.all_held or evidence.own_asserts else 85
    return opinion.confidence if opinion is not None else 60
