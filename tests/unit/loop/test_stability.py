"""Failures by chance: how often a cell is run, and which patches are cures. On a kernel that really runs the code."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.healers.triage.diagnoser import Triage
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.loop.events import BaselineRan, Repeated
from jupyter_selfheal.model import BASELINE, Outcome, Output, Patch, Reason, Run, SkipReason
from jupyter_selfheal.ports import HealDependencies, TrialKernel
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import ScriptedHealer, build_scripted_dependencies
from tests.heals import MakeStage, events
from tests.stages import Stage, answer
from tests.waiting import PATIENCE, wait_until


def draw_low() -> None:
    """The next draws of the module are low: the cells below fail at first, as the one that was reported did."""
    random.seed(next(n for n in range(1000) if is_below_twice(n, 0.3)))


def is_below_twice(seed: int, bound: float) -> bool:
    draw = random.Random(seed)
    return draw.random() < bound and draw.random() < bound


def heal_with(stage: Stage, *patches: Patch, name: str = "rules") -> tuple[Outcome, HealDependencies]:
    parts = build_scripted_dependencies(stage.starts, [ScriptedHealer([answer(*patches)], name=name)])
    return heal(stage.case, parts), parts


def make_anew(*worlds: str) -> Callable[[int, bool], TrialKernel]:
    """The n-th state made anew, given as the cell that makes it; the last one from there on."""
    return lambda number, other_seed: FakeKernel([Run(worlds[min(number, len(worlds)) - 1])])


def test_a_deterministic_failure_is_run_once_more_and_its_patch_once(stage: MakeStage) -> None:
    s = stage("x = [1, 2]", "x[2]")
    before = s.starts.before[0]
    seen = len(before.requests)  # type: ignore[attr-defined]
    outcome, parts = heal_with(s, s.replaced("x[2]", "x[1]"))
    assert outcome.reason is Reason.HEALED
    ids = [r.patch_id for r in before.requests[seen:]]  # type: ignore[attr-defined]
    assert ids == [BASELINE.id, outcome.applied[0].patch.id]
    assert len(events(parts, BaselineRan)) == 1
    assert not events(parts, Repeated)


def test_a_change_that_does_nothing_is_no_cure_of_a_cell_that_fails_by_chance(stage: MakeStage) -> None:
    draw_low()
    s = stage("import random", "x = random.random()\nassert x > 0.5")
    nothing = ("abs(x)", "+x", "x + 0", "x * 1", "max(x, x)", "min(x, x)")
    outcome, parts = heal_with(s, *(s.replaced("x >", f"{same} >") for same in nothing))
    assert not outcome.applied
    lucky = events(parts, Repeated)
    assert lucky, "one of them passes its first trial"
    assert all(event.repeats.patched_failures for event in lucky)  # type: ignore[attr-defined]


def test_the_rates_are_said_of_a_cure(stage: MakeStage) -> None:
    draw_low()
    s = stage("import random", "x = random.random()\n[0][int(x < 0.5)]")
    outcome, parts = heal_with(s, s.replaced("[0]", "[0, 1]"))
    assert outcome.reason is Reason.HEALED
    repeats = events(parts, Repeated)[-1].repeats  # type: ignore[attr-defined]
    assert 0 < repeats.failures < repeats.runs
    assert repeats.patched_failures == 0
    assert repeats.patched_runs >= 10
    reasons = outcome.applied[0].verdict.reasons
    said = f"fails in {repeats.failures} of {repeats.runs} runs; with the fix in 0 of {repeats.patched_runs}"
    assert f"Run again, the cell {said}." in reasons
    assert any(note.startswith("flaky: fails in ") for note in outcome.proposal[0].notes)


def test_a_cell_that_draws_and_fails_every_time_is_healed_after_ten_runs_of_the_patch(stage: MakeStage) -> None:
    s = stage("import random", "xs = [random.random() for _ in range(4)]\nxs[4]")
    outcome, parts = heal_with(s, s.replaced("xs[4]", "xs[3]"))
    assert outcome.reason is Reason.HEALED
    assert len(events(parts, BaselineRan)) == 5
    repeats = events(parts, Repeated)[-1].repeats  # type: ignore[attr-defined]
    assert (repeats.failures, repeats.runs, repeats.patched_failures, repeats.patched_runs) == (10, 10, 0, 10)


def test_a_guess_is_no_cure_of_a_cell_that_turns_out_to_be_flaky(stage: MakeStage) -> None:
    s = stage("xs = [3, 4]", "first = list(set(xs))[0]\nassert first == xs[1]")
    s = Stage(s.case, replace(s.starts, anew=make_anew(*["xs = [3, 4]"] * 5, "xs = [4, 3]")))
    guess, known = s.replaced("first == xs[1]", "first in xs"), s.replaced("first == xs[1]", "first in xs + []")
    outcome, parts = heal_with(s, replace(guess, healer="search"))
    repeats = events(parts, Repeated)[-1].repeats  # type: ignore[attr-defined]
    assert (repeats.failures, repeats.runs) == (6, 9)
    assert (repeats.patched_failures, repeats.patched_runs) == (0, 8)
    assert "by trying changes" in repeats.doubt
    assert outcome.proposal[0].candidates[0].verdict.score == 6.0
    outcome, parts = heal_with(s, known)
    assert not events(parts, Repeated)[-1].repeats.doubt  # type: ignore[attr-defined]


def test_what_the_notebook_seeds_is_not_drawn_otherwise(stage: MakeStage) -> None:
    s = stage("import random", "random.seed(3)\nx = random.random()\nassert x > 0.5")
    outcome, parts = heal_with(s, s.replaced("x > 0.5", "x > 0.1"))
    assert outcome.reason is Reason.HEALED
    assert len(events(parts, BaselineRan)) == 1
    assert not events(parts, Repeated)


def test_a_change_that_fails_where_the_cell_passes_is_found_out(stage: MakeStage) -> None:
    """``>`` for ``<``: where the cell happens to fail five times in a row, that passes five times."""
    draws = [random.Random(7_000 + n).random() for n in range(10)]
    bound = sorted(draws[1:5])[-1] + 1e-9  # the first runs all fail
    assert any(x >= bound for x in draws[5:]), "the seeds of the runs must tell them apart"
    random.seed(next(n for n in range(99) if is_below_twice(n, bound)))
    s = stage("import random", f"x = random.random()\nassert x > {bound!r}")
    outcome, parts = heal_with(s, s.replaced("x >", "x <"))
    assert not outcome.applied
    assert events(parts, Repeated)[-1].repeats.patched_failures == 1  # type: ignore[attr-defined]


def test_a_flaky_cell_is_diagnosed_with_advice_and_the_search_is_not_asked(stage: MakeStage) -> None:
    draw_low()
    s = stage("import random", "x = random.random()\nassert x > 0.5")
    search = ScriptedHealer([answer(s.replaced("0.5", "0.0"))], name="search")
    parts = replace(build_scripted_dependencies(s.starts, [search]), diagnoser=Triage())
    outcome = heal(s.case, parts)
    assert outcome.reason is Reason.ENVIRONMENT
    assert outcome.diagnosis.skip_reason is SkipReason.FLAKY
    assert "random numbers without a seed" in outcome.diagnosis.cause
    assert "Set a seed" in outcome.diagnosis.advice
    assert not search.calls


def test_a_failure_that_does_not_come_again_is_flaky(stage: MakeStage) -> None:
    draw_low()
    s = stage("import random", "x = random.random()\nassert x > 0.5")
    random.seed(1_000_003)
    case = replace(s.case, failure=replace(s.case.failure, evalue="another"))
    healthy = replace(case, failure=replace(case.failure, source="import random\nrandom.random()"))
    parts = replace(build_scripted_dependencies(s.starts, []), diagnoser=Triage())
    outcome = heal(healthy, parts)
    assert outcome.reason is Reason.NOT_REPRODUCED
    assert outcome.diagnosis.skip_reason is SkipReason.FLAKY
    assert "fails in 1 of 4 runs" in outcome.diagnosis.cause


def test_a_patch_must_hold_in_states_made_anew_where_order_matters(stage: MakeStage) -> None:
    s = stage("xs = [3, 4]", "first = list(set(xs))[0]\nassert first == xs[1]")
    starts = replace(s.starts, anew=make_anew("xs = [3, 4]", "xs = [4, 3]"))
    s = Stage(s.case, starts)
    patch = s.replaced("[0]", "[1]")
    outcome, parts = heal_with(s, patch)
    assert not outcome.applied
    ran = events(parts, BaselineRan)
    assert [b.anew for b in ran] == [0, 1, 2, 3, 4, 5]  # type: ignore[attr-defined]


def test_without_such_states_it_is_shown_and_not_applied(stage: MakeStage) -> None:
    s = stage("xs = [3, 4]", "first = list(set(xs))[0]\nassert first == xs[1]")
    outcome, _ = heal_with(s, s.replaced("[0]", "[1]"))
    verdict = outcome.proposal[0].candidates[0].verdict
    assert verdict.score == 6.0
    assert "the order of a set" in verdict.reasons[0]
    assert "fresh kernel" in verdict.reasons[0]


def test_a_patch_that_brings_a_set_in_is_run_under_other_hash_seeds(stage: MakeStage) -> None:
    s = stage("xs = ['b', 'a']", "assert xs[0] == 'a'")
    asked: list[tuple[int, bool]] = []

    def anew(number: int, other_seed: bool) -> TrialKernel:
        asked.append((number, other_seed))
        return FakeKernel([Run(f"xs = ['b', 'a']\ndef set(items): return items[::{-1 if number < 3 else 1}]")])

    s = Stage(s.case, replace(s.starts, anew=anew))
    before = FakeKernel([Run("xs = ['b', 'a']\ndef set(items): return items[::-1]")])
    s = Stage(s.case, replace(s.starts, before=(before,), after=()))
    outcome, parts = heal_with(s, s.replaced("xs[0]", "list(set(xs))[0]"))
    assert not outcome.applied
    assert asked == [(1, True), (2, True), (3, True)]
    repeats = events(parts, Repeated)[-1].repeats  # type: ignore[attr-defined]
    assert (repeats.patched_failures, repeats.patched_runs) == (1, 3)
    assert repeats.doubt == "With it the cell still fails in 1 of 3 runs"


def test_what_a_patch_prints_is_held_to_what_is_stored_under_other_hash_seeds(stage: MakeStage) -> None:
    """``list(names)[0]`` prints the stored name under one hash seed, and another one under the next."""
    world = "names = {'b', 'a'}\ndef list(items): return sorted(items, reverse=%s)"
    s = stage("names = {'b', 'a'}", "print(names[0])")
    above, cell = s.case.notebook.cells
    stored = replace(cell, outputs=(Output("stream", name="stdout", text="a\n"),))
    case = replace(s.case, notebook=replace(s.case.notebook, cells=(above, stored)))
    before = FakeKernel([Run(world % False)])
    anew = make_anew(*(world % False, world % False, world % True))
    s = Stage(case, replace(s.starts, before=(before,), after=(), anew=anew))
    healer = ScriptedHealer([answer(s.replaced("names[0]", "list(names)[0]"))], name="rules")
    scorer = EvidenceScorer()
    parts = replace(build_scripted_dependencies(s.starts, [healer]), scorer=scorer, fallback_scorer=scorer)
    outcome = heal(s.case, parts)
    assert not outcome.applied
    repeats = events(parts, Repeated)[-1].repeats  # type: ignore[attr-defined]
    assert (repeats.patched_failures, repeats.patched_runs) == (1, 3)


def test_a_state_that_cannot_be_made_anew_leaves_a_doubt_that_says_why(stage: MakeStage) -> None:
    def refuse(number: int, other_seed: bool) -> TrialKernel:
        raise KernelError("running the cells above again would take 300 s")

    s = stage("xs = [3, 4]", "first = list(set(xs))[0]\nassert first == xs[1]")
    s = Stage(s.case, replace(s.starts, anew=refuse))
    outcome, _ = heal_with(s, s.replaced("[0]", "[1]"))
    assert "would take 300 s" in outcome.proposal[0].candidates[0].verdict.reasons[0]
    assert outcome.proposal[0].candidates[0].verdict.score == 6.0


def test_a_state_that_is_made_while_the_heal_is_cancelled_is_closed_and_no_further_one_made(stage: MakeStage) -> None:
    cancel, has_ended = threading.Event(), threading.Event()
    made: list[FakeKernel] = []

    def make_slowly(number: int, other_seed: bool) -> TrialKernel:
        cancel.set()
        assert has_ended.wait(PATIENCE)
        made.append(FakeKernel([Run("xs = [3, 4]")]))
        return made[-1]

    s = stage("xs = [3, 4]", "first = list(set(xs))[0]\nassert first == xs[1]")
    s = Stage(s.case, replace(s.starts, anew=make_slowly))
    parts = build_scripted_dependencies(s.starts, [ScriptedHealer([answer(s.replaced("[0]", "[1]"))], name="rules")])
    assert heal(s.case, parts, cancel=cancel).reason is Reason.CANCELLED
    has_ended.set()
    assert wait_until(lambda: bool(made) and made[0].is_closed), "the state that nobody asks any more"
    assert wait_until(lambda: all(t.name != "selfheal-work" for t in threading.enumerate())), "the thread behind it"
    assert len(made) == 1


@pytest.mark.parametrize("cell", ["len({1, 2}) / 0", "assert 3 in {1, 2}"])
def test_a_set_that_is_only_asked_costs_no_kernel(stage: MakeStage, cell: str) -> None:
    def refuse(number: int, other_seed: bool) -> TrialKernel:
        raise AssertionError("no state is made anew")

    s = stage("x = 1", cell)
    s = Stage(s.case, replace(s.starts, anew=refuse))
    outcome, parts = heal_with(s, s.replaced("/ 0", "/ 1") if "/ 0" in cell else s.replaced("3 in", "1 in"))
    assert outcome.reason is Reason.HEALED
    assert not events(parts, Repeated)


def test_what_a_cell_above_drew_is_no_reason_to_withhold_a_rules_fix_where_cells_do_not_run_again(
    stage: MakeStage,
) -> None:
    """As in a live session: only the order of sets is."""
    s = stage("import random\nxs = [random.random(), 2]", "assert len(xs) == 3")
    outcome, parts = heal_with(s, s.replaced("== 3", "== 2"))
    assert outcome.applied[0].verdict.score == 7.0
    assert not events(parts, Repeated)


@pytest.mark.parametrize(
    ("cell", "runs"),
    [
        ("xs = [random.random()]\nxs[9]", 5),
        ("random.random() + 'a'", 2),
        ("xs = [random.random()]\nraise IndexError('only integers, slices and such')", 2),
    ],
)
def test_a_failure_that_hardly_hangs_on_values_is_seen_twice(stage: MakeStage, cell: str, runs: int) -> None:
    s = stage("import random", cell)
    _, parts = heal_with(s)
    assert len(events(parts, BaselineRan)) == runs


def test_a_reconstructed_state_is_not_made_for_many_runs(stage: MakeStage) -> None:
    s = stage("import random", "xs = [random.random()]\nxs[9]")
    for kernel in (*s.starts.before, *s.starts.after):
        kernel.is_exact = False  # type: ignore[misc]
    outcome, parts = heal_with(s, s.replaced("xs[9]", "xs[0]"))
    assert outcome.reason is Reason.HEALED
    assert len(events(parts, BaselineRan)) == 1
    assert events(parts, Repeated)[-1].repeats.patched_runs == 2  # type: ignore[attr-defined]
