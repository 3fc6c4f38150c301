"""Does a patched function give as many items as it is asked for, where each checked call gives so many?

``top_k(xs, 5)`` gives five of nine items in both checks: that ``top_k(xs, 1)`` gives all nine is a fault that no check sees. A relation that
holds in every checked call is one that is likely meant (Ernst et al. 2001, "Dynamically discovering likely program invariants").
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.compare_behaviour import CHANGES, Input, collect_behaviours
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.inside.search.run_candidate import Runner

LEAST_CALLS = 2
"""Checked calls below which as many items as asked for may be by chance."""
ITEMS, STEPS = 3, 400_000
"""Items of each collection that is given, and the steps that all calls may take."""
Arguments = tuple[Any, ...]


def describe_other_size(
    runner: Runner, codes: Mapping[int, CodeType], function: str, checked: Sequence[Arguments]
) -> str:
    """The doubt about a patch with which a small call gives another number of items than it asks for; empty where each gives so many, or
    where the ``checked`` calls do not say how many are asked for."""
    at = _find_number_asked(checked)
    if at is None:
        return ""
    small = [_make_small(checked[0], at, count) for count in range(ITEMS)]
    given = [*map(_copy_arguments, checked), *map(_copy_arguments, small)]
    (shown,) = collect_behaviours(runner, [dict(codes)], function, given, STEPS)
    sizes = list(map(_measure_size, shown))
    if sizes[: len(checked)] != [arguments[at] for arguments in checked]:
        return ""
    for arguments, size in zip(small, sizes[len(checked) :], strict=False):
        if size is not None and size != arguments[at]:
            return f"`{Input(function, arguments).text}` gives {size} items with it, and each checked call as many as it asks for"
    return ""


def _find_number_asked(checked: Sequence[Arguments]) -> int | None:
    """The place of the number that may say how many items are asked for: in each call fewer than each collection has that is given beside it."""
    if len(checked) < LEAST_CALLS or len({len(arguments) for arguments in checked}) > 1:
        return None
    places = [at for at in range(len(checked[0])) if all(_asks_for_some(arguments, at) for arguments in checked)]
    return places[0] if len(places) == 1 else None


def _asks_for_some(arguments: Arguments, at: int) -> bool:
    beside = [len(value) for n, value in enumerate(arguments) if n != at and type(value) in (list, tuple)]
    return type(arguments[at]) is int and bool(beside) and all(1 < arguments[at] < length for length in beside)


def _make_small(arguments: Arguments, at: int, count: int) -> Arguments:
    return tuple(
        count if n == at else value[:ITEMS] if type(value) in (list, tuple) else value
        for n, value in enumerate(arguments)
    )


def _copy_arguments(arguments: Arguments) -> Arguments:
    return tuple(map(copy_plain_data, arguments))


def _measure_size(shown: str) -> int | None:
    """How many items a call gave; None where it gave no list or tuple."""
    try:
        value = ast.literal_eval(shown.removesuffix(CHANGES))
    except (ValueError, SyntaxError):
        return None
    return len(value) if isinstance(value, list | tuple) else None
