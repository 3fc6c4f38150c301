"""Comparison is reflexive, verdicts keep their bounds, and templates make the change that they were learnt from."""

from __future__ import annotations

import ast
import copy

from hypothesis import given
from hypothesis import strategies as st

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.memory.templates import apply_changes, learn_changes, rename_variables
from jupyter_selfheal.inside.comparator import find_difference
from jupyter_selfheal.model import Applicability, Cell, Output, Patch
from jupyter_selfheal.scoring import stored
from jupyter_selfheal.scoring.comparison import NOTHING, Comparison, Match
from jupyter_selfheal.scoring.evidence import CellBelow, Count, Evidence, Part
from jupyter_selfheal.scoring.output_values import are_equal_values, parse_value
from jupyter_selfheal.scoring.verdict import Opinion, build_verdict

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.complex_numbers()
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4) | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_equals_its_copy(value: object) -> None:
    assert find_difference(value, copy.deepcopy(value)) is None


@given(VALUES, VALUES)
def test_comparing_ends_and_is_even_handed(one: object, other: object) -> None:
    assert (find_difference(one, other) is None) == (find_difference(other, one) is None)


@given(st.text(max_size=60))
def test_an_output_reproduces_itself(text: str) -> None:
    outputs = (Output("stream", name="stdout", text=text),)
    found = stored.compare(Cell("a", "x", outputs=outputs), outputs)
    assert found.same or not found.can_decide


SHOWN = st.text("{}[]()'\"=,.:-_ \n0123abnL\\|", max_size=40) | VALUES.map(repr)


@given(SHOWN, SHOWN)
def test_any_two_texts_can_be_compared_and_in_either_order(one: str, other: str) -> None:
    outputs = [(Output("execute_result", data={"text/plain": text}),) for text in (one, other)]
    there = stored.compare_outputs(outputs[0], outputs[1], "x")
    back = stored.compare_outputs(outputs[1], outputs[0], "x")
    assert not (there.can_decide and back.can_decide) or there.match is back.match


@given(VALUES)
def test_what_a_value_shows_is_no_other_value(value: object) -> None:
    shown = parse_value(repr(value))
    assert shown is None or are_equal_values(shown[0], shown[0])


COUNTS = st.integers(0, 3).flatmap(lambda n: st.builds(Count, st.just(n), st.integers(0, n)))
OUTPUTS = st.sampled_from(
    [NOTHING, Comparison(Match.SAME, 1.0, 9), Comparison(Match.VALUE, 0.7, 9), Comparison(Match.VALUE, 0.0, 9)]
)
BELOW = st.builds(
    CellBelow, st.just("b"), st.booleans(), st.sampled_from(["", "KeyError: x", "AssertionError: y"]), OUTPUTS, st.booleans(),
    st.sampled_from(["", "expected 1, got 2"]), st.integers(0, 2),
)  # fmt: skip
EVIDENCE = st.builds(
    Evidence,
    ran=st.booleans(),
    progress=st.integers(0, 3),
    inconclusive=st.sampled_from(["", "blocked"]),
    user=st.lists(
        st.builds(Part, st.sampled_from(["expected value", "check"]), st.booleans(), st.just("why")), max_size=3
    ).map(tuple),
    doctests=COUNTS,
    own_asserts=st.integers(0, 2),
    deciding=COUNTS,
    others=COUNTS,
    output=OUTPUTS,
    below=st.lists(BELOW, max_size=3).map(tuple),
    tampering=st.sampled_from([(), ("cheats",)]),
    remarks=st.sampled_from([(), ("guards",)]),
)
PATCHES = st.builds(Patch, st.just(()), st.just("t"), applicability=st.sampled_from(list(Applicability)))
OPINIONS = st.none() | st.builds(Opinion, st.floats(0, 10), st.just("hm"), st.integers(0, 100))


@given(PATCHES, EVIDENCE, OPINIONS)
def test_a_verdict_keeps_its_bounds(patch: Patch, evidence: Evidence, opinion: Opinion | None) -> None:
    found = build_verdict(patch, evidence, opinion)
    contradicted = any(not p.met for p in evidence.user) or any(
        c.asked > c.held for c in (evidence.doctests, evidence.deciding)
    )
    assert 0 <= found.score <= 10
    if not evidence.ran or evidence.tampering or contradicted:
        assert found.score <= 3
        assert not found.plausible
        assert not found.oracle_met
    if found.score >= 8 and not found.oracle_met:
        assert opinion is not None, "only a met oracle or a judge reaches 8"
    assert found.reasons


NAMES = st.sampled_from(["a", "bb", "df", "x1", "total"])
EXPRESSIONS = st.recursive(
    NAMES | st.integers(0, 9).map(str),
    lambda e: st.tuples(e, st.sampled_from(["+", "*", "-"]), e).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    | e.map(lambda x: f"f({x})") | e.map(lambda x: f"{x}.m" if not x.isdigit() else x),
    max_leaves=4,
)  # fmt: skip
STATEMENTS = st.tuples(NAMES, EXPRESSIONS).map(lambda t: f"{t[0]} = {t[1]}")
CELLS = st.lists(STATEMENTS, min_size=1, max_size=4, unique=True).map("\n".join)


@given(CELLS, CELLS)
def test_a_template_makes_the_change_that_it_was_learnt_from_or_nothing(old: str, new: str) -> None:
    made = apply_changes(learn_changes(old, new), old)
    assert made == "" or src.canonicalise(made) == src.canonicalise(new)


@given(EXPRESSIONS, st.permutations(["p", "q", "r", "s", "t"]))
def test_renaming_there_and_back_is_nothing(text: str, others: list[str]) -> None:
    there = dict(zip(["a", "bb", "df", "x1", "total"], others, strict=True))
    moved = rename_variables(text, there)
    assert moved is not None
    assert ast.dump(ast.parse(rename_variables(moved, {v: k for k, v in there.items()}) or "")) == ast.dump(
        ast.parse(text)
    )
