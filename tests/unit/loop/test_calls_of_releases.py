"""Calls that a release of a library changed are no witness against a patch that gives again what they gave before it."""

from __future__ import annotations

from tests.unit.loop.test_observed_calls import AVERAGE, printed, try_change


def test_what_a_library_gives_since_a_release_is_no_witness_against_what_it_gave_before() -> None:
    define = "import pandas as pd\ndef clean(xs):\n    t = pd.Series(xs)\n    return t / len(xs)"
    old, calls = define.replace("/", "*"), ("a = clean([2, 4])", "clean([])")
    tried = try_change(define, old, *calls, restores="pandas 3.0")
    assert len(tried.calls) == 1
    assert tried.verdict.plausible
    assert any(
        "differs on 1 (1 of them gave what they give since pandas 3.0 only)." in r for r in tried.verdict.reasons
    )
    shown = try_change(define, old, printed("print(clean([2, 4]).sum())", "3.0\n"), "clean([])", restores="pandas 3.0")
    assert not shown.verdict.plausible, "the notebook shows the new release's value"


def test_what_has_nothing_to_do_with_the_library_is_not_what_its_release_changed() -> None:
    old, calls = AVERAGE + " if xs else 0 * len(xs)", ("a = average([2, 4])", "b = average([])")
    kept = try_change(AVERAGE, old, *calls, restores="pandas 3.0", safe=True)
    assert kept.verdict.score >= 7, kept.verdict.reasons
    changed = try_change(AVERAGE, old.replace("/", "*"), *calls, restores="pandas 3.0", safe=True)
    assert changed.calls == [("average([2, 4])", "gave 3.0, now 12")]
    assert (changed.verdict.plausible, changed.verdict.score) == (True, 6)
    assert any("`average([2, 4])` in cell 2 gave 3.0, now 12" in r for r in changed.verdict.reasons)
