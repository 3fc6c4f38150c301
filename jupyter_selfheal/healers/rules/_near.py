"""Which known word was meant by a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Iterable


def distance(a: str, b: str, limit: int = 4) -> int:
    """Damerau–Levenshtein distance (optimal string alignment: a swap of neighbours counts one), cut off at ``limit``."""
    if abs(len(a) - len(b)) >= limit:
        return limit
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, before2 = row, before
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before2[j - 2] + 1)
            row.append(cost)
        before = last
        if min(row) >= limit:
            return limit
    return min(row[-1], limit)


def plain(word: str) -> str:
    """The word without case, blanks and punctuation: equal for ``First Name``, ``first_name`` and ``firstName``."""
    return re.sub(r"[\W_]+", "", word).casefold()


def digits(word: str) -> str:
    """The digits of a word."""
    return re.sub(r"\D", "", word)


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The words that ``word`` may stand for, best first; several at the head mean that it is not clear which.

    First those that differ in case, blanks and punctuation only; else those within one edit (two from six letters, three
    from ten), the nearest distance only. A word of one letter is near nothing but its other case, and words with other
    digits (``x1``, ``x2``) are other words.
    """
    candidates = [k for k in dict.fromkeys(known) if k != word]
    same = [k for k in candidates if plain(k) == plain(word) and plain(word)]
    if same:
        return tuple(sorted(same, key=lambda k: (distance(word, k), k)))
    if len(word) < 2:
        return ()
    allowed = 1 if len(word) < 6 else 2 if len(word) < 10 else 3
    scored = sorted(
        (distance(word.casefold(), k.casefold()), k) for k in candidates if len(k) > 1 and digits(k) == digits(word)
    )
    scored = [(d, k) for d, k in scored if d <= allowed and d < len(k) - (len(k) > 2)]
    return tuple(k for d, k in scored if d == scored[0][0])


def plural_of(a: str, b: str) -> bool:
    """True where one is the other's plural: the most common slip that is no typo."""
    short, long = sorted((a, b), key=len)
    return long in (short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies")
