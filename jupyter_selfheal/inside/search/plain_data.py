"""Simple data, which can be copied without running anything of the notebook's own."""

from __future__ import annotations

from typing import Any


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
