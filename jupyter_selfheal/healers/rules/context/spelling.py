"""Which known word was meant by a misspelt one, and which misspellings are slips beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from jupyter_selfheal.healers.rules.context.tables import read_words

_REMEMBERED = 1 << 14
"""Words, and pairs of words, of which the answer is kept: the ways to read a cell ask for the same ones some thousand times."""


@lru_cache(_REMEMBERED)
def edit_distance(a: str, b: str, limit: int = 4) -> int:
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


_SIGNS = re.compile(r"(?<=\w)[-+#*]+$|^\s*[-+](?=[\d.]+\s*$)")


@lru_cache(_REMEMBERED)
def normalize(word: str) -> str:
    """The word without case, blanks and punctuation: equal for ``First Name``, ``first_name`` and ``firstName``.

    A sign at its end tells one from another: ``A+`` and ``A-``, ``C``, ``C++`` and ``C#``; and so does that of a number.
    """
    sign = _SIGNS.search(word)
    plain = re.sub(r"[\W_]+", "", word).casefold()
    return plain + (sign[0].strip() if sign is not None and plain else "")


@lru_cache(_REMEMBERED)
def keep_digits(word: str) -> str:
    """The digits of a word."""
    return re.sub(r"\D", "", word)


def find_nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The words that ``word`` may stand for, best first; several at the head mean that it is not clear which.

    First those that differ in case, blanks and punctuation only; else those within one edit (two from six letters, three
    from ten), the nearest distance only. A word of one letter is near nothing but its other case, and words with other
    digits (``x1``, ``x2``) and counterparts (``pos_x``, ``pos_y``) are other words.
    """
    candidates = [k for k in dict.fromkeys(known) if k != word]
    same = [k for k in candidates if normalize(k) == normalize(word) and normalize(word)]
    if same:
        return tuple(sorted(same, key=lambda k: (edit_distance(word, k), k)))
    if len(word) < 2:
        return ()
    allowed = 1 if len(word) < 6 else 2 if len(word) < 10 else 3
    scored = sorted(
        (edit_distance(word.casefold(), k.casefold()), k)
        for k in candidates
        if len(k) > 1 and keep_digits(k) == keep_digits(word) and not _is_counterpart(word, k)
    )
    scored = [(d, k) for d, k in scored if d <= allowed and d < len(k) - (len(k) > 2)]
    return tuple(k for d, k in scored if d == scored[0][0])


def _is_counterpart(word: str, other: str) -> bool:
    """True for names of which one word is another one: ``x1`` and ``y1``, ``X_test`` and ``y_test``, ``lon_end`` and ``lat_end``."""
    words = _find_difference(word, other)
    if words is None or words[0] == word.casefold():
        return False
    return len(words[0]) == len(words[1]) == 1 or (max(map(len, words)) < 6 and edit_distance(*words) > 1)


def is_opposite(one: str, other: str) -> bool:
    """True for words that are near one another and say the opposite."""
    return {one.casefold(), other.casefold()} == {"ascending", "descending"}


def is_abbreviated(short: str, long: str) -> bool:
    """True for the beginnings of the same words: ``var_name`` for ``variable_name``; not for one without its plural, which is a slip like any other."""
    words = list(zip(short.split("_"), long.split("_"), strict=False))
    is_shorter = long not in (short, short + "s") and short.count("_") == long.count("_")
    return is_shorter and all(b.startswith(a) and (len(a) > 2 or a == b) for a, b in words)


def is_plural(a: str, b: str) -> bool:
    """True where one is the other's plural: the most common slip that is no typo."""
    short, long = sorted((a, b), key=len)
    return long in (short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies")


_AMERICAN = (
    ("our", "or"),
    ("ise", "ize"),
    ("yse", "yze"),
    ("isation", "ization"),
    ("centre", "center"),
    ("grey", "gray"),
)


def is_british(british: str, american: str) -> bool:
    """True for one word in its British and its American spelling: ``colour`` and ``color``, ``normalise`` and ``normalize``."""
    return any(old in british and british.replace(old, new) == american for old, new in _AMERICAN)


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W_A-Za-z\d]+")
_KEYBOARD = (
    "qwertyuiop", "asdfghjkl", "zxcvbnm", "qaz", "wsx", "edc", "rfv", "tgb", "yhn", "ujm", "qs", "wd", "ef", "rg", "th", "yj", "uk", "il",
    "ax", "sc", "dv", "fb", "gn", "hm",
)  # fmt: skip


def is_plain_slip(wrong: str, right: str, *, strict: bool = False) -> bool:
    """True for a misspelling that can hardly be another word: case or punctuation only, or one slip in five letters.

    Plurals, words that differ in a digit (``x1``, ``x2``), names that differ in a short word (``y_test``, ``X_test``), two words of English
    (``country``, ``county``) and a word behind ``un-`` or ``in-`` are other words as often as not; another letter in a word's place only where it is a vowel's or near on the keyboard. ``strict``, for the names of
    data (``sales_jan``, ``sales_jun``): a letter may be missing, doubled or swapped, but not another one.
    """
    if normalize(wrong) == normalize(right):
        return True
    if is_plural(wrong, right) or keep_digits(wrong) != keep_digits(right):
        return False
    difference = _find_difference(wrong, right)
    if difference is None:
        return False
    one, two = difference
    if _are_words(one, two, strict=strict):
        return False
    swapped = sorted(one) == sorted(two)
    if len(one) == len(two) and not swapped and (strict or not _is_substitution(one, two)):
        return False
    edits, shorter, longer = edit_distance(one, two), min(len(one), len(two)), max(len(one), len(two))
    if swapped and edits == 1:
        return shorter >= 3
    return (shorter >= 4 and edits == 1 and longer >= 5) or (shorter >= 8 and edits == 2)


_TURNING = ("un", "in", "im", "il", "ir", "de")
"""What turns the word behind it into its opposite."""


def _are_words(one: str, two: str, *, strict: bool) -> bool:
    """True for two words of English, of which neither is a slip of the other, and for a word and its opposite (``employed``, ``unemployed``).

    In a program ``scaled`` may stand for ``scale``, where no name is that; among the names of data each may be there.
    """
    short, long = sorted((one, two), key=len)
    if is_british(one, two) or is_british(two, one):
        return False
    if len(short) >= 4 and any(long == prefix + short for prefix in _TURNING):
        return True
    is_form = not strict and long in (f"{short}d", f"{short}ed")
    known = read_words("common_words", "words")
    return not is_form and all(word in known or word.removesuffix("s") in known for word in (one, two))


def is_proper_name(word: str) -> bool:
    """``Christina``, which is no slip of ``Christian``, nor ``GOOGL`` of ``GOOG``."""
    parts = re.findall(r"[^\W\d_]+", word)
    is_name = word.istitle() or (word.isupper() and len(word) < 6)
    return is_name and any(part.lower() not in read_words("common_words", "words") for part in parts)


def find_meant(wrong: str, words: Iterable[str]) -> str:
    """The one word that is near by a slip, or that is longer or shorter at its end; empty where there is none, or several."""
    if (
        len(wrong) < 3
    ):  # units and codes: "M" is a month and "m" a minute, "MS" the start of a month and "ms" a millisecond
        return ""
    words = list(words)
    near = [w for w in find_nearest(wrong, words) if is_plain_slip(wrong, w) or w in (wrong + "s", wrong[:-1])]
    if len(near) == 1:
        return near[0]
    cut = [w for w in words if w.startswith(wrong) or (len(w) >= 4 and wrong.startswith(w))]
    return cut[0] if len(cut) == 1 and not near else ""


def _find_difference(wrong: str, right: str) -> tuple[str, str] | None:
    """The one word in which two names differ (``y`` and ``X`` of ``y_test``, ``X_test``), or the whole names where they have
    not the same number of words; None where several words differ."""
    one, two = ([w.casefold() for w in _WORD.findall(name)] for name in (wrong, right))
    if len(one) != len(two):
        return wrong.casefold(), right.casefold()
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    return pairs[0] if len(pairs) == 1 else None


def _is_substitution(one: str, two: str) -> bool:
    """True where one letter of a longer word is another vowel, or a neighbour on the keyboard."""
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if len(one) < 5 or len(pairs) != 1:
        return False
    a, b = pairs[0]
    return {a, b} <= set("aeiouy") or any(a + b in row or b + a in row for row in _KEYBOARD)
