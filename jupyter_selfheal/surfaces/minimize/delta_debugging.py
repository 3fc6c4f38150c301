"""The smallest part of a list that still has a property, by halves, quarters and so on.

*ddmin* of A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002, figure 3; of a long list
the few items that are needed are found by bisection before (the *progression* of J. Marques-Silva, M. Janota and A. Belov, "Minimal sets
over monotone predicates in Boolean formulae", CAV 2013). Pure.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

LONG = 16
"""Items from which a list is bisected first: one item of 300 lines costs 8 tries so, and about 30 by halves, quarters and so on."""

FEW = 4
"""Items that are looked for by bisection; where more are needed, leaving out whole parts is cheaper."""


def minimise_list(items: Sequence[T], holds: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """A part of ``items``, in their order, for which ``holds`` is true and of which no single item can be left out.

    ``holds`` must be true of all of them. It may say no at any time (it ran out of time): then the part is just larger.
    """
    kept = tuple(items)
    if kept and holds(()):
        return ()
    if len(kept) >= LONG:
        kept = _leave_out_by_bisection(kept, holds)
    parts = 2
    while len(kept) >= 2:
        chunks = _split_items(kept, parts)
        smaller = next((chunk for chunk in chunks if parts > 2 and holds(chunk)), None)
        if smaller is not None:
            kept, parts = smaller, 2
            continue
        rest = next((r for n in range(len(chunks)) if holds(r := _leave_out(chunks, n))), None)
        if rest is not None:
            kept, parts = rest, max(parts - 1, 2)
        elif parts >= len(kept):
            break
        else:
            parts = min(2 * parts, len(kept))
    return kept


def _leave_out_by_bisection(items: tuple[T, ...], holds: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """A part for which ``holds`` is true: the shortest beginning that has it ends with an item that is needed; then the same with
    that item given."""
    rest, needed = items, items[:0]
    for _ in range(FEW):
        short, long = 0, len(rest)  # the property does not hold with the short beginning, and holds with the long one
        while long - short > 1:
            middle = (short + long) // 2
            if holds((*rest[:middle], *needed)):
                long = middle
            else:
                short = middle
        rest, needed = rest[: long - 1], (rest[long - 1], *needed)
        if not rest or holds(needed):
            return needed
    return (*rest, *needed)


def _split_items(items: tuple[T, ...], parts: int) -> list[tuple[T, ...]]:
    """Consecutive chunks of about the same length."""
    bounds = [round(n * len(items) / parts) for n in range(parts + 1)]
    return [items[a:b] for a, b in itertools.pairwise(bounds) if b > a]


def _leave_out(chunks: list[tuple[T, ...]], at: int) -> tuple[T, ...]:
    return tuple(item for n, chunk in enumerate(chunks) if n != at for item in chunk)
