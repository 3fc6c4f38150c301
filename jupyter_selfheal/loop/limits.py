"""The limits of the paid path: money first, then attempts, then whether asking again makes sense. Pure."""

from __future__ import annotations

import ast
import difflib
import re
from itertools import pairwise

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.states import Account, Dossier
from jupyter_selfheal.model import REJECTED_BEFORE, Attempt, Cost, Insert, Reason, Replace
from jupyter_selfheal.numbers import format_limit

_NOISE = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?(e[+-]?\d+)?|(?:[A-Za-z]:)?(?:[\\/][\w.\-]+){2,}")


_WHERE_TOO_DEEP = re.compile(r"(maximum recursion depth exceeded)\b.*")
"""Python adds in what the limit was passed, which hangs on how deep the calls were before ("… in comparison")."""


def normalise_message(message: str) -> str:
    """A message with numbers, addresses and paths taken out: equal for the same error of another run."""
    return re.sub(r"\s+", " ", _NOISE.sub("#", _WHERE_TOO_DEEP.sub(r"\1", message))).strip()


def find_exceeded_limit(account: Account, worst: Cost, config: HealConfig) -> str | None:
    """Why a call that may cost ``worst`` must not be made: the limit that it would pass; None where it may.

    Dollars rule where the price is known, tokens where it is not. The ceiling of tokens stands to that of a session as the
    budget does; a budget of nothing allows no price that is not known.
    """
    after = account.spent + worst
    if not after.usd <= account.allowance + 1e-12:
        return (
            f"the next call may cost ${worst.usd:.4f}; ${account.spent.usd:.4f} of the budget of "
            f"${format_limit(account.allowance)} is used"
        )
    if not account.session.usd + after.usd <= account.session_allowance + 1e-12:
        return f"the session's ceiling of ${format_limit(account.session_allowance)} would be passed"
    return _find_exceeded_token_limit(account, after, config) if after.unknown else None


def _find_exceeded_token_limit(account: Account, after: Cost, config: HealConfig) -> str | None:
    if account.allowance <= 0:
        return "the model's price is not known, and the budget is $0: set price_in and price_out (`--price-in`, `--price-out`, or c.SelfHeal.price_in)"
    tokens = count_tokens(after)
    if tokens > account.tokens:
        return f"the model's price is not known, and {tokens} tokens would pass the ceiling of {account.tokens}"
    left = count_session_tokens_left(account, config)
    if tokens > left:
        return f"the model's price is not known, and {tokens} tokens would pass the {left} that the session has left"
    return None


def count_tokens(cost: Cost) -> int:
    """Tokens read and written."""
    return cost.input_tokens + cost.output_tokens


def count_session_tokens_left(account: Account, config: HealConfig) -> int:
    """Tokens that the session has left where a price is not known: as many budgets' worth as its dollars allow, less those
    of earlier heals at such a price."""
    budgets = account.session_allowance / config.budget_usd if config.budget_usd > 0 else 1.0
    used = count_tokens(account.session) if account.session.unknown else 0
    return round(config.token_ceiling * max(1.0, budgets)) - used


def list_rounds(dossier: Dossier) -> tuple[tuple[Attempt, ...], ...]:
    """What was tried after each paid answer, since the user last let the heal go on."""
    marks = (*dossier.rounds, len(dossier.archive))
    return tuple(dossier.archive[a:b] for a, b in pairwise(marks))


def find_waste(dossier: Dossier, config: HealConfig) -> Reason | None:
    """Why asking a model again would be a waste: the rounds repeat themselves, or do not get better."""
    done = list_rounds(dossier)
    same = 1
    for earlier, later in pairwise(done):
        same = same + 1 if _is_repeated(earlier, later, config.near_same) else 1
    if done and same >= config.stuck_after and len(done) >= config.stuck_after:
        return Reason.STUCK
    best, flat = -1.0, 0
    for attempts in done:
        score = max((a.verdict.score for a in attempts if a.verdict), default=0.0)
        best, flat = (score, 0) if score > best else (best, flat + 1)
    return Reason.NO_IMPROVEMENT if flat >= config.no_improvement_after else None


def is_outage(dossier: Dossier) -> bool:
    """Whether the last thing that closed a paid healer was a service that could not be reached, or would not have it."""
    last = dossier.shut[-1] if dossier.shut else None
    return last is not None and last.reason is Reason.INFRASTRUCTURE and last.healer in dossier.paid


def explain_waste(dossier: Dossier, reason: Reason) -> str:
    """That, in words: replies in which there was nothing to try are no attempts that repeat themselves."""
    if reason is Reason.NO_IMPROVEMENT:
        return f"the attempts do not get better{_name_refusal(dossier)}"
    if any(list_rounds(dossier)[-2:]):
        return f"the attempts repeat themselves{_name_refusal(dossier)}"
    note = next((n for n in reversed(dossier.notes) if n.startswith(UNUSABLE)), "")
    return f"the model's replies held nothing new that can be tried{f' ({note})' if note else ''}"


def name_untried(dossier: Dossier) -> str:
    """What a search left that stopped because little more was to be expected, and how to have it tried."""
    note = next((n for n in reversed(dossier.notes) if n.endswith(UNTRIED)), "")
    return f" ({note.rpartition('; ')[2]}: a search_seconds of 100 tries more)" if note else ""


def _name_refusal(dossier: Dossier) -> str:
    """Why the last patch that was set aside untried was: it may be the one that heals."""
    untried = (a.rejection for a in reversed(dossier.archive) if a.rejection and a.trial is None)
    refused = next((why for why in untried if why != REJECTED_BEFORE), "")
    return f"; one was not tried: {refused}" if refused else ""


UNTRIED = "less likely changes were not tried"
"""In the note of a search that stopped because little more was to be expected."""
UNUSABLE = ("malformed reply", "the model gave no hypothesis", "hypothesis ")
"""How notes about replies begin that could not be used."""


def _is_repeated(earlier: tuple[Attempt, ...], later: tuple[Attempt, ...], near: float) -> bool:
    """Nothing new came, or the same feedback, or near-same patches with the same error."""
    if not later:
        return True
    if not earlier or any(a.rejection for a in earlier):
        return False
    first, second = _choose_best(earlier), _choose_best(later)
    if first.verdict and second.verdict and first.verdict.feedback:
        if _normalise_feedback(first.verdict.feedback) == _normalise_feedback(second.verdict.feedback):
            return True
        if first.verdict.score != second.verdict.score:
            return False
    return all(any(_is_near(a, b, near) for a in earlier) for b in later)


def _normalise_feedback(feedback: str) -> str:
    """Feedback without addresses. Numbers stay: "expected 7, got 36" after "expected 7, got 32" is another attempt."""
    return " ".join(re.sub(r"0x[0-9a-fA-F]+", "#", feedback).split())


def _choose_best(attempts: tuple[Attempt, ...]) -> Attempt:
    return max(attempts, key=lambda a: a.verdict.score if a.verdict else -1.0)


def _is_near(attempt: Attempt, other: Attempt, near: float) -> bool:
    first, second = _format_changes(attempt), _format_changes(other)
    return first == second or difflib.SequenceMatcher(None, first, second, autojunk=False).ratio() >= near


def _format_changes(attempt: Attempt) -> str:
    """The statements that a patch brings in, without their formatting and comments."""
    changes = []
    for edit in attempt.patch.edits:
        if isinstance(edit, Replace | Insert):
            before = _list_statements(edit.old) if isinstance(edit, Replace) else []
            changes += [text for text in _list_statements(edit.source) if text not in before]
        else:
            changes.append(repr(edit))
    return "\n".join(changes)


def _list_statements(source: str) -> list[str]:
    return [ast.unparse(s.node) for s in src.list_statements(source)] or source.splitlines()


def has_price(cost: Cost) -> bool:
    """Whether a price is one that must be reserved: dollars, tokens, or unknown."""
    return cost.usd > 0 or cost.unknown or count_tokens(cost) > 0
