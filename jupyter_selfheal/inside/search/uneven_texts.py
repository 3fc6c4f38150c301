"""Texts that end otherwise than their sibling: ``'is NOT a palindrome'`` beside ``'is a palindrome.'``, of which one run shows the second
alone. Whoever marks a program compares both."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.align_texts import Part, mark_texts

_END = re.compile(r"(\w+)([.!?,:;\s]*)$")
_WORDS, _MOST, _LEFT_OUT = 2, 12, 2
"""So many words each of the two texts has: ``yes`` and ``no.`` tell of nothing, and what is longer is prose. And so many may the shorter one
lack: ``is even.`` lacks the ``NOT`` of ``is NOT even``, but ``Error in the data`` is no sibling of ``Loading the data...``."""


def find_uneven_texts(source: str, expected: str) -> list[Edit]:
    """The edits that let a text end as its sibling does: the one has all words of the other, and only the sibling is in what is expected."""
    marked = mark_texts(source) if expected else None
    texts = [(p, words) for p in marked.parts if not p.keyword and (words := _list_words(p))] if marked else []
    shown: dict[tuple[str, ...], Part] = {}
    longer: dict[tuple[str, ...], Part] = {}
    hidden: list[tuple[Part, tuple[str, ...]]] = []
    for part, words in texts:
        if part.value.strip() not in expected:
            hidden.append((part, words))
            continue
        shown.setdefault(words, part)
        for fewer in _leave_out(words):
            longer.setdefault(fewer, part)
    edits: list[Edit] = []
    for part, words in hidden:
        sibling = longer.get(words) or next((shown[fewer] for fewer in _leave_out(words) if fewer in shown), None)
        if sibling is not None and (new := _end_as(part.value, sibling.value)) != part.value:
            edits.append(part.write(new))
    return edits


def find_uneven_cases(before: str, source: str, expected: str) -> list[Edit]:
    """The edits of texts that did not come out where those that did were changed in upper and lower case alone: ``"negative"`` became
    ``"Negative"``, and ``"positive"`` stands beside it."""
    old, new = mark_texts(before), mark_texts(source)
    if old is None or new is None or len(old.parts) != len(new.parts):
        return []
    pairs = [(a.value, b.value) for a, b in zip(old.parts, new.parts, strict=True) if a.value != b.value]
    ways = [way for way in _CASES if pairs and all(way(a) == b for a, b in pairs)]
    if not ways:
        return []
    words = zip(*(" ".join(texts).split() for texts in zip(*pairs, strict=True)), strict=False)
    forms = {_find_form(word) for word, other in words if word != other}
    hidden = [p for p in new.parts if not p.keyword and p.value.strip() not in expected and p.value[:1].isalpha()]
    written = [(p, _write_words_of(p.value, ways[0](p.value), forms)) for p in hidden]
    return [p.write(text) for p, text in written if text != p.value]


def find_cases_of_cell(given: str, source: str) -> list[Edit]:
    """The edits of texts whose words the cell that did not parse has without quotes, as it writes them: ``print(Not leap)`` became ``"not leap"`` or
    ``"Not_leap"``. Not of one that it writes in several ways, or had as a text."""
    marked = mark_texts(source)
    edits: list[Edit] = []
    for part in marked.parts if marked else ():
        words = re.split(r"[ _]+", part.value.strip())
        if part.keyword or len(words) < _WORDS or part.value in given:
            continue
        inside = r"\b" + r"[ ]+".join(map(re.escape, words)) + r"\b"
        forms = {m[0] for m in re.finditer(inside, given, re.IGNORECASE)}
        if len(forms) == 1:
            edits.append(part.write(part.value.replace(part.value.strip(), forms.pop())))
    return edits


def _find_form(word: str) -> str:
    """How a word is written: ``NOT``, ``Not`` (so is ``A``) or ``not``."""
    letters = re.sub(r"[\W\d_]", "", word)
    return "small" if letters.islower() else "capitals" if letters.isupper() and len(letters) > 1 else "title"


def _write_words_of(text: str, other: str, forms: Collection[str]) -> str:
    """A text with those of its words as in the other one that are written in these forms: that ``A`` is ``a`` says nothing of ``NOT``."""
    parts = zip(re.split(r"(\s+)", text), re.split(r"(\s+)", other), strict=True)
    return "".join(new if _find_form(old) in forms else old for old, new in parts)


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


_CASES: tuple[Callable[[str], str], ...] = (_capitalize, str.upper, str.lower, str.title)
"""The ways in which upper and lower case may differ, the commonest first."""


def _list_words(part: Part) -> tuple[str, ...]:
    """The words of a text that ends with one, whatever sign is behind it; none where they are too few or too many."""
    end = _END.search(part.value)
    words = tuple((part.value[: end.start(2)] if end else "").lower().split())
    return words if _WORDS <= len(words) <= _MOST else ()


def _leave_out(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words, and what is left of them where one or two before the last are left out."""
    before, last = words[:-1], words[-1:]
    for size in range(len(before), max(len(before) - _LEFT_OUT, _WORDS - 1) - 1, -1):
        for kept in itertools.combinations(before, size):
            yield (*kept, *last)


def _end_as(text: str, sibling: str) -> str:
    """The text with its sibling's sign at the end; blanks count for nothing, as they may part it from what is printed next. One that ends as a sentence
    of another kind (``You lost.`` beside ``You won!``) is left."""
    own, other = _END.search(text), _END.search(sibling)
    if own is None or other is None or own[2].strip() == other[2].strip():
        return text
    if {own[2].strip(), other[2].strip()} <= {".", "!", "?"}:
        return text
    return text[: own.start(2)] + other[2]
