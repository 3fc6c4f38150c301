"""Earlier calls in a whole heal: noted once, for patches that change a function."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.model import (
    Applicability,
    Outcome,
    Patch,
)
from jupyter_selfheal.ports import Answer
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import ScriptedHealer, build_scripted_dependencies
from tests.stages import replacement, staged

AVERAGE = "def average(xs):\n    return sum(xs) / len(xs)"


def heal_with(*patches: Patch, cells: tuple[str, ...]) -> tuple[list[str], Outcome]:
    """Heal with these patches for answers: the ids of the requests that were run, and the outcome."""
    stage = staged(*cells)
    (kernel,) = stage.starts.before
    assert isinstance(kernel, FakeKernel)
    healer = ScriptedHealer([Answer(patches)])
    parts = build_scripted_dependencies(stage.starts, [healer])
    parts = replace(parts, scorer=EvidenceScorer())
    outcome = heal(stage.case, parts)
    return [r.patch_id for r in kernel.requests], outcome


CELLS = (AVERAGE, "a = average([2, 4])", "total = average([]) + 1\nassert total == 1")


def test_a_heal_whose_patches_touch_no_function_notes_no_calls() -> None:
    patch = replacement("c2", CELLS[2], "average([])", "0")
    ids, _ = heal_with(patch, cells=CELLS)
    assert patch.id in ids
    assert "record" not in ids


def test_a_heal_notes_them_once_for_all_its_patches_and_keeps_the_one_that_agrees() -> None:
    guesses = [replacement("c0", AVERAGE, "/", sign, Applicability.UNSAFE, "search") for sign in ("*", "+", "-")]
    right = replacement("c0", AVERAGE, "len(xs)", "len(xs) if xs else 0", Applicability.UNSAFE, "search")
    ids, outcome = heal_with(*guesses, right, cells=CELLS)
    assert ids.count("record") == 1
    assert [c.patch.id for c in outcome.applied] == [right.id]
    contradicted = [a.verdict for a in outcome.attempts if a.verdict and not a.verdict.plausible]
    assert [v.score <= 3 for v in contradicted] == [True] * 3
