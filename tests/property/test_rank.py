"""Ranking is total, deterministic and blind to the order in which trials came in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_selfheal.model import Applicability, Ending, Isolation, Patch, Replace, Start, Trial, Verdict
from jupyter_selfheal.scoring.scorer import EvidenceScorer

PATCHES = st.builds(
    lambda cell, source, healer, applicability, prior: Patch(
        (Replace(cell, "x = 1\ny = 2\n", source),), "t", healer=healer, applicability=applicability, prior=prior
    ),
    st.sampled_from(["a", "b"]),
    st.text("xy=12\n ", max_size=12),
    st.sampled_from(["memory", "rules", "search", "language_model", "rules+search", "third_party"]),
    st.sampled_from(list(Applicability)),
    st.sampled_from([0.1, 0.5, 0.9]),
)
TRIED = st.lists(st.tuples(PATCHES, st.integers(0, 10), st.booleans()), max_size=8, unique_by=lambda t: t[0].id)


def ranked(rows: list[tuple[Patch, int, bool]]) -> list[str]:
    trial = Trial("p", (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
    tried = [(patch, trial) for patch, _, _ in rows]
    verdicts = [Verdict(patch.id, float(score), plausible) for patch, score, plausible in rows]
    return [rows[n][0].id for n in EvidenceScorer().rank(tried, verdicts)]


@given(TRIED, st.randoms())
def test_rank_is_a_permutation_and_does_not_depend_on_the_order_of_arrival(rows, random) -> None:  # type: ignore[no-untyped-def]
    found = ranked(rows)
    assert sorted(found) == sorted(patch.id for patch, _, _ in rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert ranked(shuffled) == found


@given(TRIED)
def test_the_best_is_plausible_and_scores_highest_among_the_plausible(rows) -> None:  # type: ignore[no-untyped-def]
    by_id = {patch.id: (plausible, score) for patch, score, plausible in rows}
    keys = [by_id[i] for i in ranked(rows)]
    assert keys == sorted(keys, reverse=True)


def test_ties_go_to_the_safer_the_smaller_and_the_free() -> None:
    def patch(source: str, healer: str = "rules", applicability: Applicability = Applicability.UNSAFE) -> Patch:
        return Patch((Replace("a", "x = 1\ny = 2\n", source),), "t", healer=healer, applicability=applicability)

    safe = patch("z = 5\nw = 7\n", applicability=Applicability.SAFE)
    small = patch("x = 1\ny = 3\n")
    model = patch("x = 1\ny = 4\n", "language_model")
    large = patch("x = 2 + 3 + 4 + 5 + 6 + 7 + 8\ny = 3 + 4 - 5\n")
    rows = [(p, 7, True) for p in (large, model, safe, small)]
    assert ranked(rows) == [p.id for p in (safe, small, large, model)]


def test_a_models_own_order_breaks_ties_among_its_patches_before_their_size() -> None:
    first = Patch((Replace("a", "x = 1", "x = [n for n in range(9) if n % 2]\nx = x[0]"), Replace("b", "y", "z")), "1",
                  healer="language_model", prior=0.6)  # fmt: skip
    second = Patch((Replace("a", "x = 1", "x = 2"),), "2", healer="language_model", prior=0.5)
    assert ranked([(second, 7, True), (first, 7, True)]) == [first.id, second.id]
    assert ranked([(second, 7.1, True), (first, 7, True)]) == [second.id, first.id]
