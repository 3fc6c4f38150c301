"""How long a reply may be: foreseen from the cells, and, once a model has replied, from how many words it makes."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal.model import Attempt, Patch

MARGIN = 2.0
"""How many times what is foreseen a reply may have. What is not written is not paid: it is only set aside."""

WORDS_TOKENS, LEAST_REPLY = 300, 1_000
"""Tokens of the words beside a hypothesis' source, and the least that a first reply may have, before a model has shown its way."""

FORM_TOKENS, LEAST_LEARNT = 60, 250
"""Tokens of the JSON around a hypothesis, and the least that a further reply may have for its diagnosis and for each hypothesis."""

BYTES_OF_TOKEN = 2.5
"""Bytes of what a model writes that are taken for one token: fewer than were measured, so that lengths come out high."""


def foresee_reply(sources: Sequence[str], hypotheses: int, history: Sequence[Attempt], healer: str) -> int:
    """Tokens that a reply may have: :data:`MARGIN` times what it takes if each hypothesis rewrites the longest of ``sources``, with as
    many words as the longest of what ``healer`` said before in this heal. It is read off the attempts, so that a run that is
    resumed or replayed asks for the same."""
    source = max((_count_tokens(s) for s in sources), default=0.0)
    said = [_count_words(a.patch) for a in history if healer in a.patch.healer.split("+")]
    if not said:
        return max(LEAST_REPLY, round(MARGIN * hypotheses * (WORDS_TOKENS + source)))
    words = max(said)
    diagnosis = words
    return max(LEAST_LEARNT * (1 + hypotheses), round(MARGIN * (diagnosis + hypotheses * (words + source))))


def _count_words(patch: Patch) -> float:
    return FORM_TOKENS + sum(map(_count_tokens, (patch.title, patch.cause, patch.risk)))


def _count_tokens(text: str) -> float:
    return len(text.encode("utf-8", "replace")) / BYTES_OF_TOKEN
