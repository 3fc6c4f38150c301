"""Simple data, which can be copied without running anything of the notebook's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_UNCHANGING = (bool, int, float, complex, str, bytes)


def copy_plain_data(value: Any, depth: int = 0) -> Any:
    """A copy of simple data; raises ValueError for anything else, or for more than a few hundred elements."""
    if value is None or isinstance(value, bool | int | float | complex):
        return value
    if isinstance(value, str | bytes) and len(value) < 2000:
        return value
    if depth < 5 and type(value) in (list, tuple, set, frozenset) and len(value) <= 300:
        return type(value)(copy_plain_data(v, depth + 1) for v in value)
    if depth < 5 and type(value) is dict and len(value) <= 300:
        return {copy_plain_data(k, depth + 1): copy_plain_data(v, depth + 1) for k, v in value.items()}
    raise ValueError("not plain data")


def make_copier(value: Any) -> Callable[[], Any] | None:
    """What gives a copy each time it is called, just as :func:`copy_plain_data` makes it (which raises for what is none), but looks at the
    value only once; None where nothing in it could change, as in a tuple of numbers and texts: it serves as its own copy."""
    copy_plain_data(value)
    is_unchanging = all(map(_is_unchanging, value)) if type(value) is tuple else _is_unchanging(value)
    return None if is_unchanging else _copy_again(value)


def _copy_again(value: Any) -> Callable[[], Any]:
    """What copies a collection of plain data. Its items are put in one after the other, as they were: the order of a set hangs on that."""
    kind = type(value)
    if kind is dict:
        if all(_is_unchanging(item) for pair in value.items() for item in pair):
            return lambda: dict(value)
        pairs = [(_make_maker(k), _make_maker(v)) for k, v in value.items()]
        return lambda: {make_key(): make() for make_key, make in pairs}
    items = list(value)
    if all(map(_is_unchanging, items)):
        return items.copy if kind is list else lambda: kind(items)
    makers = [_make_maker(item) for item in items]
    return lambda: kind([make() for make in makers])


def _make_maker(value: Any) -> Callable[[], Any]:
    return (lambda: value) if _is_unchanging(value) else _copy_again(value)


def _is_unchanging(value: Any) -> bool:
    return value is None or isinstance(value, _UNCHANGING)
