"""Candidates: one or two changes of a program's statements, made from its text and from what a run of it has shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.program import REPLAY, Program, compile_unit
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.run_candidate import Result
from jupyter_selfheal.inside.search.scope import Change, Hints, Scope, kind_of

QUERY = 0.25
"""Weight of changes to a statement that asks what a function gives."""
EARLIER = 0.7
"""Weight of changes to a statement of an earlier cell: it ran, and other cells read what it gave."""
LIKELY = 0.3
"""The least prior of a change to an earlier cell where a single check decides: with rarer ones, some change always fits."""
ADDED = (" lacks ", " is missing")
"""In the words of a change that brings in something new, which fits a single check too easily."""
PAIRS = 8
"""Partial improvements that a second edit is combined with."""
SECOND = 1500
"""Second changes that are tried on each of those, at most."""


@dataclass(slots=True)
class Candidate:
    """One or two changes of units: the new text of each, in words, and its weight (prior × suspiciousness)."""

    texts: dict[int, str]
    words: str
    line: int
    weight: float
    unit: int
    size: int
    edits: int = 1
    codes: dict[int, CodeType] = field(default_factory=dict)
    result: Result = Result(1, 0)
    rank: int = 0


class Maker:
    """Makes the candidates of a program in a namespace. ``given`` are the notebook's hints, ``sight`` is what a run has shown."""

    def __init__(self, program: Program, ns: Mapping[str, Any], given: Mapping[str, Any], sight: Sight) -> None:
        self.program, self.ns, self.given, self.sight = program, ns, given, sight

    def _build_scope(self, unit: int, text: str) -> Scope:
        kinds = dict(self.sight.kinds.get(unit, {}))
        given = self.given
        outside = frozenset(n for n in given.get("names", ()) if n in self.ns)
        is_at_top = not text.startswith(("def ", "async def ", "class ", "@"))
        nearby = tuple(n for n in given.get("nearby", ()) if n in self.ns) if is_at_top else ()
        for name in (*outside, *nearby):
            kinds.setdefault(name, frozenset({kind_of(self.ns[name])}))
        hints = Hints(
            kinds,
            frozenset(given.get("attributes", ())),
            frozenset(given.get("callables", ())),
            outside,
            tuple(given.get("modules", ())),
            nearby,
            not self.program.units[unit].query,
            self.program.units[unit].role != REPLAY,
        )
        return Scope(text, hints)

    def _rank_changes(self, unit: int, text: str) -> Iterator[tuple[float, int, Change]]:
        suspicion = self.sight.suspicion.get(unit, {})
        checks = self.sight.result.failed + self.sight.result.passed
        is_strict = self.program.units[unit].role == REPLAY and checks == 1
        for weight, change in rank_changes(self._build_scope(unit, text), suspicion):
            if is_strict and (change.prior < LIKELY or any(word in change.words for word in ADDED)):
                continue
            yield weight * self._weigh_unit(unit), unit, change

    def _weigh_unit(self, unit: int) -> float:
        """By what a statement is for, how much a change of it counts (0–1)."""
        given = self.program.units[unit]
        return (QUERY if given.query else 1.0) * (EARLIER if given.role == REPLAY else 1.0)

    def make_singles(self) -> Iterator[Candidate]:
        """Every single change of every mutable unit, best first over all units."""
        changes: list[tuple[float, int, Change]] = []
        for n, unit in enumerate(self.program.units):
            if unit.mutable:
                changes.extend(self._rank_changes(n, unit.text))
        changes.sort(key=lambda item: -item[0])
        for weight, n, change in changes:
            yield self._build_candidate({}, n, self.program.units[n].text, change, weight)

    def make_pairs(self, partial: Sequence[Candidate]) -> Iterator[Candidate]:
        """A second change on top of the changes that made most checks pass."""
        best = sorted(partial, key=lambda c: (c.result.failed, -c.weight))[:PAIRS]
        streams: list[tuple[float, Candidate, int, Change]] = []
        for first in best:
            for n, unit in enumerate(self.program.units):
                if unit.mutable:
                    changes = list(self._rank_changes(n, first.texts.get(n, unit.text)))[:SECOND]
                    streams.extend((weight * first.weight, first, unit_n, change) for weight, unit_n, change in changes)
        streams.sort(key=lambda item: -item[0] / (1 + item[1].result.failed))
        for weight, first, n, change in streams:
            text = first.texts.get(n, self.program.units[n].text)
            candidate = self._build_candidate(first.texts, n, text, change, weight)
            candidate.words = f"{first.words}; {candidate.words}"
            candidate.edits = 2
            candidate.size += first.size
            yield candidate

    def _build_candidate(self, base: Mapping[int, str], n: int, text: str, change: Change, weight: float) -> Candidate:
        size = sum(abs(end - start) + len(new) for start, end, new in change.edits)
        new = splice(text, change.edits)
        candidate = Candidate({**base, n: new}, change.words, change.line, weight, n, size)
        candidate.codes = {k: v for k, v in ((n, self._compile(n, new)),) if v is not None}
        if base:
            for k, old in base.items():
                if k != n and (code := self._compile(k, old)) is not None:
                    candidate.codes[k] = code
        return candidate

    def _compile(self, n: int, text: str) -> CodeType | None:
        try:
            return compile_unit(self.program, n, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, SystemError):
            return None
