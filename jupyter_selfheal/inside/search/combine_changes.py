"""Several edits: best first over states of failure. After each edit it is looked at what fails next, and where.

A state is a candidate under which more checks pass than before. States whose gains complete each other are united first
(edits in different functions seldom know of each other); then the best states are gone on from, with the changes that are
likely for what still fails under them: each is traced again, so that lines which only passing checks run fall out.
Everything is counted, nothing timed: the same states are gone on from on every machine.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import log2, prod

from jupyter_selfheal.inside.positions import Edit, find_difference
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.localise_faults import Seen
from jupyter_selfheal.inside.search.mutations.missing_code import ASKED_FOR
from jupyter_selfheal.inside.search.propose_mutations import NEVER_REACHED, weigh_line
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.scope import Change

EDITS = 4
"""Edits of one candidate, at most."""
STATES, ALIKE = 8, 3
"""States that are gone on from in a round, and those in all rounds under which the same checks pass."""
CASE, MOVED, CASES, MOVES = "case", "moved", 2, 3
"""Of them those with a case that gives a constant (``if x: return 0``, which is right for some check by chance), but for an empty
collection; and those under which no other check passes, but all get past the error that they raised."""
_CONSTANT_CASE = re.compile(r"\s*if (?!not \w+:)[^\n]+:\n\s*return (?:-?\d+|True|False|None|''|\[\])?\n")
_WORD = re.compile(r"[^\W\d]\w*")
PER_BIT = 0.2
"""Failing checks that a state may have more than another one for each bit by which it is likelier."""
NEXT = 1200
"""Changes that are tried on each of those."""
UNITED, CHOICES = 2000, 6
"""Unions of states that are tried, and states of the same gain that take part in them."""
EARLY = 300
"""And of unions that are tried before all single changes were."""
ANEW = 2
"""States of a round whose edited text is read anew, for what only it makes possible; on others the program's changes are put."""
PAIRED, PAIRS = 150, 2_500
"""The likeliest changes of which two are made at once where nothing else was found, and how many such pairs are tried."""
EARLY_PAIRS = 1_000
"""Those of them that are tried after the first rounds of several edits."""
GROUP_OF_PAIRS = 800
"""Pairs that are made before they are compiled: those with the same first change are compiled together."""
BESIDE = 300
"""And of those that are tried beside several edits that pass everything, and on top of each of ``NEAREST`` states in which one check still fails."""
NEAREST = 3
LIKELY_SLIP = 0.7
"""Weight of a first change that is gone on from though no other check passes with it."""
SURE_SLIP = 0.85
"""And though the same error comes up first, where all checks raise: a variable that is never begun fails whenever the code comes to it."""
NO_SECOND = 0.02
"""The least suspicion of a line of an edited unit for which that unit is edited again."""

Suspicion = Mapping[int, Mapping[int, float]]
_Weighed = tuple[float, int, Change]
"""A change with its weight and unit."""


class Frontier:
    """The states that are known, and those that were gone on from. ``known`` are the checks that pass as it is (a mask)."""

    def __init__(self, maker: Maker, known: int, look: Callable[[Sequence[Candidate]], Sequence[Seen]]) -> None:
        self.maker, self.known, self.look = maker, known, look
        self.expanded: set[int] = set()
        self.alike: dict[tuple[int, int, int, int], int] = {}
        self.paired = 0
        """How many of the likeliest pairs were made."""
        self.paired_on: set[int] = set()
        """The states on top of which pairs were made of their own text."""
        self._by_line: dict[tuple[int, int], list[tuple[int, Change]]] = {}
        self._extents: dict[tuple[int, int], tuple[int, int]] = {}
        """Where the first of those begins, and the last."""

    def take_states(self, partial: Sequence[Candidate]) -> list[Candidate]:
        """The best states that nothing has gone on from yet, few of those under which the same checks pass."""
        taken: list[Candidate] = []
        fresh = [(s, self._name_kind(s)) for s in partial if s.rank not in self.expanded and s.edits < EDITS]
        left = {CASE: CASES, MOVED: min(MOVES, sum(kind == MOVED for _, kind in fresh)), "": STATES}
        most = max((s.senseless for s in partial), default=0)
        for state, kind in sorted(fresh, key=lambda pair: _rate_state(pair[0], pair[1], most)):
            come_to = (state.result.mask, state.result.raised, state.result.missing, state.senseless)
            alike = self.alike.get(come_to, 0)
            is_full = len(taken) >= STATES - (left[MOVED] if kind != MOVED else 0)
            if alike < ALIKE and left[kind] and not is_full:
                self.alike[come_to] = alike + 1
                left[kind] -= 1
                taken.append(state)
        self.expanded.update(s.rank for s in taken)
        return taken

    def _name_kind(self, state: Candidate) -> str:
        """Of which states few are gone on from: those that answer some inputs with a constant, and those that only no longer raise."""
        news = [new for edits in state.spliced.values() for _, _, new in edits]
        if not state.result.mask & ~self.known:
            return CASE if any("return" in new for new in news) else MOVED
        return CASE if any(_CONSTANT_CASE.fullmatch(new) for new in news) else ""

    def expand(self, states: Sequence[Candidate], units: Collection[int] | None = None) -> Iterator[Candidate]:
        """A further change on top of each of these states, the likeliest first over all of them; of these ``units``, if so."""
        return self.maker.compile_groups(self._place_changes(states, units))

    def _place_changes(
        self, states: Sequence[Candidate], units: Collection[int] | None
    ) -> Iterator[tuple[Candidate, Candidate]]:
        steps: list[tuple[float, Candidate, int, Change, bool]] = []
        for place, (state, seen) in enumerate(zip(states, self.look(states), strict=True)):
            merged = heapq.merge(*self.list_changes(state, seen, place < ANEW), key=lambda item: -item[0])
            changes = merged if units is None else (item for item in merged if item[1] in units)
            steps.extend((item[0] * state.weight, state, *item[1:]) for item in itertools.islice(changes, NEXT))
        steps.sort(key=lambda step: -step[0] / (1 + step[1].result.failed))
        for weight, state, n, change, anew in steps:
            placed = change if anew or n in state.spliced else move_change(change, self.find_edits(state, n))
            is_edited = n in state.texts and n not in state.spliced
            candidate = self.maker.place_change(state, n, placed, weight, anew or is_edited) if placed else None
            if candidate is not None:
                yield candidate, state

    def list_changes(self, state: Candidate, seen: Seen, anew: bool) -> list[Iterator[tuple[float, int, Change, bool]]]:
        """The changes of all units with their weights by what still fails in this state, in parts that are each in order; those of an
        edited text ``anew``."""
        suspicion, empty_given = seen
        units = self.maker.program.units
        empty = self.maker.stubs - state.texts.keys()
        edited = {n for n in state.texts if anew or n not in state.spliced}
        whole = {n for n in edited if brings_names(units[n].text, state.texts[n])}
        suspicious = [n for n in edited if max(suspicion.get(n, {}).values(), default=0.0) > NO_SECOND]
        return [
            *(self._rank_anew(n, units[n].text, suspicion, state.texts, None, False) for n in empty),
            self._weigh_known(state, suspicion, whole | empty),
            self._weigh_empty_cases(
                suspicion, empty_given - self.maker.sight.empty, state.texts.keys() & (whole | empty)
            ),
            *(
                self._rank_anew(
                    n, state.texts[n], suspicion, None, None if n in whole else self._find_lines(state, n), True
                )
                for n in suspicious
            ),
        ]

    def _rank_anew(
        self,
        n: int,
        text: str,
        suspicion: Suspicion,
        changed: Mapping[int, str] | None,
        near: Collection[int] | None,
        anew: bool,
    ) -> Iterator[tuple[float, int, Change, bool]]:
        for weight, _, change in self.maker.rank_changes(n, text, suspicion.get(n, {}), changed, near):
            yield weight, n, change, anew

    def find_edits(self, state: Candidate, n: int) -> Sequence[Edit]:
        """The edits of a unit's text as the program has it; one, from the first difference to the last, where an edited text was edited."""
        if n in state.spliced or n not in state.texts:
            return state.spliced.get(n, ())
        return (find_difference(self.maker.program.units[n].text, state.texts[n]),)

    def _find_lines(self, state: Candidate, n: int) -> frozenset[int]:
        """The lines of an edited text that its edits are in."""
        text, lines = self.maker.program.units[n].text, set[int]()
        moved = 0
        for start, end, new in sorted(self.find_edits(state, n)):
            first = text.count("\n", 0, start) + moved + 1
            lines.update(range(first, first + new.count("\n") + 1))
            moved += new.count("\n") - text.count("\n", start, end)
        return frozenset(lines)

    def _weigh_known(
        self, state: Candidate, suspicion: Suspicion, apart: Collection[int]
    ) -> Iterator[tuple[float, int, Change, bool]]:
        """The program's single changes by their weight in a state, best first, but for those of the units ``apart``.

        There are tens of thousands, of which a round tries some hundred: within a line they are in order already, and the lines are merged.
        """
        lines: list[Iterator[tuple[float, int, int, Change]]] = []
        for (n, number), changes in self._group_by_line().items():
            if n not in apart:
                lines.extend(self._weigh_group(state, suspicion.get(n, {}), n, number, changes))
        least = NEVER_REACHED * NO_SECOND
        for weight, _, n, change in heapq.merge(*lines):
            if -weight <= least:
                return
            yield -weight, n, change, False

    def _weigh_empty_cases(
        self, suspicion: Suspicion, empty: Collection[str], apart: Collection[int]
    ) -> Iterator[tuple[float, int, Change, bool]]:
        """The cases for what is empty where a check fails only in this state: an edit that is right for all else may not be for that."""
        asked = tuple(f"lacks the case `if not {name}:" for name in sorted(empty))
        if not asked:
            return
        found = [
            (n, c) for _, n, c in self.maker.changes if n not in apart and any(words in c.words for words in asked)
        ]
        weighed = [(c.prior * ASKED_FOR * weigh_line(suspicion.get(n, {}), c.line), n, c) for n, c in found]
        for weight, n, change in sorted(weighed, key=lambda item: -item[0]):
            yield weight * self.maker.weigh_unit(n), n, change, False

    def _group_by_line(self) -> Mapping[tuple[int, int], list[tuple[int, Change]]]:
        """The program's single changes with their places among all of them, by unit and line, the likeliest first."""
        if not self._by_line:
            for place, (_, n, change) in enumerate(self.maker.changes):
                self._by_line.setdefault((n, change.line), []).append((place, change))
            for key, changes in self._by_line.items():
                changes.sort(key=lambda item: -item[1].prior)
                places = [change.edits[0][0] for _, change in changes]
                self._extents[key] = min(places), max(places)
        return self._by_line

    def _weigh_group(
        self, state: Candidate, lines: Mapping[int, float], n: int, number: int, changes: list[tuple[int, Change]]
    ) -> Iterator[Iterator[tuple[float, int, int, Change]]]:
        """The changes of a line, apart by how far down a state's edits have moved them, each with the negative of its weight."""
        text, share = self.maker.program.units[n].text, self.maker.weigh_unit(n)
        added = [(end, new.count("\n") - text.count("\n", start, end)) for start, end, new in self.find_edits(state, n)]
        added = sorted((end, more) for end, more in added if more)
        first, last = self._extents[n, number]
        moved: dict[int, list[tuple[int, Change]]] = {}
        if all(end <= first or last < end for end, _ in added):  # all of them are on the same side of each edit
            moved[sum(more for end, more in added if end <= first)] = changes
        else:
            ends = [end for end, _ in added]
            shifts = [*itertools.accumulate((more for _, more in added), initial=0)]
            parts = [moved.setdefault(shift, []) for shift in shifts]
            for item in changes:
                parts[bisect.bisect_right(ends, item[1].edits[0][0])].append(item)
        for shift, members in moved.items():
            weight = weigh_line(lines, number + shift)
            yield _weigh_members(members, n, weight, share)

    def unite_all(self, partial: Sequence[Candidate], failed: int) -> Iterator[Candidate]:
        """As ``unite`` does it first, but only where all that has ``failed`` is mended by one state or another, and the likeliest."""
        gains = self._group_gains([c for c in partial if c.edits == 1 and c.spliced])
        if functools.reduce(operator.or_, gains, 0).bit_count() >= failed:
            yield from itertools.islice(self.unite(partial, is_first=True), EARLY)

    def pair_likeliest(
        self, most: int = PAIRS, units: Collection[int] | None = None, state: Candidate | None = None
    ) -> Iterator[Candidate]:
        """Two of the likeliest changes at once, of these ``units`` and on top of a ``state`` where there is one: of two slips in one line of
        thought neither brings anything by itself. Of all units and as it is those that are left from the last time."""
        after, self.paired = (self.paired, max(most, self.paired)) if units is None else (0, self.paired)
        known = self.maker.changes if units is None else (c for c in self.maker.changes if c[1] in units)
        likeliest = list(itertools.islice(known, PAIRED))
        pairs = sorted(itertools.combinations(likeliest, 2), key=lambda pair: -pair[0][0] * pair[1][0])[after:most]
        yield from self.maker.compile_groups(self._place_pairs(pairs, state), GROUP_OF_PAIRS)

    def _place_pairs(
        self, pairs: Sequence[tuple[_Weighed, _Weighed]], state: Candidate | None
    ) -> Iterator[tuple[Candidate, Candidate]]:
        built: dict[int, Candidate | None] = {}
        for (weight, n, change), (other_weight, m, other) in pairs:
            if id(change) not in built:
                built[id(change)] = self.maker.build_candidate(state, n, change, weight)
            first = built[id(change)]
            if first is not None and (both := self.maker.place_change(first, m, other, weight * other_weight)):
                both.parent = state.result if state else None
                yield both, first

    def go_beside(self, partial: Sequence[Candidate], is_found: bool) -> Iterator[Candidate]:
        """What comes before less likely changes: the likeliest pairs, or where a union of what is known passes everything, what else goes on from that."""
        return (
            itertools.islice(self.expand(self.take_states(partial)), BESIDE)
            if is_found
            else self.pair_likeliest(BESIDE)
        )

    def pair_on_nearest(self, partial: Sequence[Candidate]) -> Iterator[Candidate]:
        """Two of the likeliest changes at once on top of the likeliest states in which one check alone still fails."""
        near = sorted((c for c in partial if c.result.failed == 1 and c.spliced), key=lambda c: (c.edits, -c.weight))
        for state in near[:NEAREST]:
            yield from self.pair_likeliest(BESIDE, range(len(self.maker.program.units)), state)

    def unite(self, partial: Sequence[Candidate], is_first: bool = False) -> Iterator[Candidate]:
        """States of which each makes other checks pass, all at once: two, three or four whose gains together are all there are.

        Where it ``is_first``, no more than two edits of one function: what two that go on from each other do comes before what three by chance do.
        """
        gains = self._group_gains([c for c in partial if c.edits == 1 and c.spliced])
        everything = 0
        for gain in gains:
            everything |= gain
        sets = [
            chosen
            for size in range(2, EDITS + 1)
            for chosen in itertools.islice(itertools.combinations(gains, size), UNITED * 5)
            if _is_cover(chosen, everything)
        ]
        combined = [members for chosen in sets[:UNITED] for members in itertools.product(*(gains[g] for g in chosen))]
        if is_first:
            combined = [m for m in combined if len(m) == 2 or len({c.unit for c in m}) == len(m)]
        combined.sort(key=lambda members: (len(members), -prod(c.weight for c in members)))
        for members in combined[:UNITED]:
            if (united := self.unite_candidates(members)) is not None:
                yield united

    def _group_gains(self, partial: Sequence[Candidate]) -> dict[int, list[Candidate]]:
        """The likeliest candidates for each set of checks that newly pass, the largest sets first; those that lose one come last."""
        gains: dict[int, list[Candidate]] = {}
        for c in sorted(partial, key=lambda c: ((self.known & ~c.result.mask).bit_count(), -c.weight)):
            members = gains.setdefault(c.result.mask & ~self.known, [])
            if len(members) < CHOICES:
                members.append(c)
        return dict(sorted(gains.items(), key=lambda item: -item[0].bit_count())[:40])

    def unite_candidates(self, members: Sequence[Candidate]) -> Candidate | None:
        """One candidate with the edits of all; None where they overlap."""
        edits: dict[int, list[tuple[int, int, str]]] = {}
        for member in members:
            for n, spliced in member.spliced.items():
                edits.setdefault(n, []).extend(spliced)
        return self.maker.build_united(members, {n: tuple(e) for n, e in edits.items()})


def move_change(change: Change, edits: Sequence[Edit]) -> Change | None:
    """A change of a text as one of the text that some edits of it make; None where it is of what they have replaced."""
    moved = []
    for start, end, new in change.edits:
        if any(first < end and start < last for first, last, _ in edits):
            return None
        by = sum(len(text) - (last - first) for first, last, text in edits if last <= start)
        moved.append((start + by, end + by, new))
    return change._replace(edits=tuple(moved))


def brings_names(old: str, new: str) -> bool:
    """Whether a text has words that the old one has not: what they make possible may be anywhere in it."""
    return bool({*_WORD.findall(new)} - {*_WORD.findall(old)})


def _weigh_members(
    members: Sequence[tuple[int, Change]], n: int, weight: float, share: float
) -> Iterator[tuple[float, int, int, Change]]:
    return ((-(change.prior * weight * share), place, n, change) for place, change in members)


def is_likely_slip(candidate: Candidate, base: Result) -> bool:
    """Whether a first change mends what is wrong by its looks, and no check that passed fails with it: something else is wrong too."""
    is_lossless = not base.mask & ~candidate.result.mask
    is_likely = candidate.senseless or candidate.weight >= LIKELY_SLIP
    return candidate.parent is None and candidate.edits == 1 and bool(is_likely) and is_lossless


def is_sure_slip(candidate: Candidate, base: Result) -> bool:
    """Whether it does so beyond doubt. Where no check passes as it is, none is lost, so that nothing need be known of its run."""
    return not base.passed and candidate.weight >= SURE_SLIP and is_likely_slip(candidate, base)


def _is_cover(chosen: Sequence[int], everything: int) -> bool:
    """True where the sets together are everything, and none of them could be left out."""
    for n in range(len(chosen)):
        rest = 0
        for k, gain in enumerate(chosen):
            rest |= gain if k != n else 0
        if rest | chosen[n] != everything or rest == everything:
            return False
    return True


def _rate_state(state: Candidate, kind: str, senseless: int) -> tuple[float, int]:
    """Less is better: what still fails, what is still ``senseless`` of so many such edits, and how unlikely the edits are (each by itself costs something
    too). Where each of several got past what failed before it, none of them is less likely for the others."""
    bits = -log2(max(state.weight, 1e-9)) / (state.edits if kind == MOVED else 1)
    return round(state.result.failed + senseless - state.senseless + PER_BIT * bits, 6), state.rank


def gains_something(candidate: Candidate, base: Result, raised: int) -> bool:
    """Whether more checks pass than before a candidate's last change; or as many without the error that all ``raised``, or the name that was missing;
    or with a first one as many, and others, so that a second one may bring back what that lost."""
    result, before = candidate.result, candidate.parent or base
    if result.passed > before.passed or is_likely_slip(candidate, base):
        return True
    if result.passed < before.passed:
        return False
    is_past = result.raised < min(raised, before.raised) or result.finds_name(before.missing)
    if result.failed == before.failed and is_past:
        return True
    return candidate.parent is None and bool(result.mask & ~before.mask)


def count_raised(base: Result, counts_all: bool) -> int:
    """The checks that fail by an error, where all that fail do: a change without that error goes on to what fails next."""
    return base.raised if counts_all and base.raised == base.failed else 0
