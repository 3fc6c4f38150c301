"""What a join does to the rows of its two tables: looked at before it runs, from the tables and the keys it is given."""

from __future__ import annotations

from typing import Any

from jupyter_selfheal.inside.probes.review_state import answer, evaluate, name_kind, question

probe = answer

MOST_ROWS = 1_000_000
"""A table with more rows is not looked at."""
SHOWN = 3


@question
def describe_join(namespace: dict[str, Any], left: str, right: str, on: str, left_on: str, right_on: str) -> Any:
    """{"left", "right", "inner": rows; "lost": left rows without a partner; "left_unique", "right_unique": is the key unique
    there; "only_keys": the right table has nothing but its key; "lost_keys": some keys without a partner; "near": [key, key]
    that differ in case or space alone, or are a number and its text}. None where that cannot be said."""
    tables = evaluate(namespace, left), evaluate(namespace, right)
    if any(name_kind(t) != "DataFrame" or len(t) > MOST_ROWS or not len(t) for t in tables):
        return None
    one, other = tables
    names = _find_keys(one, other, *(evaluate(namespace, text) if text else None for text in (on, left_on, right_on)))
    if names is None or not all(n in one.columns for n in names[0]) or not all(n in other.columns for n in names[1]):
        return None
    mine, theirs = _list_keys(one, names[0]), _list_keys(other, names[1])
    counts = _count_keys(theirs)
    lost = [key for key in mine if key not in counts]
    return {
        "left": len(mine),
        "right": len(theirs),
        "inner": sum(counts.get(key, 0) for key in mine),
        "lost": len(lost),
        "left_unique": len(set(mine)) == len(mine),
        "right_unique": len(counts) == len(theirs),
        "only_keys": len(other.columns) == len(names[1]),
        "keys": [str(n) for n in names[0]],
        "lost_keys": [_format_key(key) for key in dict.fromkeys(lost)][:SHOWN],
        "near": _find_near(lost, list(counts)),
    }


def _find_keys(one: Any, other: Any, on: Any, left_on: Any, right_on: Any) -> tuple[list[Any], list[Any]] | None:
    if left_on is not None or right_on is not None:
        if left_on is None or right_on is None:
            return None
        return _as_list(left_on), _as_list(right_on)
    if on is not None:
        return _as_list(on), _as_list(on)
    common = [name for name in one.columns if name in set(other.columns)]
    return (common, common) if common else None


def _as_list(names: Any) -> list[Any]:
    return list(names) if isinstance(names, (list, tuple)) else [names]


def _list_keys(table: Any, names: list[Any]) -> list[Any]:
    """The key of each row; missing values are one key, as in a merge."""
    columns = [[None if v != v else v for v in table[name].tolist()] for name in names]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _count_keys(keys: list[Any]) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return counts


def _format_key(key: Any) -> str:
    return repr(key)[:40]


def _find_near(lost: list[Any], keys: list[Any]) -> list[str]:
    """A lost key and the key of the other table that it would be, but for case, space or type."""
    if len(lost) > 10_000 or len(keys) > 10_000:
        return []
    plain = {_simplify_key(key): key for key in keys if key is not None}
    for key in lost:
        if key is not None and _simplify_key(key) in plain:
            return [_format_key(key), _format_key(plain[_simplify_key(key)])]
    return []


def _simplify_key(key: Any) -> str:
    return str(key).strip().casefold()
