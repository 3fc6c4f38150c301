"""Texts that end otherwise than their sibling: ``'is NOT a palindrome'`` beside ``'is a palindrome.'``, of which one run shows the second
alone. Whoever marks a program compares both."""

from __future__ import annotations

import re

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.align_texts import Part, mark_texts

_END = re.compile(r"(\w+)([.!?,:;\s]*)$")
_WORDS = 2
"""So many words each of the two texts has: ``yes`` and ``no.`` tell of nothing."""


def find_uneven_texts(source: str, expected: str) -> list[Edit]:
    """The edits that let a text end as its sibling does: both end with the same word, and only the sibling is in what is expected."""
    marked = mark_texts(source) if expected else None
    texts = [p for p in marked.parts if not p.keyword and len(p.value.split()) >= _WORDS] if marked else []
    shown = [p for p in texts if p.value.strip() in expected]
    edits: list[Edit] = []
    for part in texts:
        sibling = next((s for s in shown if part not in shown and _ends_alike(part, s)), None)
        if sibling is not None and (new := _end_as(part.value, sibling.value)) != part.value:
            edits.append(part.write(new))
    return edits


def _ends_alike(one: Part, two: Part) -> bool:
    """Whether two texts end with the same word, and share another one."""
    ends = _END.search(one.value), _END.search(two.value)
    words = [set(p.value.lower().split()[:-1]) for p in (one, two)]
    return all(ends) and ends[0][1].lower() == ends[1][1].lower() and bool(words[0] & words[1])  # type: ignore[index]


def _end_as(text: str, sibling: str) -> str:
    """The text with its sibling's sign at the end; blanks count for nothing, as they may part it from what is printed next."""
    own, other = _END.search(text), _END.search(sibling)
    if own is None or other is None or own[2].strip() == other[2].strip():
        return text
    return text[: own.start(2)] + other[2]
