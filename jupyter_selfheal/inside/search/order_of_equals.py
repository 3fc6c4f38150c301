"""Which of several items that are equal in what they are put in order by comes first: as in what was given, unless somebody says otherwise.

Two records of one age, two words of one length: no check has them, and a change that exchanges them tells of no fault of one that
keeps their order, as ``sorted`` does. What does not keep it may well be at fault.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from jupyter_selfheal.inside.search.broken_laws import read_result
from jupyter_selfheal.inside.search.laws import FEWEST, PARTS

Key = Callable[[Any], Any]
_KEYS: tuple[Key, ...] = (*(lambda item, n=n: item[n] for n in range(PARTS)), len, abs, str.lower)


def find_order_keys(results: Sequence[str]) -> list[Key]:
    """By what each of these results (of checked calls) is in order, and several of them say so by different items."""
    lists = {shown: value for shown in results if (value := _read_items(shown)) is not None and len(value) > 1}
    if len(lists) < FEWEST or any(_read_items(shown) is None for shown in results):
        return []
    return [key for key in _KEYS if _is_ordered_by(list(lists.values()), key)]


def is_order_of_equals(keys: Sequence[Key], given: Sequence[Any], mine: str, theirs: str) -> bool:
    """Whether two results differ only in which of equal items comes first, and the first of them has these as they were ``given``."""
    own, others = (_read_items(shown) for shown in (mine, theirs))
    if own is None or others is None or own == others or sorted(map(repr, own)) != sorted(map(repr, others)):
        return False
    return any(
        (taken := _take_keys(own, key)) is not None
        and taken == _take_keys(others, key)
        and any(_keeps_order(own, whole, key) for whole in given)
        for key in keys
    )


def _is_ordered_by(lists: Sequence[Sequence[Any]], key: Key) -> bool:
    """All of them, each item by another key, in the same direction."""
    taken = [_take_keys(items, key) for items in lists]
    for is_falling in (False, True):
        if all(keys is not None and _is_in_order(keys, is_falling) for keys in taken):
            return True
    return False


def _is_in_order(keys: Sequence[Any], is_falling: bool) -> bool:
    try:
        return list(keys) == sorted(keys, reverse=is_falling) and all(a != b for a, b in itertools.pairwise(keys))
    except TypeError:
        return False


def _keeps_order(items: Sequence[Any], whole: Any, key: Key) -> bool:
    """Whether items with the same key come as they come in what was given."""
    if not isinstance(whole, list | tuple):
        return False
    places: dict[str, list[int]] = {}
    for place, item in enumerate(whole):
        places.setdefault(repr(item), []).append(place)
    last: dict[str, int] = {}
    for item in items:
        left = places.get(repr(item))
        if not left:
            return False
        place, kept = left.pop(0), repr(key(item))
        if place < last.get(kept, -1):
            return False
        last[kept] = place
    return True


def _take_keys(items: Sequence[Any], key: Key) -> list[Any] | None:
    try:
        return [key(item) for item in items]
    except (TypeError, IndexError, KeyError):
        return None


def _read_items(shown: str) -> list[Any] | None:
    is_known, value = read_result(shown)
    return list(value) if is_known and isinstance(value, list | tuple) else None
