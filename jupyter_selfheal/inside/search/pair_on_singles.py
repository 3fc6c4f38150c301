"""Two changes at once on top of a single one: of three slips in one function often one is seen to mend something, and the others only together."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.combine_changes import GROUP_OF_PAIRS, Frontier, move_change
from jupyter_selfheal.inside.search.localise_faults import Seen
from jupyter_selfheal.inside.search.scope import Change

STATES, LIKELIEST, PAIRS = 4, 40, 300
"""Single changes that pairs are put on, how many of the likeliest changes are put together there, and how many of these pairs are tried on each."""

_Weighed = tuple[float, int, Change]
"""A change of a state's text with its weight and unit."""


def pair_on_singles(frontier: Frontier, partial: Sequence[Candidate]) -> Iterator[Candidate]:
    """Two of the likeliest changes on top of the likeliest single ones, one for each set of checks that passes with them; each of these is
    gone on from once, and its text is read anew."""
    likeliest: dict[int, Candidate] = {}
    for c in sorted(partial, key=lambda c: -c.weight):
        if c.edits == 1 and not c.is_anew and c.result.mask & ~frontier.known:
            likeliest.setdefault(c.result.mask, c)
    states = [c for c in likeliest.values() if c.rank not in frontier.paired_on][:STATES]
    frontier.paired_on.update(c.rank for c in states)
    return frontier.maker.compile_groups(_place_pairs(frontier, states), GROUP_OF_PAIRS)


def _place_pairs(frontier: Frontier, states: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """The pairs on all states, the likeliest first, each with the candidate that has one of the two alone."""
    pairs: list[tuple[float, Candidate, _Weighed, _Weighed]] = []
    for state, seen in zip(states, frontier.look(states), strict=True):
        changes = itertools.islice(_list_fitting(frontier, state, seen), LIKELIEST)
        weighed = [(state.weight * a[0] * b[0], state, a, b) for a, b in itertools.combinations(changes, 2)]
        pairs += sorted(weighed, key=lambda pair: -pair[0])[:PAIRS]
    for _, state, one, other in sorted(pairs, key=lambda pair: -pair[0]):
        if (both := _place_both(frontier, state, one, other)) is not None:
            yield both


def _list_fitting(frontier: Frontier, state: Candidate, seen: Seen) -> Iterator[_Weighed]:
    """The changes of a state's texts, best first, each once."""
    known = set[tuple[int, tuple[Edit, ...]]]()
    for weight, n, change, anew in heapq.merge(*frontier.list_changes(state, seen, True), key=lambda item: -item[0]):
        moved = change if anew or n not in state.texts else move_change(change, frontier.find_edits(state, n))
        if moved is not None and (n, moved.edits) not in known:
            known.add((n, moved.edits))
            yield weight, n, moved


def _place_both(
    frontier: Frontier, state: Candidate, first: _Weighed, second: _Weighed
) -> tuple[Candidate, Candidate] | None:
    (weight, n, change), (other_weight, m, other) = first, second
    moved = move_change(other, change.edits) if n == m else other
    one = frontier.maker.place_change(state, n, change, state.weight * weight, n in state.texts)
    if one is None or moved is None:
        return None
    both = frontier.maker.place_change(one, m, moved, one.weight * other_weight, m in one.texts)
    return (both, one) if both else None
