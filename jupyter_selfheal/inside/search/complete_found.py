"""A further change of what was found: who made two slips may have left one that no check tells of.

A candidate that passes every check, and gives nothing, raises, or breaks what holds of each checked call, for a call like these, is not
finished. One more change that keeps the checks and leaves no such call is shown before it; where there is none of these calls, the likeliest
slip beside it that the checks do not tell from what stands there is shown behind it. Both are offered and never applied: no check asks for them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import find_difference
from jupyter_selfheal.inside.search.broken_laws import list_alike, read_result
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.compare_behaviour import Input, collect_behaviours
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.laws import FEWEST, NamedLaw, list_laws
from jupyter_selfheal.inside.search.oracle_strength import Mutants
from jupyter_selfheal.inside.search.patience import RANKED
from jupyter_selfheal.inside.search.place_of_value import replace_places
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.ranking import Ranking
from jupyter_selfheal.inside.search.scope import Change

BASES, SHOWN = 2, 2
"""The likeliest hypotheses that are gone on from, and further changes of each that are shown."""
ROUNDS = 2
"""Changes in a row, where the first one leaves fewer of the odd calls and none leaves nothing."""
TRIED, PASSING = 600, 120
"""Further changes that are tried, and those that pass whose calls are compared."""
QUICK, SLOW = 25_000, 100
"""Steps of a candidate up to which so many are tried; a hundred, where its checks take more."""
SPENT = 4_000_000
"""Steps that all of them may take, with what each counts beside its own."""
ALIKE = 60
"""Calls like the checked ones that are looked at."""
STEPS = 6_000_000
"""Steps for comparing all."""
WAIT = 20.0
"""Seconds on the clock after which this is given up."""
LIKELY = 0.5
"""The least prior of a slip that is shown though nothing is odd."""
FINISHES = 0.2
"""The least prior of a change after which nothing is odd any more: ``(xs * 3)[2]`` raises no IndexError, and nobody means it."""
SLIPS = frozenset("<>=!-+ 0123456789")
"""What such a slip is made of: a comparison, a number, a step."""

UNTOLD = frozenset({"!late", "!TypeError"})
"""What says nothing of a generated call: no steps were left, or its parts are of types that nobody would mix."""

Arguments = tuple[Any, ...]


Ranked = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Patches as data, and questions."""


def rank_found(
    plausible: Sequence[Candidate], maker: Maker, pool: Pool, rushed: str, is_over: Callable[[], bool]
) -> Ranked:
    """What was found, best first, with what a further change of it gives where something speaks against the best; ``rushed`` says why likelier
    ones may not have been tried."""
    weights = [c.weight for c in plausible]
    mutants = Mutants(maker, pool.runner)
    ranking = Ranking(plausible, maker.sight, RANKED, mutants, rushed)
    patches, questions = ranking.rank()
    if not patches or not patches[0]["rival"] or is_over():
        return patches, questions
    further = Completion(maker, pool, is_over).complete(ranking.leaders[:BASES])
    if not further:
        return patches, questions
    for candidate, weight in zip(plausible, weights, strict=True):
        candidate.weight = weight
    doubt = patches[0]["rival"]
    patches, questions = Ranking([*plausible, *further], maker.sight, RANKED, mutants, rushed).rank()
    patches[0]["rival"] = patches[0]["rival"] or doubt
    return patches, questions


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a candidate gives for the calls of a function, checked and alike, and the places of those that are ``odd``."""

    shown: tuple[str, ...]
    odd: frozenset[int]


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a function that checks make, and those that are like them."""

    function: str
    checked: tuple[Arguments, ...]
    alike: tuple[Arguments, ...]
    known: dict[tuple[str, ...], Checked] = field(default_factory=dict)
    """By what the checked calls give: what is odd in another one beside that."""

    def write_call(self, at: int) -> str:
        """A call as text."""
        return Input(self.function, (*self.checked, *self.alike)[at]).text

    def read_behaviour(self, shown: Sequence[str]) -> Behaviour:
        """Which calls are odd: none that is checked is one, and what a checked one does is not odd in another."""
        count = len(self.checked)
        given = tuple(shown[:count])
        known = self.known.get(given) or self.known.setdefault(given, Checked.read(self.checked, given))
        odd = (
            n
            for n, (g, text) in enumerate(zip(self.alike, shown[count:], strict=False), count)
            if known.is_odd(n, g, text)
        )
        return Behaviour(tuple(shown), frozenset(odd))


@dataclass(frozen=True, slots=True)
class Checked:
    """What checked calls give: texts that are not odd in another call (``seen``), what holds of all of them, and their ``types``. Candidates
    mostly give the same for a call, too: what was asked once is ``told``."""

    seen: frozenset[str]
    laws: Sequence[NamedLaw]
    types: frozenset[type]
    told: dict[tuple[int, str], bool] = field(default_factory=dict)

    @classmethod
    def read(cls, checked: Sequence[Arguments], shown: Sequence[str]) -> Checked:
        """What the texts say that are ``shown`` for the calls."""
        results = [read_result(text) for text in shown]
        told = [(g, result) for g, (is_known, result) in zip(checked, results, strict=False) if is_known]
        is_whole = len(told) == len(checked)
        return cls(
            frozenset(text for text in shown if text == "None" or text[:1] == "!"),
            list_laws(told) if len(checked) >= FEWEST and is_whole else [],
            frozenset(type(result) for _, result in told) if is_whole else frozenset(),
        )

    def is_odd(self, n: int, given: Arguments, text: str) -> bool:
        """Whether what another call (the ``n``-th) gives is odd."""
        key = (n, text)
        if key not in self.told:
            self.told[key] = text not in self.seen and self._is_other(given, text)
        return self.told[key]

    def _is_other(self, given: Arguments, text: str) -> bool:
        is_known, result = read_result(text)
        is_broken = is_known and any(law.holds(given, result) is False for law in self.laws)
        is_other = bool(self.types) and is_known and type(result) not in self.types
        return is_broken or is_other or text == "None" or (text[:1] == "!" and text not in UNTOLD)


class Completion:
    """Finds further changes of candidates; ``pool`` is how they are screened, and ``is_over`` ends it."""

    def __init__(self, maker: Maker, pool: Pool, is_over: Callable[[], bool]) -> None:
        self.maker, self.pool, self.is_over = maker, pool, is_over
        self.runner, self.sight, self.steps = pool.runner, maker.sight, pool.steps
        self.tried = TRIED if pool.steps <= QUICK else SLOW
        self.until = time.monotonic() + WAIT
        self.left = SPENT

    def complete(self, bases: Sequence[Candidate]) -> list[Candidate]:
        """Further changes of each of the candidates, as candidates that follow it."""
        calls = self._choose_calls(bases)
        further = [found for base in bases for found in self._complete_one(base, calls)] if calls else []
        placed = [other for base in bases if (other := self._replace_places(base, base, 0.5))]
        return [*placed, *(self._replace_places(c, c.follows or c, c.shift) or c for c in further)]

    def _replace_places(self, candidate: Candidate, base: Candidate, shift: float) -> Candidate | None:
        """A candidate with the last place where it asks for that of the last value; None where it does not."""
        asked, texts = "", dict(candidate.texts)
        for n, text in candidate.texts.items():
            new, old = replace_places(text)
            texts[n], asked = new or text, asked or old
        if not asked:
            return None
        words = f"{candidate.words}; `{asked}` asks for a place by its value"
        placed = replace(candidate, texts=texts, codes={}, spliced={}, words=words, edits=candidate.edits + 1)
        self.maker.compile_candidate(placed)
        doubt = candidate.doubt or f"no check has the same item twice, for which `{asked}` is another place"
        return self._follow(placed, base, doubt, shift)

    def _choose_calls(self, bases: Sequence[Candidate]) -> Calls | None:
        """The function with the most checked calls, and calls of it like these."""
        checked = max(self.sight.checked.items(), key=lambda item: len(item[1]), default=None)
        if not bases or checked is None or len(checked[1]) < FEWEST:
            return None
        alike = list_alike(self.sight.calls.get(checked[0], ()), checked[1])
        return Calls(checked[0], tuple(checked[1]), tuple(sorted(alike, key=lambda g: len(repr(g)))[:ALIKE]))

    def _complete_one(self, base: Candidate, calls: Calls) -> Iterator[Candidate]:
        first = self._compare([base], calls)
        if not first:
            return
        state, known = base, first[0]
        for _ in range(ROUNDS):
            found = self._list_passing(state)
            behaviours = self._compare(found, calls)
            pairs = list(zip(found, behaviours, strict=False))
            if not known.odd:
                yield from self._choose_slip(base, first[0], pairs, calls)
                return
            fewest = min((len(b.odd) for _, b in pairs), default=len(known.odd))
            nearest = [(c, b) for c, b in pairs if len(b.odd) == fewest]
            nearest.sort(key=lambda pair: -_rate(pair[0], pair[1], known))
            if fewest == 0:
                yield from self._choose_finished(base, first[0], nearest, calls)
                return
            if fewest == len(known.odd):
                return
            state, known = nearest[0]

    def _choose_finished(
        self, base: Candidate, before: Behaviour, pairs: Sequence[tuple[Candidate, Behaviour]], calls: Calls
    ) -> Iterator[Candidate]:
        """The likeliest that leave no odd call, each of which gives something else than those before it."""
        at = min(before.odd)
        gives = before.shown[at]
        said = f"raises {gives[1:]}" if gives[:1] == "!" else "gives nothing" if gives == "None" else f"gives {gives}"
        words = f"`{calls.write_call(at)}` {said} without its last change, and no check asks for it"
        chosen = dict[tuple[str, ...], Candidate]()
        for candidate, behaviour in pairs:
            chosen.setdefault(behaviour.shown, candidate)
        for candidate in list(chosen.values())[:SHOWN]:
            yield self._follow(candidate, base, words, -0.5)

    def _choose_slip(
        self, base: Candidate, before: Behaviour, pairs: Sequence[tuple[Candidate, Behaviour]], calls: Calls
    ) -> Iterator[Candidate]:
        """The likeliest slip that the checks do not tell, where some call like them gives another value."""
        for candidate, behaviour in pairs:
            apart = [n for n, (a, b) in enumerate(zip(before.shown, behaviour.shown, strict=False)) if a != b]
            if apart and not behaviour.odd and "!late" not in behaviour.shown and _is_slip(base, candidate):
                words = f"the checks pass without its last change, and `{calls.write_call(apart[0])}` gives {before.shown[apart[0]]} then"
                yield self._follow(candidate, base, words, 0.5)
                return

    def _follow(self, candidate: Candidate, base: Candidate, doubt: str, shift: float) -> Candidate:
        return replace(candidate, follows=base, shift=shift, doubt=doubt, rank=base.rank, result=base.result)

    def _list_passing(self, base: Candidate) -> list[Candidate]:
        """Candidates with one change more, the likeliest first, with which every check passes."""
        made = list[Candidate]()
        for weight, n, change in self._rank_changes(base):
            if weight < FINISHES or len(made) == self.tried or self.is_over():
                break
            candidate = self.maker.build_candidate(base, n, change, base.weight * weight, n in base.texts)
            if candidate is not None and len(candidate.codes) == len(candidate.texts):
                made.append(candidate)
        jobs: Iterator[tuple[int, dict[int, CodeType]]] = ((n, dict(c.codes)) for n, c in enumerate(made))
        pool = Pool(self.runner, self.steps, 1, self.pool.jobs, self.pool.alone)
        results = pool.collect_results(jobs, self._is_late)
        with contextlib.closing(results):
            passing = list[Candidate]()
            for n, result, cost in results:
                self.left -= cost
                if result is not None and result.plausible:
                    passing.append(made[n])
                if self.left <= 0:
                    break
        return sorted(passing, key=lambda c: -c.weight)[:PASSING]

    def _is_late(self) -> bool:
        return time.monotonic() > self.until or self.is_over()

    def _rank_changes(self, base: Candidate) -> list[tuple[float, int, Change]]:
        """The changes of what the checks run, each line as likely as another: no check fails any more. What was senseless is not taken back where it was
        mended: `name = name` for `name = name.title()`."""
        found = list[tuple[float, int, Change]]()
        for n, unit in enumerate(self.maker.program.units):
            if n in base.texts or (unit.mutable and max(self.sight.suspicion.get(n, {}).values(), default=0.0)):
                text = base.texts.get(n, unit.text)
                mended = _list_new_lines(unit.text, text) if base.senseless else frozenset[int]()
                ranked = self.maker.rank_everywhere(n, text, base.texts)
                found.extend(item for item in ranked if item[2].line not in mended)
        return sorted(found, key=lambda item: -item[0])

    def _compare(self, candidates: Sequence[Candidate], calls: Calls) -> list[Behaviour]:
        """What each of the candidates gives; nothing where that could not be seen."""
        variants = [c.codes for c in candidates]
        given = [*calls.checked, *calls.alike]
        shown = run_in_fork(lambda: collect_behaviours(self.runner, variants, calls.function, given, STEPS), WAIT)
        return [calls.read_behaviour(row) for row in shown] if isinstance(shown, list) else []


def _list_new_lines(before: str, after: str) -> frozenset[int]:
    """The lines of a text that were not in it before, by number."""
    known = set(before.splitlines())
    return frozenset(n for n, line in enumerate(after.splitlines(), 1) if line not in known)


def _is_slip(base: Candidate, candidate: Candidate) -> bool:
    """Whether a further change is a likely one of a comparison or a number."""
    if candidate.weight < LIKELY * base.weight:
        return False
    for n, text in candidate.texts.items():
        start, end, new = find_difference(base.texts.get(n, text), text)
        if not SLIPS.issuperset(base.texts.get(n, text)[start:end] + new):
            return False
    return all(n in base.texts for n in candidate.texts)


def _rate(candidate: Candidate, behaviour: Behaviour, before: Behaviour) -> float:
    """By how likely a change is, and how little else it changes than the calls that are odd."""
    both = enumerate(zip(behaviour.shown, before.shown, strict=False))
    others = sum(a != b for n, (a, b) in both if n not in before.odd)
    return candidate.weight / (1 + others)
