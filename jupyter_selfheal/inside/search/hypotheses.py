"""Which hypotheses there are, and how likely the best one is what is meant.

Candidates that do the same on every input tried are one hypothesis. Its rivals are the others that pass the same checks. How
much of all weight it holds, and how many checks decide, gives the chance that it is right; what is too small is offered and
not applied.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_selfheal.inside.comparator import is_equal_text
from jupyter_selfheal.inside.difference import cut_text
from jupyter_selfheal.inside.search import compare_behaviour
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.compare_behaviour import Input
from jupyter_selfheal.inside.search.order_of_equals import Key, find_order_keys, is_order_of_equals
from jupyter_selfheal.inside.search.vary_checks import Variation

AGREED = 0.3
"""What other edits that do the same add to a hypothesis, by their weight up to the best one's own: any edit has look-alikes."""
SOFT = 0.4
"""What a rival counts that differs only where one of the two raises, or where the input lacks what all checked ones have: it may be
none that the function is for."""
UNENDING = 0.1
"""What a rival counts that does not come to an end for an input for which the other gives a value."""
UNFINISHED = 0.2
"""What a rival counts that gives nothing wherever it differs, and no check expects that: it comes to its end without a result."""
UNASKED = 0.1
"""What a rival counts that only exchanges items which are equal in what they are put in order by, where the other leaves them as given."""
NOTHING = "None"
OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})
LEAK, LEAK_OF_CRASH = 0.1, 0.06
"""The weight, for one check that failed before, of what no edit of the search would be: it may be met by something else altogether. Less
of it where the failure is an exception: that says where the fault shows."""
ENDLESS = frozenset({"!RecursionError", "!timeout"})
"""What a function that is meant to give something never gives, whatever its input."""
STRANGE = 0.6
"""How much less a hypothesis weighs that mostly raises, or gives another type than the checks expect."""
SHARPNESS = 1.5
"""Weights order edits better than they tell chances: a share is that of their powers."""
MISSING = 0.35
"""The weight of what is right but out of the search's reach, where the checks notice no change at all: it passes them as easily as
slips near the patch do."""
UNNOTICED = 0.2
"""The share of small changes without notice from which that is what is said against a patch."""
OUTCOME = 80
"""Letters of what a candidate does with an input, where it is told."""
UNCOMPARED = 0.5
"""What a rival counts where the two could not be compared: they may be one hypothesis."""


NEEDED = ((3, 0.595), (9, 0.55), (14, 0.4))
"""(checks, share): up to so many checks passed, a hypothesis that holds less of all weight is offered and not applied. Fitted
on MBPP and HumanEval with injected faults; see ``docs/scoring.md``, "Rivals"."""
RAISING, CONSTANT = 0.1, 2
"""Below this share of inputs with a value, or this number of different values, a comparison says nothing: no input is then known
on which a rival would have differed."""


@dataclass(frozen=True, slots=True)
class Support:
    """How far the best hypothesis is ahead: its ``share`` of all weight (0-1), and its strongest rival in words."""

    share: float
    rival: str = ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What candidates do: ``shown`` holds for each of them what it gives for each of the ``inputs``; where there are none, they could not be
    compared. ``strange`` says how odd what each gives is (0-1.5), ``before`` is what the program gave as it was."""

    inputs: Sequence[Input | Variation]
    shown: Sequence[Sequence[str]]
    strange: Sequence[float] = ()
    before: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """What the checks that decide say: ``idle`` of them no more than others, ``failing`` failed before, by an exception where they ``crashed``.
    ``count_reaching`` says how many come to what a candidate changes, 0 where that is not known."""

    idle: int = 0
    failing: int = 0
    crashed: bool = False
    count_reaching: Callable[[int], int] | None = None


class Hypotheses:
    """The candidates grouped by what they do. Where they could not be compared each is a hypothesis of its own."""

    def __init__(self, candidates: Sequence[Candidate], behaviour: Behaviour, checks: Checks = Checks()) -> None:
        self.candidates, self.inputs, self.shown = candidates, behaviour.inputs, behaviour.shown
        everyone = range(len(candidates))
        self.groups = compare_behaviour.group_alike(self.shown) if self.inputs else [[n] for n in everyone]
        self.place = {n: k for k, group in enumerate(self.groups) for n in group}
        self._weights = [self._weigh_group(group) for group in self.groups]
        self.before = behaviour.before
        self._checks = checks
        self._reaching: dict[int, int] = {}
        self._leak = LEAK_OF_CRASH if checks.crashed else LEAK
        self._strange = behaviour.strange or [0.0] * len(candidates)
        self._pairs: dict[tuple[int, int, int, int], list[tuple[int, str, str]]] = {}
        self._keys: dict[int, list[Key]] = {}
        self.share_missed = 0.0
        """Of small changes of the best candidate the share that the checks do not notice (0-1), where it was measured."""

    def _weigh_group(self, group: Sequence[int]) -> float:
        weights = [self.candidates[n].weight for n in group]
        best = max(weights)
        return best + AGREED * min(sum(weights) - best, best)

    def weigh(self, n: int) -> float:
        """The weight of the hypothesis that a candidate belongs to.

        It counts by its best edit more than by how many edits lead to it: every edit has its look-alikes.
        """
        return self._weights[self.place[n]]

    def _sharpen_weight(self, group: Sequence[int]) -> float:
        """The weight of a hypothesis for its share: to a power, and less where what it gives is strange."""
        odd = min(1.0, *(self._strange[n] for n in group))
        return float((self._weights[self.place[group[0]]] * (1 - STRANGE * odd)) ** SHARPNESS)

    def measure_support(self, n: int) -> Support:
        """How far the hypothesis of a candidate is ahead of its rivals that need no more edits."""
        weight = self._sharpen_weight(self.groups[self.place[n]])
        rivals = self._weigh_rivals(n)
        leak = self._weigh_unknown(n) ** SHARPNESS
        share = weight / (weight + sum(w for w, _ in rivals) + leak)
        return Support(share, self._describe_rival(n, self.find_strongest_rival(n)))

    def _weigh_unknown(self, n: int) -> float:
        """The weight of what no edit of the search would be. Each of several edits is held against it by itself: the weight of all is the
        product of theirs."""
        candidate = self.candidates[n]
        edits = 1 if candidate.is_slip else candidate.edits
        unknown = max(self._leak * edits / self.count_mended(n), MISSING * self.share_missed)
        return float(unknown * self.weigh(n) ** (1 - 1 / edits))

    def find_strongest_rival(self, n: int) -> int:
        """The likeliest candidate that differs from another one; itself where none does."""
        return max(self._weigh_rivals(n), default=(0.0, n), key=lambda rival: (rival[0], -rival[1]))[1]

    def _weigh_rivals(self, n: int) -> list[tuple[float, int]]:
        """The weight of each other hypothesis that needs no more edits, by how much it differs, with its first candidate."""
        rivals: list[tuple[float, int]] = []
        mine = self._sharpen_weight(self.groups[self.place[n]])
        for k, group in enumerate(self.groups):
            first = min(group, key=lambda m: (self.candidates[m].edits, -self.candidates[m].weight))
            if k != self.place[n] and self.candidates[first].edits <= self.candidates[n].edits:
                weight = self._sharpen_weight(group)
                weight = max(weight, mine) if self._is_other_operator(n, first) else weight
                rivals.append((weight * self._measure_difference(n, first), first))
        return rivals

    def _is_other_operator(self, n: int, other: int) -> bool:
        """Whether one check decides between two operators in one place, `w + h` and `w * h` for `w - h`: it is met by either as easily."""
        mine, others = (self._list_operators(self.groups[self.place[m]]) for m in (n, other))
        return bool(mine & others) and self.count_checks(n) == 1

    def _list_operators(self, group: Sequence[int]) -> set[tuple[int, int]]:
        """Where single edits of a group put another operator, by unit and place."""
        single = (c for c in (self.candidates[m] for m in group) if c.edits == 1)
        return {
            (n, start)
            for candidate in single
            for n, edits in candidate.spliced.items()
            for start, end, new in edits
            if new in OPERATORS and end > start
        }

    def count_checks(self, n: int) -> int:
        """Checks that a candidate passed, each counted once."""
        return max(self.candidates[n].result.passed - self._checks.idle, 1)

    def count_deciding(self, n: int) -> int:
        """The checks that say something of a candidate: those that come to what it changes, each counted once. One slip that is mended in all
        its places is known by every one of them: all checks speak for it."""
        checks = self.count_checks(n)
        if self._checks.count_reaching is None or self.candidates[n].is_slip:
            return checks
        if n not in self._reaching:
            self._reaching[n] = self._checks.count_reaching(n)
        return min(checks, self._reaching[n] or checks)

    def count_mended(self, n: int) -> int:
        """Of the checks that a candidate passed the ones that failed before, each counted once: as large a part of them is idle as of all."""
        checks, passed = self.count_checks(n), max(self.candidates[n].result.passed, 1)
        return max(min(round(self._checks.failing * checks / passed), checks), 1) if self._checks.failing else checks

    def describe_doubt(self, n: int, rushed: str = "") -> str:
        """Why a candidate may still not be what is meant, in words; empty where its checks and its lead settle that. ``rushed`` says why
        rivals of it may not have been tried, if so."""
        if endless := self.find_covered_endless(n):
            return f"`{endless}` does not come to an end with it"
        needed = self._find_needed_share(n)
        if not needed:
            return ""
        support = self.measure_support(n)
        if support.share < needed:
            return support.rival or self._describe_weak_checks()
        if endless := self._find_new_endless(n):
            return f"`{endless}` does not come to an end with it, and did before"
        return rushed if self._is_compared(n) else "too few inputs are known on which another change would differ"

    def _describe_weak_checks(self) -> str:
        if self.share_missed >= UNNOTICED:
            return f"{self.share_missed:.0%} of the small changes of it that make a difference pass the same checks".replace(
                "%", " %"
            )
        return "other changes pass the same checks, and which is meant cannot be told"

    def _find_needed_share(self, n: int) -> float:
        """The share of all weight that a candidate's checks ask for: the more of them for each of its edits, the less."""
        candidate = self.candidates[n]
        checks = self.count_checks(n) // (1 if candidate.is_slip else candidate.edits)
        if checks > NEEDED[0][0]:  # with fewer the most is asked for as it is
            checks = min(checks, self.count_deciding(n))
        return next((share for most, share in NEEDED if checks <= most), 0.0)

    def is_weakly_proven(self, n: int) -> bool:
        """Whether a candidate would be applied, and by so few checks that it matters how much they notice."""
        return bool(self._find_needed_share(n)) and not self.describe_doubt(n)

    def _find_new_endless(self, n: int) -> str:
        """A call that came to an end before the change and does not with it, of an input no longer than the first that was seen."""
        longest = len(self.inputs[0].text) if self.inputs else 0
        for given, now, then in zip(self.inputs, self.shown[n], self.before, strict=False):
            if given.is_call and now in ENDLESS and then[:1] != "!" and len(given.text) <= longest:
                return given.text
        return ""

    def find_covered_endless(self, n: int) -> str:
        """A call like the checked ones and no larger that does not come to an end; empty where a checked one takes as long, and ends.

        A number beyond all that are checked in its place (a base of 1, where each check has one from 2 on) may be none that is meant, where the
        call did not end before the change either.
        """
        before = self.before or [""] * len(self.inputs)
        calls = zip(self.inputs, self.shown[n], before, strict=False)
        endless = [(given, then) for given, now, then in calls if isinstance(given, Input) and now in ENDLESS]
        if any(given.is_checked for given, _ in endless):
            return ""
        covered = (
            given for given, then in endless if given.is_covered and not (then in ENDLESS and self._is_beyond(given))
        )
        return next((given.text for given in covered), "")

    def _is_beyond(self, given: Input) -> bool:
        """Whether a number of a call is less, or greater, than each that is checked in its place."""
        for n, value in enumerate(given.arguments):
            checked = [i.arguments[n] for i in self.inputs if isinstance(i, Input) and i.is_checked]
            numbers = [a for a in checked if isinstance(a, int | float)]
            if isinstance(value, int | float) and numbers and not min(numbers) <= value <= max(numbers):
                return True
        return False

    def _is_compared(self, n: int) -> bool:
        """Whether what a candidate gives says enough to tell it from a rival; a lone candidate needs no comparison.

        Of calls only: a check that was varied is mostly one that fails, or holds, with every candidate.
        """
        shown = [text for given, text in zip(self.inputs, self.shown[n], strict=False) if given.is_call]
        known = [text for text in shown if text != compare_behaviour.LATE]
        values = [text for text in known if not text.startswith("!")]
        return not shown or (len(values) >= RAISING * len(known) and len(set(values)) >= CONSTANT)

    def describe_difference(self, n: int, other: int) -> str:
        """For a usual input for which two candidates give different values, what each gives; empty where there is none, or where so many
        checks decide that no share is asked for."""
        apart = self._list_inputs_apart(n, other) if self.inputs and self._find_needed_share(n) else []
        return self._describe_rival(n, other) if any(self.inputs[at].is_usual for at in apart) else ""

    def _measure_difference(self, n: int, other: int) -> float:
        """1 where two candidates give different values for an input, less where only one of them raises or changes what it is
        given, where the input is an unusual one, where the other does not come to an end (or where they cannot be compared); 0
        where they only raise differently."""
        if not self.inputs:
            return UNCOMPARED
        pairs = self._list_pairs(n, other)
        if any(b in ENDLESS and a[0] != "!" for _, a, b in pairs):
            return UNENDING
        usual = [at for at in self._list_inputs_apart(n, other) if self.inputs[at].is_usual]
        if usual and all(self._is_order_of_equals(n, other, at) for at in usual):
            return UNASKED
        if usual:
            return UNFINISHED if self._leaves_unfinished(n, other, usual) else 1.0
        if any(a[0] == "!" and b[0] != "!" and not self.inputs[at].is_call for at, a, b in pairs):
            return 1.0  # a check that was varied is one that the notebook would make: to fail there is a fault
        if self._list_inputs_odd(n, other):
            return SOFT
        return 0.0 if self._count_known(n, other) >= CONSTANT else UNCOMPARED

    def _leaves_unfinished(self, n: int, other: int, apart: Sequence[int]) -> bool:
        """Whether all that tells another candidate from this one is that it gives nothing, which no check expects."""
        pairs = zip(self.inputs, self.shown[n], strict=False)
        wanted = [now for given, now in pairs if isinstance(given, Input) and given.is_checked]
        is_unexpected = bool(wanted) and NOTHING not in wanted
        return is_unexpected and all(self.shown[other][at] == NOTHING != self.shown[n][at] for at in apart)

    def _is_order_of_equals(self, n: int, other: int, at: int) -> bool:
        """Whether for an input two candidates only differ in which of equal items comes first, and the first of them leaves these as given."""
        if n not in self._keys:
            pairs = zip(self.inputs, self.shown[n], strict=False)
            self._keys[n] = find_order_keys([shown for i, shown in pairs if isinstance(i, Input) and i.is_checked])
        given, keys = self.inputs[at], self._keys[n]
        return (
            isinstance(given, Input)
            and bool(keys)
            and is_order_of_equals(keys, given.arguments, self.shown[n][at], self.shown[other][at])
        )

    def _count_known(self, n: int, other: int) -> int:
        """The inputs for which it is known what both candidates give: there was time for them."""
        pairs = zip(self.shown[n], self.shown[other], strict=False)
        return sum(compare_behaviour.LATE not in pair for pair in pairs)

    def _list_inputs_apart(self, n: int, other: int) -> list[int]:
        """The inputs for which both give a value, not the same; or for which the first does not come to an end."""
        return [
            at
            for at, a, b in self._list_pairs(n, other)
            if b[0] != "!" and (a in ENDLESS if a[0] == "!" else _read_value(a) != _read_value(b))
        ]

    def _list_inputs_odd(self, n: int, other: int) -> list[int]:
        return [at for at, a, b in self._list_pairs(n, other) if not a[0] == b[0] == "!"]

    def _list_pairs(self, n: int, other: int) -> list[tuple[int, str, str]]:
        """The inputs for which two candidates show something else, with what each shows; those apart that there was no time for, and equal
        values (``False`` and 0), which no check tells apart."""
        key = n, other, len(self.shown[n]), len(self.shown[other])  # a question that is made shorter adds an input
        known = self._pairs.get(key)
        if known is None:
            known = self._pairs[key] = self._find_pairs(n, other)
        return known

    def _find_pairs(self, n: int, other: int) -> list[tuple[int, str, str]]:
        pairs = zip(self.shown[n], self.shown[other], strict=False)
        apart = ((at, a, b) for at, (a, b) in enumerate(pairs) if a != b and compare_behaviour.LATE not in (a, b))
        return [(at, a, b) for at, a, b in apart if not _is_equal(a, b)]

    def find_telling_input(self, n: int, other: int) -> int | None:
        """The shortest input that tells two candidates apart: one for which both give a value, and that is a usual one, first."""
        apart = self._list_inputs_apart(n, other) or self._list_inputs_odd(n, other)
        return min(apart, key=self._rate_input, default=None)

    def _rate_input(self, at: int) -> tuple[bool, bool, int, int]:
        given = self.inputs[at]
        return (not given.is_call, not given.is_usual, len(given.text), at)

    def _describe_rival(self, n: int, other: int) -> str:
        """What another candidate does otherwise, for the shortest input; empty where that is not known."""
        at = self.find_telling_input(n, other) if other != n and self.inputs else None
        if at is None:
            return ""
        mine, theirs = _cut_alike(*(_name_outcome(self.shown[m][at]) for m in (n, other)))
        given = self.inputs[at]
        asked = f"`{given.text}` gives" if given.is_call else f"a check with {given.text} gives"
        return f"{asked} {mine} with it, and {theirs} with another change that passes the same checks"


@functools.lru_cache(maxsize=1 << 14)
def _is_equal(a: str, b: str) -> bool:
    """Whether two outcomes are equal values that came about without, or with, a change of what was given."""
    if "!" in (a[:1], b[:1]) or a.endswith(compare_behaviour.CHANGES) != b.endswith(compare_behaviour.CHANGES):
        return False
    return is_equal_text(_read_value(a), _read_value(b))


def _read_value(shown: str) -> str:
    return shown.removesuffix(compare_behaviour.CHANGES)


def _name_outcome(shown: str) -> str:
    return f"an error ({shown[1:]})" if shown.startswith("!") else shown


def _cut_alike(mine: str, theirs: str) -> tuple[str, str]:
    """Two outcomes on one line each, cut where they are long: what both begin with goes before the place at which they differ."""
    mine, theirs = " ".join(mine.splitlines()), " ".join(theirs.splitlines())
    if max(len(mine), len(theirs)) > OUTCOME:
        alike = next((n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), 0)
        alike = max(alike - OUTCOME // 4, 0)
        mine, theirs = (f"…{text[alike:]}" if alike else text for text in (mine, theirs))
    return cut_text(mine, OUTCOME), cut_text(theirs, OUTCOME)
