"""The smallest part of a list that still has a property, by halves, quarters and so on.

*ddmin* of A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002, figure 3. Pure.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def minimise_list(items: Sequence[T], holds: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """A part of ``items``, in their order, for which ``holds`` is true and of which no single item can be left out.

    ``holds`` must be true of all of them. It may say no at any time (it ran out of time): then the part is just larger.
    """
    kept = tuple(items)
    if kept and holds(()):
        return ()
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


def _split_items(items: tuple[T, ...], parts: int) -> list[tuple[T, ...]]:
    """Consecutive chunks of about the same length."""
    bounds = [round(n * len(items) / parts) for n in range(parts + 1)]
    return [items[a:b] for a, b in itertools.pairwise(bounds) if b > a]


def _leave_out(chunks: list[tuple[T, ...]], at: int) -> tuple[T, ...]:
    return tuple(item for n, chunk in enumerate(chunks) if n != at for item in chunk)
