"""A fault that may be left beside the one that a patch mends: one that no check reaches.

Who left a statement out, or made two slips, may well have made another one. So of a patch that puts a statement in, or is of several edits,
and of any other where the checks are weak (:func:`is_weak`), more is asked than that the checks hold: no boundary of a comparison (`<` for `<=`), and no number that is one greater or less, may pass the same
checks and give another value for an input that is like the checked ones; but for those that the docstring tells.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import Edit, splice
from jupyter_selfheal.inside.search.broken_laws import list_alike
from jupyter_selfheal.inside.search.called_functions import is_defined_in
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.compare_behaviour import Input, collect_behaviours
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.described_bounds import list_told_bounds, list_told_numbers, read_docstrings
from jupyter_selfheal.inside.search.order_of_equals import find_order_keys, is_order_of_equals
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.run_candidate import Runner

LEAST_CHECKS = 5
"""Checks below which nothing is asked: what so few decide about has doubts of its own."""
STRONG_CHECKS = 8
"""From so many checks on, nothing is asked of a patch that neither puts a statement in nor is of several edits: what is asked holds back right ones, too."""
WEAK_SHARE = 0.2
"""The share of small changes that make a difference and pass, from which on the checks are weak however few they are."""
LIKELY, MOST = 0.7, 40
"""The least weight of the changes that are tried, and how many of them at most."""
EACH, STEPS = 25_000, 3_000_000
"""Steps for the checks of one, and for comparing all."""
WAIT = 60.0
"""Seconds on the clock after which this is given up."""
_NUMBER = re.compile(r"-?\d+")
_STEP = re.compile(r"[+-] ?(1)(?![\w.])")
_BOUNDARY = re.compile(r"<=?|>=?")

Arguments = tuple[Any, ...]


def is_weak(checks: int, share_missed: float) -> bool:
    """Whether so many checks, which miss such a share of small changes of the patched program, let a second fault pass easily."""
    return LEAST_CHECKS <= checks < STRONG_CHECKS or share_missed >= WEAK_SHARE


def describe_second_fault(
    candidate: Candidate,
    runner: Runner,
    maker: Maker,
    function: str,
    calls: Sequence[Arguments],
    checked: Sequence[Arguments],
) -> str:
    """A likely slip in the patched ``function`` that the checks do not tell from what stands there, in words; empty where there is none."""
    alike = list_alike(calls, checked) if checked else []
    unit = next((n for n, text in candidate.texts.items() if is_defined_in(text, function)), None)
    if not alike or unit is None:
        return ""
    text = candidate.texts[unit]
    steps = list_own_steps(text, candidate.spliced.get(unit, ()))
    changed = [(words, {**candidate.codes, unit: code}) for words, code in _list_slips(maker, unit, text, steps)]
    passing = [changed[n] for n in _list_passing(runner, [codes for _, codes in changed])]
    if not passing:
        return ""
    variants = [candidate.codes, *(codes for _, codes in passing)]
    shown = run_in_fork(lambda: collect_behaviours(runner, variants, function, [*checked, *alike], STEPS), WAIT)
    if not isinstance(shown, list):
        return ""
    is_nothing_expected = "None" in shown[0][: len(checked)]
    keys = find_order_keys(shown[0][: len(checked)])
    for (words, _), other in zip(passing, shown[1:], strict=True):
        for given, mine, theirs in zip([*checked, *alike], shown[0], other, strict=False):
            is_value = "!" not in (mine[:1], theirs[:1]) and (theirs != "None" or is_nothing_expected)
            if is_value and mine != theirs and not is_order_of_equals(keys, given, mine, theirs):
                return f"{words} passes the same checks, and `{Input(function, given).text}` gives {theirs} with it, not {mine}"
    return ""


def list_own_steps(text: str, edits: Sequence[Edit]) -> set[int]:
    """Where in a patched text a 1 stands that the patch itself adds or takes away (`n + 1` for `n`): who is one off is so far likelier than who is two
    off that the other number is no slip."""
    found, moved = set[int](), 0
    for start, end, new in sorted(edits):
        if step := _STEP.search(new):
            found.add(start + moved + step.start(1))
        moved += len(new) - (end - start)
    return {at for at in found if text[at] == "1"}


def _list_slips(maker: Maker, unit: int, text: str, steps: Collection[int] = ()) -> Iterator[tuple[str, CodeType]]:
    """Likely changes of one boundary or number, but for one at these places, as code: not `!=` for `==`, which nobody writes by a slip that goes
    unnoticed."""
    docstrings = read_docstrings(text)
    numbers, bounds = list_told_numbers(docstrings), list_told_bounds(docstrings)
    found = 0
    for weight, _, change in maker.rank_everywhere(unit, text):
        if weight < LIKELY or found == MOST:
            return
        if len(change.edits) != 1:
            continue
        start, end, new = change.edits[0]
        old, new = text[start:end].strip(), new.strip()
        is_boundary = _BOUNDARY.fullmatch(old) and _BOUNDARY.fullmatch(new) and old[0] == new[0]
        if is_boundary:
            beside = _NUMBER.match(text[end:].lstrip())
            is_told = beside is not None and (old, float(beside[0])) in bounds
        else:
            is_number = _NUMBER.fullmatch(old) and _NUMBER.fullmatch(new)
            is_told = not is_number or float(old) in numbers or start + text[start:].index(old) in steps
        if not is_told:
            code = maker.compile_text(unit, splice(text, change.edits))
            if code is not None:
                found += 1
                yield f"`{new}` for `{old}`", code


def _list_passing(runner: Runner, variants: Sequence[Mapping[int, CodeType]]) -> list[int]:
    """The variants, by number, with which every check passes."""
    until = time.monotonic() + WAIT
    jobs = iter([(n, dict(codes)) for n, codes in enumerate(variants)])
    results = Pool(runner, EACH, 1).collect_results(jobs, lambda: time.monotonic() > until)
    with contextlib.closing(results):
        return [n for n, result, _ in results if result is not None and result.plausible]
