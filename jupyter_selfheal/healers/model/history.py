"""What a model is told of earlier attempts: only what it can learn from, once, and no more than is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jupyter_selfheal.model import Attempt, Case, Insert, Patch, Replace, diff_sources, format_diff
from jupyter_selfheal.registry import load_traits

ATTEMPTS = 8
DIFF_CHARS = 1_500
"""Earlier attempts that are told, and the characters of each one's diff."""

_NO_PROOFS = frozenset({"runs", "judge", "cells below run"})
"""What a verdict names that does not say that the result is right."""

GUESSES = 1
"""Of those that a search made: the best one shows what it took the fault for, the others nothing more."""


def format_task(
    case: Case, history: Sequence[Attempt], hypotheses: int, values: bool = False, unusable: Sequence[str] = ()
) -> str:
    """The task of this call: how many hypotheses, what was tried, what was wrong with replies that held nothing to try, what the user said."""
    told = select_attempts(history)
    parts = []
    if told:
        attempts = "\n\n".join(format_attempt(n, attempt, values) for n, attempt in enumerate(told, 1))
        parts.append(f"# Earlier attempts\n{attempts}")
    if unusable:
        parts.append(
            "# Earlier replies in which there was nothing to try\n" + "\n".join(f"- {note}" for note in unusable)
        )
    if case.hints:
        parts.append("# The user says\n" + "\n".join(f"- {hint}" for hint in case.hints))
    task = f"Give {hypotheses} distinct hypotheses." if hypotheses > 1 else "Give your best hypothesis."
    if told:
        task += " Take a different approach from those above, and say in `cause` what they have shown."
    return "\n\n".join([*parts, f"# Your task\n{task}"])


def select_attempts(history: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """The attempts that are told, oldest first: each patch once, of the search's only the best."""
    last: dict[str, Attempt] = {}
    for attempt in history:
        known = last.get(attempt.patch.id, attempt)
        last[attempt.patch.id] = replace(
            attempt,
            trial=attempt.trial or known.trial,
            verdict=attempt.verdict or known.verdict,
            rejection=attempt.rejection or known.rejection,
        )
    guesses = [a for a in last.values() if _is_guess(a)]
    best = sorted(guesses, key=_read_score, reverse=True)[:GUESSES]
    return tuple(a for a in last.values() if a not in guesses or a in best)[-ATTEMPTS:]


def _is_guess(attempt: Attempt) -> bool:
    """One of many changes that somebody made who knows no reason for them, and that no user spoke of."""
    traits = load_traits(attempt.patch.healer)
    return not (traits.paid or traits.reasoned or attempt.rejection)


def _read_score(attempt: Attempt) -> float:
    return attempt.verdict.score if attempt.verdict is not None else -1.0


def format_attempt(number: int, attempt: Attempt, values: bool = False) -> str:
    """One attempt: its change, what is known of it, and the user's rejection."""
    lines = [f"## Attempt {number}: {attempt.patch.title}", format_patch(attempt.patch), describe_end(attempt, values)]
    if attempt.rejection:
        reason = "" if attempt.rejection == "-" else f": {attempt.rejection}"
        lines.append(f"The user rejected it{reason}.")
    return "\n".join(line for line in lines if line)


def describe_end(attempt: Attempt, values: bool = False) -> str:
    """What came of an attempt. The texts of outputs are told only where ``values`` may be sent."""
    verdict, trial = attempt.verdict, attempt.trial
    if trial is None:
        return "It was not tried."
    if verdict is None:
        return f"Its trial: {trial.ending.value}."
    if verdict.inconclusive:
        return f"It was tried, and that says nothing: {verdict.inconclusive}."
    if verdict.tampering:
        return f"It was discarded: it {'; it '.join(verdict.tampering)}."
    feedback = _read_feedback(attempt, values)
    if not trial.ran:
        same = "failed the same" if verdict.score == 1 else "failed"
        return f"It was tried, and {same}: {feedback}"
    score = f"Score {verdict.score:g} of 10."
    if not verdict.plausible:
        return f"It ran, but missed: {feedback} {score}"
    known = (
        "it meets what is known of the right result, and is still in doubt"
        if verdict.oracle_met or set(verdict.proofs) - _NO_PROOFS
        else "nothing says whether it is right"
    )
    return " ".join(filter(None, (f"It ran; {known}.", feedback, score)))


def _read_feedback(attempt: Attempt, values: bool) -> str:
    verdict = attempt.verdict
    assert verdict is not None
    if verdict.difference and not values:
        return "What it puts out differs in value from what is stored."
    reason = next(iter(verdict.reasons), "") if not verdict.plausible else ""
    text = verdict.feedback or reason
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def format_patch(patch: Patch) -> str:
    """What a patch changes, as unified diffs."""
    parts = []
    for edit in patch.edits:
        if isinstance(edit, Replace | Insert):
            parts.append(
                format_diff(diff_sources(edit.old if isinstance(edit, Replace) else "", edit.source, context=1))
            )
        else:
            parts.append(repr(edit))
    text = "\n".join(parts)
    return f"```diff\n{text if len(text) <= DIFF_CHARS else text[:DIFF_CHARS] + ' …'}\n```" if text else ""
