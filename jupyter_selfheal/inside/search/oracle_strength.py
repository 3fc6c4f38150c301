"""How much the checks can tell: what share of small changes of a patched program they notice.

A fix that passes its checks says little where most slips in the same function would pass them too. So the patched program is
slightly broken, in many ways, and each is run under the same checks; those that do the same as the patched one on every input
are left out. That is mutation analysis (DeMillo, Lipton, Sayward 1978, "Hints on test data selection"), here of the checks, not
of the program: what is right but out of the search's reach passes them as easily as its neighbours do.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.compare_behaviour import LATE, TIMEOUT, collect_behaviours
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.program import fingerprint
from jupyter_selfheal.inside.search.run_candidate import Runner

MUTANTS, FEWEST = 150, 30
"""Small changes that are tried, likely slips first; and those that must have come to a result, or nothing is said."""
STEPS, EACH = 6_000_000, 25_000
"""Steps for all of them, and for one."""
INPUTS = 50
"""Inputs on which a change that passes is compared with the patched program."""
WAIT = 60.0
"""Seconds on the clock for running them, and for that comparison."""

SEVERAL = 3
"""Items of an expected value that a number must meet all of."""
SHIFTED = 4
"""Results that a change must have moved by one number, to say that it does nothing else."""
STEP = 2
"""Colons of a slice before its step."""
_NUMBER = re.compile(r"-?\d+(\.\d*)?")


@dataclass(frozen=True, slots=True)
class Strength:
    """Of the small changes that make a difference so many are ``noticed`` by the checks, and so many are ``missed``."""

    noticed: int
    missed: int

    @property
    def share_missed(self) -> float:
        """0 where every change is noticed, 1 where none is."""
        return self.missed / max(self.noticed + self.missed, 1)


class Mutants:
    """Small changes of patched programs, run under the checks: of each program once, however often it is ranked."""

    def __init__(self, maker: Maker, runner: Runner) -> None:
        self.maker, self.runner = maker, runner
        self._known: dict[tuple[tuple[int, str], ...], tuple[int, list[dict[int, CodeType]]]] = {}

    def run(self, candidate: Candidate) -> tuple[int, list[dict[int, CodeType]]]:
        """How many changes of a candidate's program came to a result, and those that pass."""
        key = tuple(candidate.texts.items())
        if key not in self._known:
            self._known[key] = self._run_all(candidate)
        return self._known[key]

    def _run_all(self, candidate: Candidate) -> tuple[int, list[dict[int, CodeType]]]:
        mutants = list(self._list(candidate))
        passing: list[dict[int, CodeType]] = []
        tried = spent = 0
        until = time.monotonic() + WAIT
        pool = Pool(self.runner, EACH, 1)
        results = pool.collect_results(iter(list(enumerate(mutants))), lambda: time.monotonic() > until)
        with contextlib.closing(results):
            for n, result, cost in results:
                tried, spent = tried + 1, spent + cost
                if result is not None and result.plausible:
                    passing.append(mutants[n])
                if spent > STEPS:
                    break
        return tried, passing

    def _list(self, candidate: Candidate) -> Iterator[dict[int, CodeType]]:
        """The candidate's program with one more small change in what it changed, likely slips first."""
        ranked = [
            (weight, unit, text, change)
            for unit, text in candidate.texts.items()
            for weight, _, change in self.maker.rank_everywhere(unit, text)
        ]
        known = {(unit, fingerprint(code)) for unit, code in candidate.codes.items()}
        count = 0
        for _, unit, text, change in sorted(ranked, key=lambda item: -item[0]):
            code = self.maker.compile_text(unit, splice(text, change.edits))
            key = (unit, fingerprint(code)) if code else None
            if code is None or key is None or key in known:
                continue
            known.add(key)
            count += 1
            yield {**candidate.codes, unit: code}
            if count == MUTANTS:
                return


def measure_strength(
    candidate: Candidate,
    mutants: Mutants,
    function: str,
    given: Sequence[tuple[Any, ...]],
) -> Strength | None:
    """How strong the checks are around a candidate; None where too little could be tried, or nothing can be compared.

    ``function`` is called with the ``given`` arguments to tell a change that makes a difference from one that makes none.
    """
    if not given:
        return None
    tried, passing = mutants.run(candidate)
    if tried < FEWEST:
        return None
    missed = _count_different(candidate.codes, passing, mutants.runner, function, given[:INPUTS])
    return None if missed is None else Strength(tried - len(passing), missed)


def _count_different(
    codes: dict[int, CodeType],
    passing: Sequence[dict[int, CodeType]],
    runner: Runner,
    function: str,
    given: Sequence[tuple[Any, ...]],
) -> int | None:
    """How many of the changes that pass do something else for an input for which the patched program comes to its end; None where that
    gives nothing to compare."""

    def compare() -> list[list[str]]:
        (patched,) = collect_behaviours(runner, [codes], function, given, STEPS)
        ended = [arguments for arguments, what in zip(given, patched, strict=False) if what != TIMEOUT]
        return collect_behaviours(runner, [codes, *passing], function, ended, STEPS)

    shown = run_in_fork(compare, WAIT)
    if not isinstance(shown, list) or not shown[0]:
        return None
    return sum(any(a != b for a, b in zip(shown[0], other, strict=False) if LATE not in (a, b)) for other in shown[1:])


def describe_doubt_of_number(candidate: Candidate, old_texts: Mapping[int, str], checks: int, items: int) -> str:
    """The doubt about one number in place of another that a single check decides: some number meets any single check.

    Empty elsewhere, and where that check expects a value of several ``items``: a wrong number does not meet them all. Of where a slice begins
    or ends they tell no more than how many they are.
    """
    edits = _list_edits(candidate, old_texts)
    is_number = len(edits) == 1 and all(_NUMBER.fullmatch(text) for text in edits[0])
    is_decided_by_one = checks == 1 and (items < SEVERAL or _bounds_slice(candidate, old_texts))
    return "a single check is met by some number soon enough" if is_number and is_decided_by_one else ""


def describe_doubt_of_answer(
    candidate: Candidate, old_texts: Mapping[int, str], mended: int, expected: Collection[str]
) -> str:
    """The doubt about one text in place of another that is just what the one check that failed expects: it is met for this input by
    whatever gives that text, right for others or not. Empty elsewhere."""
    edits = _list_edits(candidate, old_texts)
    is_text = len(edits) == 1 and all(text[:1] in "'\"" for text in edits[0])
    is_answer = is_text and mended == 1 and edits[0][1] in expected
    return f"{edits[0][1]} is only known to be right for the one check that failed" if is_answer else ""


def describe_doubt_of_text(candidate: Candidate, old_texts: Mapping[int, str], checks: int, items: int) -> str:
    """The doubt about one text in place of another that a single check of fewer than three ``items`` decides, as for a number: a separator,
    a pattern or a format that meets one check is soon found. Not meant is a word for a word, as of a key, and a pattern that takes less."""
    edits = _list_edits(candidate, old_texts)
    is_text = len(edits) == 1 and all(text[:1] in ("'", '"') and text[:1] for text in edits[0])
    if not is_text or checks > 1 or items >= SEVERAL or all(text[1:-1].isidentifier() for text in edits[0]):
        return ""
    if edits[0][0].replace("?", "") == edits[0][1].replace("?", ""):
        return ""
    return "a single check is met by some text soon enough"


def describe_constant_shift(
    candidate: Candidate,
    old_texts: Mapping[int, str],
    shown: Sequence[str],
    before: Sequence[str],
    *,
    names_negative: bool = False,
) -> str:
    """The doubt about a change with which every result is the old one and the same number more, or the old one with the other sign.

    Of the first, where the change adds something, the one check is as likely wrong, however roundabout the number is written
    (``(n + k) // k``); the second meets the one check as ``abs`` does, unless that names a negative
    number (``names_negative``).
    """
    pairs = [(read_number(now), read_number(then)) for now, then in zip(shown, before, strict=False)]
    known = [(now, then) for now, then in pairs if now is not None and then is not None]
    if len(known) < SHIFTED or all(now == then for now, then in known):
        return ""
    if not names_negative and all(now == -then for now, then in known):
        return "every result has the other sign than before, and one check decides"
    shift = known[0][0] - known[0][1]
    adds = any(len(new) > len(old) for old, new in _list_edits(candidate, old_texts))
    is_shift = adds and all(abs(now - then - shift) < 1e-9 for now, then in known)
    return f"every result is {shift:+g} of what it was, and one check decides" if is_shift else ""


def find_shift(shown: Sequence[str], before: Sequence[str]) -> float:
    """The one number by which all results have moved; 0 where there is none, or too few results tell."""
    pairs = [(read_number(now), read_number(then)) for now, then in zip(shown, before, strict=False)]
    moved = [now - then for now, then in pairs if now is not None and then is not None]
    return moved[0] if len(moved) >= SHIFTED and all(abs(m - moved[0]) < 1e-9 for m in moved) else 0.0


def _bounds_slice(candidate: Candidate, old_texts: Mapping[int, str]) -> bool:
    """Whether what is edited stands where a slice begins or ends: ``xs[:3]``. (Every item tells of its step.)"""
    around = (
        (old_texts[n][:start].rstrip(" -"), old_texts[n][end:].lstrip()[:1])
        for n, found in candidate.spliced.items()
        for start, end, _ in found
    )
    sides = [(left[-1:], right, left.rpartition("[")[2].count(":")) for left, right in around]
    return all((left, right) in (("[", ":"), (":", "]"), (":", ":")) and colons < STEP for left, right, colons in sides)


def read_number(shown: str) -> float | None:
    """The number that a shown result is; None for anything else."""
    try:
        value = float(shown)
    except ValueError:
        return None
    return value if abs(value) < 1e15 else None


def _list_edits(candidate: Candidate, old_texts: Mapping[int, str]) -> list[tuple[str, str]]:
    """(old, new) of each edit, without parentheses around it."""
    edits = [(old_texts[n][start:end], new) for n, found in candidate.spliced.items() for start, end, new in found]
    return [(old.strip(" ()"), new.strip(" ()")) for old, new in edits]
