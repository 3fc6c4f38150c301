"""Why a patch that meets its checks may still be wrong: it is then offered, and not applied (docs: "What holds a guess back")."""

from __future__ import annotations

from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.registry import is_strangers, load_traits
from jupyter_selfheal.scoring.evidence import ENDS, SKIPS, Evidence

FEW = 2
"""Checks held that do not outweigh a change of what earlier calls gave."""

FEW_PRINTED, PLAIN_SLIP = 2, 0.4
"""So few printed values alone prove no guess whose weight is less than this: ``True`` and ``False`` are soon printed."""


ON_A_GUESS = "It is a guess on top of another"

TWO_CHECKS, FIVE_VALUES = 2, 5
"""Asserts or examples, and values of an output where nothing else decides, that speak for two guesses at once: of several edits of the
search as many are asked for."""


def find_doubt_of_guess(evidence: Evidence, patch: Patch) -> str | None:
    """Why a guess that meets its checks may still be wrong; None where nothing speaks for that."""
    if 0 < evidence.printed_alone <= FEW_PRINTED and evidence.checks <= 1 and patch.weight < PLAIN_SLIP:
        return "It prints the one or two values that are expected, as many programs would, and the slip would be an unusual one."
    if misprinted := describe_misprint(evidence):
        return misprinted
    if evidence.of_data and not evidence.user:
        return "The assert looks at data: as likely they are at fault, not the code that looks."
    held = (
        evidence.own_asserts
        or evidence.doctests.held
        or evidence.deciding.held
        or sum(f.held for f in evidence.findings)
    )
    by_output = not (evidence.user or held)
    is_guessed = not load_traits(patch.healer).reasoned  # of two rules each knows a cause
    if (
        patch.guess_before
        and is_guessed
        and evidence.checks < (FIVE_VALUES if by_output else TWO_CHECKS)
        and not evidence.user
    ):
        return f"{ON_A_GUESS} ({patch.guess_before}), which no check speaks for by itself."
    if evidence.left_out and by_output:
        return (
            f"It leaves out `{evidence.left_out}`, with nothing in its place: an output says little of what that does."
        )
    if evidence.other_data and not evidence.user and (by_output or evidence.checks <= 1):
        return f"It no longer reads {evidence.other_data} where values of what was read are at fault: other data may come to any result."
    is_searched = not is_strangers(patch.healer)  # a model knows what names mean, and is not paid for a second answer
    if evidence.other_label and is_searched and not evidence.user and (by_output or evidence.checks <= 1):
        return f"There is no `{evidence.other_label!r}`, and nothing like it is put in its place: others may give the same."
    if by_output and (avoided := next((r for r in (SKIPS, ENDS) if r in evidence.remarks), "")):
        return f"It {avoided}, where an item failed: an output says little of what is meant to become of such items."
    if evidence.rival and not any(evidence.rival.startswith(f"`{call}`") for call in evidence.calls.settled):
        return f"Another change may be meant: {evidence.rival}."
    if evidence.shifted and evidence.checks <= 1:
        return "It only shifts or cuts a result until the one check holds: as likely the check is wrong."
    return None


def find_doubt_of_calls(patch: Patch, evidence: Evidence) -> str | None:
    """Why a patch that meets its checks may still be wrong, by what cells above made of what it changes."""
    calls = evidence.calls
    shown = (evidence.output, *(b.output for b in evidence.below if b.ran))
    if evidence.unscaled and not (
        evidence.user or evidence.doctests.held or calls.mended or any(o.same and o.tells for o in shown)
    ):
        return evidence.unscaled
    if evidence.avoided and patch.applicability is not Applicability.SAFE:
        return f"It no longer calls `{evidence.avoided}`, which failed and is as it was."
    if calls.unclear:
        return f"It changes what {calls.release} alone does not explain: {calls.unclear[0]}."
    if calls.differed and evidence.checks <= FEW:
        return f"It changes what nobody complained of: {calls.differed[0]}."
    if calls.left and patch.applicability is not Applicability.SAFE:
        return f"Another change makes {calls.left} give what is stored for it; this one does not."
    return None


def describe_misprint(evidence: Evidence) -> str:
    why = next((b.misprinted for b in evidence.below if b.misprinted), "")
    return why and f"A cell below does not print what is expected of it, perhaps for another fault: {why}."
