"""Does a failure come by chance, how often must it be seen, and what are repeated runs of a patch worth? Pure.

A deterministic failure costs one run more than the one that was reported (none in a batch, where a module, a name or an attribute is missing, a call does not take its arguments, or a cell takes long). What the cell draws on by chance is read off its
source (:mod:`~jupyter_selfheal.source.chance`); only where there is something, it is run more often:

* what the cell draws itself is varied from the same state, with other seeds;
* what a cell above drew is varied in states *made anew*, in which the cells above run again;
* the order of sets is varied in states made anew in fresh kernels, each with another hash seed.

A change may fail exactly where the cell passes (``>`` for ``<``): therefore a patch is also run where it is not known what the
cell as it is does, and that is run beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import progress
from jupyter_selfheal.loop.events import BaselineRan
from jupyter_selfheal.loop.sequential_test import is_cure
from jupyter_selfheal.loop.states import Dossier
from jupyter_selfheal.model import Case, Ending, Failure, FailureKind, Patch, Repeats, Verdict
from jupyter_selfheal.registry import load_traits
from jupyter_selfheal.source.chance import SET_ORDER, Chance, find_chance

SLOW = 10.0
"""Seconds from which a cell is not run more often than it must be; nor one again that took as long and did not fail as reported."""

LONG = 2.0
"""Seconds from which a cell is not run again to see it fail once more, where its failure hangs on the type of a value, or on values that are not drawn."""

TRIES = 3
"""Runs after which a failure that did not come again is not waited for any longer."""

OFTEN, FEW = 5, 2
"""Runs of a cell that draws on chance and fails every time, after which it is taken to fail every time; few where the kind of
failure hardly hangs on values."""

RATE = 6
"""Runs from which the rate of a flaky failure is said."""

FRESH, MANY_FRESH = 4, 8
"""Fresh kernels with other hash seeds in which a patch must hold; many where it is a guess, or brings the order of a set in."""

MOST_REPEATED = 4
"""Patches of one heal that are measured by repeated runs."""

DOUBTED = 6.0
"""The score of a patch that held in every run but is not shown to be a cure: shown, not applied."""

_BY_NAME = frozenset({"NameError", "UnboundLocalError", "AttributeError", "TypeError", "InvalidParameterError"})
_OF_VALUES = frozenset(
    {"ValueError", "KeyError", "IndexError", "AssertionError", "ZeroDivisionError", "NotFittedError"}
)
"""What a second run of the same code on the same values raises again, with what hangs on a name or a type."""
_BY_SIGNATURE = re.compile(
    r"unexpected keyword argument|positional arguments?\b|multiple values for (?:keyword )?argument|^The '\w+' parameter of \w+ must be |"
    r"^only integers, slices|^Expected 2D array|is not a valid package style|^could not convert string to float|^Invalid parameter '|"
    r"^Solver \w+ supports only|solver does not support multiclass|^Setting a random_state has no effect"
)
"""Messages of what a call or an index was refused for by its type, its name or its options, whatever was drawn."""
_NEVER = frozenset({"ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "TabError"})


@dataclass(frozen=True, slots=True)
class RepeatPlan:
    """How a patch is measured: runs of it from the same state with other seeds, and from states made anew, at least.

    ``compared``: the cell fails by chance, and is run beside the patch until their rates are told apart. ``chance`` is what is varied.
    ``guessed``: the patch was found by trying changes until one passed.
    """

    drawn: int
    anew: int
    compared: bool
    chance: Chance
    guessed: bool = False


def read_chance(case: Case, patch: Patch | None = None) -> Chance:
    """What the failing cell draws on, as it is or as a patch leaves it."""
    if case.failure.kind is FailureKind.SYNTAX and patch is None:
        return Chance()
    notebook = case.notebook
    above = (
        patch.source_of(c.id, c.source) if patch else c.source for c in notebook.list_code_before(case.failure.cell_id)
    )
    own = case.failure.source
    return _find_chance(patch.source_of(case.failure.cell_id, own) if patch else own, tuple(above))


@lru_cache(maxsize=32)
def _find_chance(source: str, above: tuple[str, ...]) -> Chance:
    return find_chance(source, above)


def is_conclusive(case: Case) -> bool:
    """Whether the run that was reported is its own reproduction: nothing ran, a module is not there, or nothing in it is by chance and it
    failed at a name or attribute that is not there or at what a call or an index does not take, or a second run would take as long (to the time limit, or to another error of names, types or values)."""
    failure = case.failure
    if failure.kind is FailureKind.SYNTAX or (failure.kind is FailureKind.RAISED and failure.ename in _NEVER):
        return True
    is_by_name = failure.kind is FailureKind.RAISED and failure.ename in _BY_NAME and "NoneType" not in failure.evalue
    by_itself = _hangs_on_no_value(failure)
    is_sure = by_itself or (failure.seconds > LONG and (is_by_name or failure.ename in _OF_VALUES))
    return (failure.kind is FailureKind.TIMED_OUT or is_sure) and not read_chance(case).sources


def _hangs_on_no_value(failure: Failure) -> bool:
    """Whether an error says by its type or message that other values would have raised it too."""
    if failure.kind is not FailureKind.RAISED or "NoneType" in failure.evalue:
        return False
    return failure.ename in ("NameError", "AttributeError") or _BY_SIGNATURE.search(failure.evalue) is not None


def choose_next_run(dossier: Dossier, config: HealConfig) -> int | None:
    """Which run of the cell as it is comes next: 0 from the state at hand, n from the n-th state made anew; None where enough is
    known."""
    case, own = dossier.case, [b for b in dossier.baselines if not b.anew]
    slow = _is_slow(dossier)
    if len(own) < config.reproduce:
        return 0
    if not any(_is_reproduction(case, ran) for ran in own):
        slow = slow or own[-1].trial.seconds > SLOW
        return 0 if len(own) < TRIES and not slow and not own[-1].trial.blocked else None
    wanted = _count_wanted_runs(case)
    if wanted <= 1 or slow:
        return None
    chance, has_passed = read_chance(case), any(_is_pass(case, ran) for ran in own)
    if (chance.drawn or has_passed) and len(own) < (RATE if has_passed else wanted):
        return 0
    made = [b for b in dossier.baselines if b.anew]
    if has_passed or not dossier.can_make_anew or wanted < OFTEN or not (chance.before or chance.order):
        return None
    if any(_is_cancelled(ran) for ran in made):
        return None  # no such state can be had
    is_mixed = any(_is_pass(case, ran) for ran in made)
    return len(made) + 1 if len(made) < (RATE - 1 if is_mixed else OFTEN if chance.before else FRESH) else None


def count_repeats(case: Case, baselines: Sequence[BaselineRan]) -> Repeats:
    """How often the cell failed as it is. Of a failure that did not come again, the run that was reported counts too."""
    ran = [b for b in baselines if not _is_cancelled(b)]
    failures = sum(not _is_pass(case, b) for b in ran)
    reported = not failures and not any(b.trial.blocked for b in ran)
    fresh = sum(bool(b.anew) for b in ran)
    return Repeats(len(ran) + reported, failures + reported, fresh=fresh, sources=read_chance(case).sources)


def plan_repeats(dossier: Dossier, patch: Patch) -> RepeatPlan | None:
    """How a patch that is good enough otherwise is measured; None where nothing about it is by chance."""
    case, repeats = dossier.case, dossier.case.repeats
    before, after = read_chance(case), read_chance(case, patch)
    wanted, slow = _count_wanted_runs(case), _is_slow(dossier)
    own_mixed = any(_is_pass(case, b) for b in dossier.baselines if not b.anew)
    guessed = is_guesser(patch.healer)
    drawn, anew = 0, 0
    if own_mixed or (wanted > 1 and (before.drawn or after.drawn)):
        drawn = FEW if slow else 2 * max(wanted, FEW)
    if after.order and not before.order:
        anew = MANY_FRESH
    elif wanted >= OFTEN and not own_mixed:
        if (before.before or after.before) and dossier.can_make_anew:
            anew = 2 * OFTEN
        elif before.order or after.order:
            anew = MANY_FRESH if guessed else FRESH
    if not drawn and not anew:
        return None
    by_order_alone = not (after.before or after.drawn or before.before or before.drawn) and not own_mixed
    varied = replace(after, order=after.order or before.order)
    return RepeatPlan(drawn, FEW if slow and anew else anew, repeats.is_flaky and not by_order_alone, varied, guessed)


def is_guesser(healer: str) -> bool:
    """Whether a healer takes what makes the checks pass: of many changes tried on a cell that passes now and then, some pass."""
    traits = load_traits(healer)
    return not (traits.reasoned or traits.paid)


def is_to_be_measured(dossier: Dossier, patch: Patch) -> bool:
    """Whether a patch must be run several times before it may be proposed as a fix."""
    if patch.id in dossier.repeated or patch.id in dossier.preferred:
        return False
    return plan_repeats(dossier, patch) is not None


def is_beyond_measuring(dossier: Dossier) -> bool:
    """True once so many patches of this heal were measured that one more would pass by luck."""
    return len(dossier.repeated) >= MOST_REPEATED


def find_doubt(plan: RepeatPlan, repeats: Repeats) -> str:
    """Why repeated runs do not show a patch to be a cure; empty where they do."""
    if repeats.patched_failures:
        return f"With it the cell still fails in {repeats.patched_failures} of {repeats.patched_runs} runs"
    if repeats.refused and (plan.chance.order or plan.guessed):
        what = SET_ORDER if plan.chance.order else " and ".join(plan.chance.before)
        return f"The result may depend on {what}, and it could not be run in a fresh kernel to see: {repeats.refused}"
    if plan.guessed and repeats.is_flaky:
        return "It was found by trying changes until one passed, and the cell as it is passes now and then"
    if (plan.compared or (repeats.is_flaky and not plan.chance.order)) and not is_cure(
        repeats.failures, repeats.runs, repeats.patched_runs
    ):
        return "That may be luck: it fails too seldom to tell"
    return ""


def adjust_verdict(verdict: Verdict, repeats: Repeats) -> Verdict:
    """The verdict with what repeated runs say: a patch with which the cell still fails is none, a doubtful one is only shown."""
    said = f"Run again, the cell {repeats.words}."
    if not repeats.doubt:
        return replace(verdict, proofs=(*verdict.proofs, "repeated runs"), reasons=(*verdict.reasons, said))
    fails = repeats.patched_failures > 0
    return replace(
        verdict,
        score=min(verdict.score, 3.0 if fails else DOUBTED),
        plausible=verdict.plausible and not fails,
        oracle_met=False,
        reasons=(f"{repeats.doubt}.", *verdict.reasons, *([] if fails else [said])),
        feedback="; ".join(filter(None, (verdict.feedback, repeats.doubt))),
    )


def _count_wanted_runs(case: Case) -> int:
    """After how many failures in a row a cell that draws on chance is taken to fail every time."""
    failure = case.failure
    if failure.kind is FailureKind.SYNTAX or failure.ename in _NEVER:
        return 1
    if failure.kind in (FailureKind.TIMED_OUT, FailureKind.DIED):
        return FEW
    by_name = (failure.ename in _BY_NAME and "NoneType" not in failure.evalue) or _hangs_on_no_value(failure)
    return FEW if by_name or (failure.ename == "KeyError" and failure.evalue[:1] in ("'", '"')) else OFTEN


def _is_slow(dossier: Dossier) -> bool:
    return dossier.case.failure.seconds > SLOW or not dossier.is_exact


def _is_reproduction(case: Case, ran: BaselineRan) -> bool:
    return progress.is_reproduction(case, ran.trial, ran.missed)


def _is_pass(case: Case, ran: BaselineRan) -> bool:
    return not _is_cancelled(ran) and progress.find_failure(case, case.failure.source, ran.trial, ran.missed) is None


def _is_cancelled(ran: BaselineRan) -> bool:
    return ran.trial.ending is Ending.CANCELLED
