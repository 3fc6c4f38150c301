"""Which hypotheses there are, and how likely the best one is what is meant.

Candidates that do the same on every input tried are one hypothesis. Its rivals are the others that pass the same checks. How
much of all weight it holds, and how many checks decide, gives the chance that it is right; what is too small is offered and
not applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.inside.comparator import is_equal_text
from jupyter_selfheal.inside.search import compare_behaviour
from jupyter_selfheal.inside.search.candidates import Candidate

AGREED = 0.3
"""What other edits that do the same add to a hypothesis, by their weight up to the best one's own: any edit has look-alikes."""
SOFT = 0.4
"""What a rival counts that differs only where one of the two raises: the input may be none that the function is for."""
LEAK = 0.06
"""The weight, for one check, of what no edit of the search would be: it may be met by something else altogether."""
ENDLESS = frozenset({"!RecursionError", "!timeout"})
"""What a function that is meant to give something never gives, whatever its input."""
STRANGE = 0.6
"""How much less a hypothesis weighs that mostly raises, or gives another type than the checks expect."""
SHARPNESS = 1.5
"""Weights order edits better than they tell chances: a share is that of their powers."""
UNCOMPARED = 0.5
"""What a rival counts where the two could not be compared: they may be one hypothesis."""


NEEDED = ((3, 0.6), (5, 0.55), (9, 0.5), (14, 0.4))
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


class Hypotheses:
    """The candidates grouped by what they do.

    ``shown`` holds for each candidate what it gives for each of the inputs ``given`` of ``function``; nothing where candidates
    could not be compared: then each is a hypothesis of its own. ``strange`` says how odd what each gives is (0-1.5), ``before``
    is what the program gave as it was.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        function: str,
        given: Sequence[tuple[Any, ...]],
        shown: Sequence[Sequence[str]],
        strange: Sequence[float] = (),
        before: Sequence[str] = (),
    ) -> None:
        self.candidates, self.function, self.given, self.shown = candidates, function, given, shown
        everyone = range(len(candidates))
        self.groups = compare_behaviour.group_alike(shown) if function else [[n] for n in everyone]
        self.place = {n: k for k, group in enumerate(self.groups) for n in group}
        self._weights = [self._weigh(group) for group in self.groups]
        self._before = before
        self._strange = strange or [0.0] * len(candidates)

    def _weigh(self, group: Sequence[int]) -> float:
        weights = [self.candidates[n].weight for n in group]
        best = max(weights)
        return best + AGREED * min(sum(weights) - best, best)

    def weigh(self, n: int) -> float:
        """The weight of the hypothesis that a candidate belongs to.

        It counts by its best edit more than by how many edits lead to it: every edit has its look-alikes.
        """
        return self._weights[self.place[n]]

    def _sharpen(self, group: Sequence[int]) -> float:
        """The weight of a hypothesis for its share: to a power, and less where what it gives is strange."""
        odd = min(1.0, *(self._strange[n] for n in group))
        return float((self._weights[self.place[group[0]]] * (1 - STRANGE * odd)) ** SHARPNESS)

    def measure_support(self, n: int) -> Support:
        """How far the hypothesis of a candidate is ahead of its rivals that need no more edits."""
        own, weight = self.place[n], self._sharpen(self.groups[self.place[n]])
        rivals: list[tuple[float, int]] = []
        for k, group in enumerate(self.groups):
            first = min(group, key=lambda m: (self.candidates[m].edits, -self.candidates[m].weight))
            if k != own and self.candidates[first].edits <= self.candidates[n].edits:
                rivals.append((self._sharpen(group) * self._measure_difference(n, first), first))
        together = sum(w for w, _ in rivals)
        leak = (LEAK / max(self.candidates[n].result.passed, 1)) ** SHARPNESS
        strongest = max(rivals, default=(0.0, n), key=lambda rival: (rival[0], -rival[1]))[1]
        return Support(
            weight / (weight + together + leak),
            self._describe_rival(n, strongest),
        )

    def describe_doubt(self, n: int) -> str:
        """Why a candidate may still not be what is meant, in words; empty where its checks and its lead settle that."""
        checks = self.candidates[n].result.passed
        needed = next((share for most, share in NEEDED if checks <= most), 0.0)
        if not needed:
            return ""
        support = self.measure_support(n)
        if support.share < needed:
            return support.rival or "other changes pass the same checks, and which is meant cannot be told"
        if endless := self._find_new_endless(n):
            return f"`{endless}` does not come to an end with it, and did before"
        return "" if self._is_compared(n) else "too few inputs are known on which another change would differ"

    def _find_new_endless(self, n: int) -> str:
        """A call that came to an end before the change and does not with it, of an input no longer than the first that was seen."""
        longest = len(repr(self.given[0])) if self.function and self.given else 0
        for given, now, then in zip(self.given, self.shown[n], self._before, strict=False):
            if now in ENDLESS and then[:1] != "!" and len(repr(given)) <= longest:
                return compare_behaviour.Input(self.function, given).text
        return ""

    def _is_compared(self, n: int) -> bool:
        """Whether what a candidate gives says enough to tell it from a rival; a lone candidate needs no comparison."""
        if not self.function:
            return True
        values = [text for text in self.shown[n] if not text.startswith("!")]
        return len(values) >= RAISING * len(self.shown[n]) and len(set(values)) >= CONSTANT

    def _measure_difference(self, n: int, other: int) -> float:
        """1 where two candidates give different values for an input, less where only one of them raises or changes what it is
        given (or where they cannot be compared), 0 where they only raise differently."""
        if not self.function:
            return UNCOMPARED
        if self._list_inputs_apart(n, other):
            return 1.0
        return SOFT if self._list_inputs_odd(n, other) else 0.0

    def _list_inputs_apart(self, n: int, other: int) -> list[int]:
        """The inputs for which both give a value, not the same; or for which the first does not come to an end."""
        return [
            at
            for at, a, b in self._list_pairs(n, other)
            if b[0] != "!" and (a in ENDLESS if a[0] == "!" else not is_equal_text(_read_value(a), _read_value(b)))
        ]

    def _list_inputs_odd(self, n: int, other: int) -> list[int]:
        return [at for at, a, b in self._list_pairs(n, other) if not a[0] == b[0] == "!"]

    def _list_pairs(self, n: int, other: int) -> list[tuple[int, str, str]]:
        """The inputs for which two candidates show something else, with what each shows."""
        pairs = zip(self.shown[n], self.shown[other], strict=False)
        return [(at, a, b) for at, (a, b) in enumerate(pairs) if a != b]

    def _describe_rival(self, n: int, other: int) -> str:
        """What another candidate does otherwise, for the shortest input; empty where that is not known."""
        if other == n or not self.function:
            return ""
        apart = self._list_inputs_apart(n, other) or self._list_inputs_odd(n, other)
        if not apart:
            return ""
        at = min(apart, key=lambda k: (len(repr(self.given[k])), k))
        call = compare_behaviour.Input(self.function, self.given[at]).text
        mine, theirs = (_name_outcome(self.shown[m][at]) for m in (n, other))
        return f"`{call}` gives {mine} with it, and {theirs} with another change that passes the same checks"


def _read_value(shown: str) -> str:
    return shown.removesuffix(compare_behaviour.CHANGES)


def _name_outcome(shown: str) -> str:
    return f"an error ({shown[1:]})" if shown.startswith("!") else shown
