"""Candidates: one or more changes of a program's statements, made from its text and from what a run of it has shown."""

from __future__ import annotations

import builtins
import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import Edit, splice
from jupyter_selfheal.inside.search.agreed_errors import find_agreed_errors
from jupyter_selfheal.inside.search.compile_together import compile_together
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.mutations import empty_bodies
from jupyter_selfheal.inside.search.outside_reads import count_outside_reads
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CELL, DEFINE, REPLAY, Program, compile_unit, fingerprint
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.scope import CALLABLE, Change, Hints, Scope, find_kind
from jupyter_selfheal.inside.search.written_anew import list_bodies_as_of_stub, list_new_bodies
from jupyter_selfheal.inside.tree_names import list_defined_names

QUERY = 0.25
"""Weight of changes to a statement that asks what a function gives."""
EARLIER = 0.7
"""Weight of changes to a statement of an earlier cell: it ran, and other cells read what it gave."""
LIKELY = 0.3
"""The least prior of a change to an earlier cell where a single check decides: with rarer ones, some change always fits."""
ADDED = (" lacks ", " is missing", " is left out")
"""In the words of a change that brings in something new, which fits a single check too easily."""
SAME_SLIP = 0.6
"""How much less likely it is that a slip was made in all its places than in one."""
SLIP_EDITS = 2
"""What the same slip in several places counts: more than one edit, however many places there are."""
ANEW_EDITS = 3
"""What a whole body in place of another one counts."""
PLACES, LONGEST_SLIP = 6, 40
"""Places of one slip, and characters of what stands there, at most."""
BESIDE_SENSELESS, SURELY = 400, 0.9
"""The likeliest changes that are made beside a mend of what is senseless too, and how sure that mend is."""
WRAPPED = 2
"""Places of a slip that puts a call around what stands there, at most: what is read in more of them is made so once, above them."""
GROUP = 192
"""Candidates that are made before they are compiled, those of one text together."""


_OWN = (DEFINE, CELL)
_DEF = re.compile(r"def (\w+)\(")
_DEFINITIONS = ("def ", "async def ", "class ", "@")


@dataclass(slots=True)
class Candidate:
    """One or more changes of units: the new text of each, in words, and its weight (prior × suspiciousness)."""

    texts: dict[int, str]
    words: str
    line: int
    weight: float
    unit: int
    size: int
    edits: int = 1
    spoken_for: int = 0
    """For how many of these edits the text alone speaks, as what they mend is senseless."""
    codes: dict[int, CodeType] = field(default_factory=dict)
    result: Result = Result(1, 0)
    rank: int = 0
    given: int = 0
    """The most steps that it was allowed to take: what was cut then is not tried again."""
    spliced: dict[int, tuple[Edit, ...]] = field(default_factory=dict)
    """The edits of each unit's text as the program has it, where none is an edit of an edited text."""
    parent: Result | None = None
    """The result of the candidate that this one goes on from."""
    is_slip: bool = False
    """One slip, mended in all its places."""
    is_anew: bool = False
    """A whole body in place of another one."""
    senseless: int = 0
    """In how many places of the text something is mended that cannot be meant, as one edit or several: that is gone on from, though something
    else is wrong too. ``spoken_for`` counts the edits."""
    follows: Candidate | None = None
    """What a further change was made of that no check asks for: it is shown beside that, before or behind it by its ``shift``."""
    shift: float = 0.0
    doubt: str = ""
    key: int = 0
    """Equal for candidates that do the same, where the code was compiled together with others; 0 where it was by itself."""

    def make_key(self) -> int:
        """Equal for candidates that do the same, as far as their code tells."""
        if self.key:
            return self.key
        parts = sorted((n, fingerprint(code)) for n, code in self.codes.items())
        return hash(parts[0] if len(parts) == 1 else tuple(parts))


def _list_bound_at_top(program: Program) -> frozenset[str]:
    """What statements of the program bind that no run has come to: ``f = lambda x: …`` of the failing cell."""
    plain = (u.text for u in program.units if u.role == CELL and not u.text.startswith(_DEFINITIONS))
    return frozenset(name for text in plain for name in list_defined_names(parse_once(text)))


class Maker:
    """Makes the candidates of a program in a namespace. ``given`` are the notebook's hints, ``sight`` is what a run has shown."""

    def __init__(self, program: Program, ns: Mapping[str, Any], given: Mapping[str, Any], sight: Sight) -> None:
        self.program, self.ns, self.given, self.sight = program, ns, given, sight
        self.changes: list[tuple[float, int, Change]] = []
        """Every single change with its weight and unit, best first, as soon as they were made."""
        self.signatures = {name: tuple(parameters) for name, parameters in given.get("signatures", ())}
        set_here = _list_bound_at_top(program)
        self.defined = frozenset(ns) | self.signatures.keys() | set_here
        self.known = self.defined.union(dir(builtins))
        self.outside = frozenset(
            n for n in given.get("names", ()) if n in set_here or (n in ns and find_kind(ns[n]) != CALLABLE)
        )
        """Variables of the notebook that a function may read in place of what it is given."""
        self.made = {name: (source, text) for name, source, text in given.get("made", ())}
        self.off = find_agreed_errors(program, sight.numbers)
        self.texts = {m[1]: u.text for u in program.units if u.role in _OWN and (m := _DEF.match(u.text))}
        self.stubs = {n for n, u in enumerate(program.units) if u.mutable and empty_bodies.is_stub(u.text)}
        """Units that are a function with nothing in it: what they lack hangs on what their siblings are."""
        self._ranked: dict[tuple[int, str, tuple[tuple[int, str], ...]], list[tuple[float, int, Change]]] = {}

    def count_outside_reads(self, texts: Mapping[int, str]) -> int:
        """How many variables of the notebook the functions of the program, with these texts of units, read in place of what they are given."""
        return sum(
            count_outside_reads(texts.get(n, u.text), self.outside, self.made)
            for n, u in enumerate(self.program.units)
            if u.mutable
        )

    def _build_scope(self, unit: int, text: str, changed: Mapping[int, str]) -> Scope:
        kinds = dict(self.sight.kinds.get(unit, {}))
        given = self.given
        outside = frozenset(n for n in given.get("names", ()) if n in self.ns)
        is_at_top = not text.startswith(_DEFINITIONS)
        nearby = tuple(n for n in given.get("nearby", ()) if n in self.ns) if is_at_top else ()
        for name in (*outside, *nearby):
            kinds.setdefault(name, frozenset({find_kind(self.ns[name])}))
        hints = Hints(
            kinds,
            frozenset(given.get("attributes", ())),
            frozenset(given.get("callables", ())),
            outside,
            frozenset(given.get("of_classes", ())),
            frozenset(given.get("extended", ())),
            tuple(given.get("modules", ())),
            nearby,
            self.defined,
            self.signatures,
            self.texts | {m[1]: t for t in changed.values() if (m := _DEF.match(t))},
            self.sight.checked,
            self.outside,
            self.made,
            self.off,
            self.sight.empty,
            not self.program.units[unit].query,
            self.program.units[unit].role != REPLAY,
        )
        return Scope(text, hints)

    def rank_changes(
        self,
        unit: int,
        text: str,
        suspicion: Mapping[int, float],
        changed: Mapping[int, str] | None = None,
        near: Collection[int] | None = None,
    ) -> Iterator[tuple[float, int, Change]]:
        """The changes of a unit's text with their weights, best first; ``changed`` are the texts of units that are changed already, and
        ``near`` the lines that are all that is looked at."""
        checks = self.sight.result.failed + self.sight.result.passed
        is_strict = self.program.units[unit].role == REPLAY and checks == 1
        share = self.weigh_unit(unit)
        for weight, change in rank_changes(self._build_scope(unit, text, changed or {}), suspicion, near):
            if is_strict and (change.prior < LIKELY or any(word in change.words for word in ADDED)):
                continue
            yield weight * share, unit, change

    def rank_everywhere(
        self, unit: int, text: str, changed: Mapping[int, str] | None = None
    ) -> list[tuple[float, int, Change]]:
        """The same where no check fails any more, and each line is as likely as another; kept for the next who asks."""
        key = (unit, text, tuple((changed or {}).items()))
        if key not in self._ranked:
            lines = dict.fromkeys(range(text.count("\n") + 3), 1.0)
            self._ranked[key] = list(self.rank_changes(unit, text, lines, changed))
        return self._ranked[key]

    def weigh_unit(self, unit: int) -> float:
        """By what a statement is for, how much a change of it counts (0–1)."""
        given = self.program.units[unit]
        return (QUERY if given.query else 1.0) * (EARLIER if given.role == REPLAY else 1.0)

    def make_singles(self) -> Iterator[Candidate]:
        """Every single change of every mutable unit, best first over all units."""
        return self.compile_groups(self._make_singles())

    def _make_singles(self) -> Iterator[tuple[Candidate, Candidate | None]]:
        """Each with the one that it is made on, where something senseless is mended too."""
        for n, unit in enumerate(self.program.units):
            if unit.mutable:
                self.changes.extend(self.rank_changes(n, unit.text, self.sight.suspicion.get(n, {})))
        self.changes.sort(key=lambda item: -item[0])
        together = sorted(self._group_slips(), key=lambda group: -group[0])
        senseless, beside = self._mend_senseless(), BESIDE_SENSELESS
        for weight, n, change in self.changes:
            while together and together[0][0] >= weight:
                yield from ((slip, None) for slip in self._build_slip(*together.pop(0)))
            if (candidate := self.place_change(None, n, change, weight)) is not None:
                yield candidate, None
            if senseless is not None and change.kind != "senseless" and beside:
                beside -= 1
                if (both := self.place_change(senseless, n, change, weight * SURELY)) is not None:
                    both.parent = None
                    yield both, senseless

    def _mend_senseless(self) -> Candidate | None:
        """All that is senseless in the program, mended; None where nothing is."""
        most: dict[int, tuple[float, Change]] = {}
        for weight, n, change in self.changes:
            if change.kind == "senseless" and len(change.edits) > len(most[n][1].edits if n in most else ()):
                most[n] = weight, change
        placed = [self.build_candidate(None, n, change, weight) for n, (weight, change) in most.items()]
        members = [candidate for candidate in placed if candidate is not None]
        return self.build_united(members, {c.unit: c.spliced[c.unit] for c in members}) if members else None

    def make_new_bodies(
        self, units: Collection[int] | None = None, state: Candidate | None = None
    ) -> Iterator[Candidate]:
        """Functions that failing checks run, written anew, of these ``units`` where they are given: what is tried last."""
        for n, unit in enumerate(self.program.units):
            if (units is not None and n not in units) or (state and n in state.texts):
                continue
            suspicion = max(self.sight.suspicion.get(n, {}).values(), default=0.0)
            if unit.mutable and suspicion and unit.text.startswith("def "):
                scope = self._build_scope(n, unit.text, state.texts if state else {})
                bodies = (*list_new_bodies(scope), *list_bodies_as_of_stub(scope))
                for change in sorted(bodies, key=lambda change: -change.prior):
                    weight = change.prior * suspicion * self.weigh_unit(n) * (state.weight if state else 1.0)
                    candidate = self.build_candidate(state, n, change, weight)
                    if candidate is not None:
                        candidate.is_anew = True
                        candidate.edits = ANEW_EDITS + (state.edits if state else 0)
                        yield candidate

    def _group_slips(self) -> Iterator[tuple[float, list[tuple[int, Change]]]]:
        """The same slip in all its places, with its weight: who errs once does so again, in the sibling function too. The 1 of `n - 1` is
        another one than that of `n + 1`."""
        places: dict[tuple[str, str, str], list[tuple[float, int, Change]]] = {}
        for weight, n, change in self.changes:
            if len(change.edits) == 1 and change.edits[0][0] < change.edits[0][1]:
                start, end, new = change.edits[0]
                old = self.program.units[n].text[start:end]
                if len(old) <= LONGEST_SLIP and "\n" not in new:
                    sign = self.program.units[n].text[:start].rstrip()[-1:] if old.isdigit() else ""
                    places.setdefault((old, new, sign if sign in "+-" else ""), []).append((weight, n, change))
        for (old, new, _), group in places.items():
            is_wrapped = "(" in new and len(new) > len(old) and old in new
            units = dict.fromkeys(n for _, n, _ in group)
            parts = [group, *([m for m in group if m[1] == n] for n in units)] if len(units) > 1 else [group]
            for part in parts:
                if 2 <= len(part) <= (WRAPPED if is_wrapped else PLACES):
                    yield SAME_SLIP * part[0][0] * (part[1][0] / part[0][0]) ** 0.5, [(n, c) for _, n, c in part]

    def _build_slip(self, weight: float, places: Sequence[tuple[int, Change]]) -> Iterator[Candidate]:
        edits: dict[int, tuple[Edit, ...]] = {}
        for n, change in places:
            edits[n] = (*edits.get(n, ()), *change.edits)
        n, first = places[0]
        try:
            texts = {k: splice(self.program.units[k].text, spliced) for k, spliced in edits.items()}
        except ValueError:  # a place within another one
            return
        words = f"{first.words}, in all {len(places)} places"
        candidate = Candidate(
            texts, words, first.line, weight, n, sum(len(e[0][2]) for e in edits.values()), SLIP_EDITS
        )
        candidate.spliced, candidate.is_slip = edits, True
        self.compile_candidate(candidate)
        yield candidate

    def build_candidate(
        self, first: Candidate | None, n: int, change: Change, weight: float, anew: bool = False
    ) -> Candidate | None:
        """A change of unit ``n`` with its code, on top of another candidate where there is one: see :meth:`place_change`."""
        candidate = self.place_change(first, n, change, weight, anew)
        if candidate is not None:
            self.compile_candidate(candidate, first)
        return candidate

    def place_change(
        self, first: Candidate | None, n: int, change: Change, weight: float, anew: bool = False
    ) -> Candidate | None:
        """A change of unit ``n`` without its code, on top of those of another candidate where there is one; None where the two overlap.

        The change is one of the program's text, or, made ``anew``, one of the text as the other candidate has it.
        """
        texts, spliced = (dict(first.texts), dict(first.spliced)) if first else ({}, {})
        edits = change.edits if anew or n not in texts else (*spliced[n], *change.edits)
        try:
            texts[n] = splice(texts[n] if anew else self.program.units[n].text, edits)
        except ValueError:
            return None
        size = sum(abs(end - start) + len(new) for start, end, new in change.edits)
        candidate = Candidate(texts, change.words, change.line, weight, n, size)
        candidate.spoken_for = (first.spoken_for if first else 0) + (change.kind == "senseless")
        candidate.spliced = {} if anew else {**spliced, n: edits}
        if first:
            candidate.words = f"{first.words}; {change.words}"
            candidate.edits, candidate.size, candidate.parent = first.edits + 1, first.size + size, first.result
            candidate.is_anew = first.is_anew
        candidate.senseless = (first.senseless if first else 0) + (change.kind == "senseless") * len(change.edits)
        return candidate

    def compile_groups(
        self, made: Iterator[tuple[Candidate, Candidate | None]], size: int = GROUP
    ) -> Iterator[Candidate]:
        """Candidates, each with the one that it goes on from, with their code: those that change the same text are compiled together."""
        while group := list(itertools.islice(made, size)):
            alike: dict[tuple[int, str], list[Candidate]] = {}
            for candidate, first in group:
                n = candidate.unit
                before = first.texts.get(n) if first else None
                if not candidate.codes and n in candidate.texts:
                    alike.setdefault((n, before or self.program.units[n].text), []).append(candidate)
            for (n, text), members in alike.items():
                found = compile_together(text, [c.texts[n] for c in members], partial(self.compile_text, n), self.known)
                for candidate, made_together in zip(members, found, strict=True):
                    if made_together is not None:
                        candidate.codes[n], key = made_together
                        others = tuple((k, t) for k, t in candidate.texts.items() if k != n)
                        candidate.key = hash((n, text, key, others)) or 1
            for candidate, first in group:
                self.compile_candidate(candidate, first)
                yield candidate

    def build_united(self, members: Sequence[Candidate], edits: Mapping[int, tuple[Edit, ...]]) -> Candidate | None:
        """One candidate with the ``edits`` of several; None where they overlap."""
        try:
            texts = {n: splice(self.program.units[n].text, spliced) for n, spliced in edits.items()}
        except ValueError:
            return None
        best = max(members, key=lambda c: c.weight)
        words = "; ".join(dict.fromkeys(c.words for c in members))
        united = Candidate(
            texts, words, best.line, prod(c.weight for c in members), best.unit, sum(c.size for c in members)
        )
        if len(texts) == len(members):  # each by itself is suspicious of a part of what fails only
            united.weight = min(1.0, united.weight * len(members) ** (len(members) / 2))
        united.edits, united.spliced = sum(c.edits for c in members), dict(edits)
        united.is_anew, united.senseless = any(c.is_anew for c in members), sum(c.senseless for c in members)
        united.spoken_for = sum(c.spoken_for for c in members)
        united.parent = max((c.result for c in members), key=lambda r: r.passed)
        self.compile_candidate(united)
        return united

    def compile_candidate(self, candidate: Candidate, first: Candidate | None = None) -> None:
        """Fill in the code of each changed unit, that of ``first`` where it is the same; nothing for one that is no Python."""
        for k, text in candidate.texts.items():
            if k in candidate.codes:
                continue
            same = first is not None and first.texts.get(k) == text and k in first.codes
            code = first.codes[k] if first and same else self.compile_text(k, text)
            if code is not None:
                candidate.codes[k] = code

    def compile_alone(self, candidate: Candidate) -> None:
        """Give a candidate code of its own, where it was compiled together with others."""
        if candidate.key:
            candidate.key, candidate.codes = 0, {}
            self.compile_candidate(candidate)

    def compile_kept(self, candidate: Candidate, kept: dict[int, int]) -> bool:
        """Give one that is kept code of its own, which is traced and compared; whether none that was ``kept`` before has the same (by its code, the rank).
        One that is only made by then, as forks are given work ahead, comes later: it is that one which is not kept."""
        if candidate.key:
            self.compile_alone(candidate)
        return kept.setdefault(candidate.make_key(), candidate.rank) == candidate.rank

    def compile_text(self, n: int, text: str) -> CodeType | None:
        """The code of a unit with this text; None where it is no Python."""
        try:
            return compile_unit(self.program, n, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, SystemError):
            return None
