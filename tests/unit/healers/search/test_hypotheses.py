"""What makes a guess one to apply: how much of all weight its hypothesis holds, and how many checks decide."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.compare_behaviour import LATE, Input
from jupyter_selfheal.inside.search.hypotheses import Behaviour, Checks, Hypotheses
from jupyter_selfheal.inside.search.odd_values import describe_other_value
from jupyter_selfheal.inside.search.program import count_idle_checks, read_program
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook

GIVEN = [Input("f", given) for given in [(1,), (2,), (3,), (10, 20)]]


def build(weight: float, checks: int = 1, edits: int = 1) -> Candidate:
    return Candidate({0: "x"}, "words", 1, weight, 0, 1, edits, result=Result(0, checks))


def doubt(*candidates: tuple[Candidate, list[str]], inputs: Sequence[Input] = GIVEN) -> str:
    """The doubt about the first candidate; each comes with what it gives."""
    return Hypotheses([c for c, _ in candidates], Behaviour(inputs, [s for _, s in candidates])).describe_doubt(0)


ONE, OTHER, RAISING = ["1", "2", "3", "4"], ["1", "2", "5", "4"], ["1", "2", "!KeyError", "4"]


def test_a_guess_without_a_rival_is_not_doubted() -> None:
    assert not doubt((build(0.5), ONE))


def test_two_operators_in_one_place_are_as_likely_where_one_check_decides() -> None:
    plus, times = (
        Candidate({0: "x"}, "words", 1, w, 0, 1, result=Result(0, 1), spliced={0: ((9, 10, o),)})
        for o, w in (("+", 0.9), ("*", 0.2))
    )
    assert doubt((plus, ONE), (times, OTHER)).startswith("`f(3)` gives 3 with it, and 5")
    plus.result = times.result = Result(0, 2)
    assert not doubt((plus, ONE), (times, OTHER))


def test_a_rival_of_like_weight_is_named_by_the_shortest_input() -> None:
    assert doubt((build(0.5), ONE), (build(0.5), OTHER)) == (
        "`f(3)` gives 3 with it, and 5 with another change that passes the same checks"
    )


def test_long_outcomes_are_told_on_one_line_from_where_they_differ() -> None:
    page = "\\n".join(f"line {n}" for n in range(40))
    mine, theirs = f"{page}\nmine", f"{page}\ntheirs"
    text = doubt((build(0.5), ["1", "2", mine, "4"]), (build(0.5), ["1", "2", theirs, "4"]))
    assert "\n" not in text
    assert len(text) < 300
    assert " mine with it, and …" in text
    assert " theirs with another" in text


def test_values_that_no_check_tells_apart_are_those_of_no_rival() -> None:
    zero, false = ["1", "2", "0", "4"], ["1", "2", "False", "4"]
    assert not doubt((build(0.5), zero), (build(0.5), false))
    assert doubt((build(0.5), zero), (build(0.5), ["1", "2", "None", "4"]))
    assert doubt((build(0.5), zero), (build(0.5), ["1", "2", "'0'", "4"]))
    assert doubt((build(0.5), zero), (build(0.5), ["1", "2", "True", "4"]))


@pytest.mark.parametrize(
    ("wanted", "other", "is_doubted"),
    [
        ("1", "None", False),
        ("None", "None", True),  # a check asks for nothing, so that it may be meant elsewhere, too
        ("1", "0", True),
        ("", "None", True),  # no check says what is asked for
    ],
)
def test_a_rival_that_only_leaves_what_it_gives_open_counts_little(wanted: str, other: str, is_doubted: bool) -> None:
    inputs = [Input("f", (n,), is_checked=bool(wanted) and n == 0) for n in range(4)]
    mine, theirs = [wanted or "1", "2", "3", "4"], [wanted or "1", "2", other, other]
    candidates = [build(0.5), build(0.45)]
    assert bool(Hypotheses(candidates, Behaviour(inputs, [mine, theirs])).describe_doubt(0)) is is_doubted


@pytest.mark.parametrize(
    ("shown", "is_doubted"),
    [
        (["0", "0", "7"], False),  # a check asks for 0 where something else was given: what was given is no good
        (["'no'", "0", "7"], True),
        (["'no'", "'no'", "7"], False),
        (["'no'", "!KeyError", "7"], False),
    ],
)
def test_a_value_from_before_counts_unless_a_check_asks_for_another(shown: list[str], is_doubted: bool) -> None:
    calls = [Input("f", ((),), is_checked=True), Input("f", ([],)), Input("f", ([7],))]
    assert bool(describe_other_value(calls, shown, ["'no'", "'no'", "!IndexError"])) == is_doubted


def test_of_several_edits_each_has_its_part_of_the_checks() -> None:
    def ask(edits: int, is_slip: bool = False) -> str:
        found = [build(0.3, 15, edits) for _ in range(2)]
        found[0].is_slip = is_slip
        return doubt((found[0], ONE), (found[1], OTHER))

    assert ask(1) == ""
    assert ask(2, is_slip=True) == ""
    assert "with another change" in ask(2)


def test_edits_that_do_the_same_are_no_rivals_but_support() -> None:
    lone = [(build(0.5), ONE), (build(0.38), OTHER)]
    assert doubt(*lone)
    assert not doubt(*lone, (build(0.5), ONE))


def test_many_small_rivals_count_together() -> None:
    small = [(build(0.2), ["1", "2", str(n), "4"]) for n in range(5, 9)]
    assert not doubt((build(0.5), ONE), small[0])
    assert doubt((build(0.5), ONE), *small)


def test_a_rival_that_only_raises_counts_less() -> None:
    assert doubt((build(0.5), ONE), (build(0.4), OTHER))
    assert not doubt((build(0.5), ONE), (build(0.4), RAISING))


def test_a_rival_that_differs_only_where_the_input_lacks_what_all_checked_ones_have_counts_less() -> None:
    unusual = [*GIVEN[:2], Input("f", (3,), is_usual=False), GIVEN[3]]
    assert doubt((build(0.5), ONE), (build(0.4), OTHER))
    assert not doubt((build(0.5), ONE), (build(0.4), OTHER), inputs=unusual)
    assert doubt((build(0.5), ONE), (build(0.4), ["1", "8", "5", "4"]), inputs=unusual)
    assert "`f(10, 20)` gives 4 with it" in doubt((build(0.5), ONE), (build(0.5), ["1", "2", "5", "9"]), inputs=unusual)


def test_a_rival_for_which_there_was_no_time_is_not_said_to_differ() -> None:
    late = [*ONE[:2], LATE, LATE]
    assert not doubt((build(0.5), ONE), (build(0.5), late))
    assert not doubt((build(0.5), late), (build(0.5), ONE))


def test_a_rival_of_which_hardly_anything_is_known_may_be_another_hypothesis() -> None:
    for late in ([LATE] * 4, [ONE[0], LATE, LATE, LATE]):
        assert doubt((build(0.5), ONE), (build(0.5), late), (build(0.2), OTHER))
        assert not doubt((build(0.5), ONE), (build(0.2), late))
        assert not doubt((build(0.5), ONE), (build(0.5), [*ONE[:3], LATE]))


def test_a_guess_that_does_not_end_where_its_rival_does_is_doubted() -> None:
    endless = [*RAISING[:2], "!RecursionError", "4"]
    assert "RecursionError" in doubt((build(0.5), endless), (build(0.4), ONE))
    assert not doubt((build(0.5), ONE), (build(0.9), endless))


@pytest.mark.parametrize(("before", "doubted"), [("5", True), ("!timeout", False)])
def test_a_guess_that_no_longer_ends_for_a_short_input_is_doubted(before: str, doubted: bool) -> None:
    shown = [["1", "2", "!timeout", "4"]]
    doubted_for = Hypotheses([build(0.5)], Behaviour(GIVEN, shown, before=["1", "2", before, "4"])).describe_doubt(0)
    assert doubted_for == ("`f(3)` does not come to an end with it, and did before" if doubted else "")


def test_a_change_that_only_raises_otherwise_is_no_rival() -> None:
    other = [*RAISING[:2], "!IndexError", "4"]
    assert not doubt((build(0.5), RAISING), (build(0.9), other))


def test_a_change_that_only_changes_its_argument_counts_less() -> None:
    changing = ["1", "2", "3 (and changes what it is given)", "4"]
    assert not doubt((build(0.5), ONE), (build(0.4), changing))
    assert "changes what it is given" in doubt((build(0.5), ONE), (build(0.9), changing))


def test_a_rival_that_needs_more_edits_is_none() -> None:
    assert not doubt((build(0.5), ONE), (build(0.5, edits=2), OTHER))


@pytest.mark.parametrize(("checks", "doubted"), [(1, True), (3, True), (4, True), (6, True), (14, True), (15, False)])
def test_the_more_checks_decide_the_smaller_a_lead_may_be(checks: int, doubted: bool) -> None:
    assert bool(doubt((build(0.2, checks), ONE), (build(0.7, checks), OTHER))) is doubted


def test_checks_that_repeat_each_other_count_once() -> None:
    candidates, shown = [build(0.5, checks=16), build(0.6, checks=16)], [ONE, OTHER]
    assert not Hypotheses(candidates, Behaviour(GIVEN, shown)).describe_doubt(0)
    assert Hypotheses(candidates, Behaviour(GIVEN, shown), Checks(idle=8)).describe_doubt(0)


def test_an_improbable_change_is_doubted_where_most_checks_held_before() -> None:
    assert not Hypotheses([build(0.1, checks=6)], Behaviour(GIVEN, [ONE]), Checks(failing=6)).describe_doubt(0)
    assert Hypotheses([build(0.1, checks=6)], Behaviour(GIVEN, [ONE]), Checks(failing=1)).describe_doubt(0)
    assert not Hypotheses(
        [build(0.1, checks=6)], Behaviour(GIVEN, [ONE]), Checks(failing=1, crashed=True)
    ).describe_doubt(0)


def test_asserts_that_say_nothing_more_are_found() -> None:
    check = {"text": "assert f( [1,2] ) == 'a'\nassert f(3) == 4\nassert f(3)\nassert True", "role": "check"}
    program = read_program(
        {"units": [check], "doctests": [{"source": "f([1, 2])", "want": '"a"\n'}, {"source": "x = 1", "want": ""}]}
    )
    assert count_idle_checks(program) == 2


def test_what_could_not_be_compared_is_doubted_where_others_pass() -> None:
    assert not doubt((build(0.5), []), inputs=())
    assert "cannot be told" in doubt((build(0.5), []), (build(0.7), []), inputs=())


@pytest.mark.parametrize("shown", [["1"] * 4, ["!E", "!E", "!E", "1"]], ids=["constant", "mostly errors"])
def test_a_comparison_that_says_nothing_is_no_support(shown: list[str]) -> None:
    assert "too few inputs" in doubt((build(0.9), shown))


def test_an_improbable_change_alone_is_doubted() -> None:
    assert doubt((build(0.05), ONE))


def test_what_checks_do_not_notice_weighs_against_an_improbable_change() -> None:
    def doubt_of(weight: float, missed: float) -> str:
        lone = Hypotheses([build(weight, checks=3)], Behaviour(GIVEN, [ONE]), Checks(failing=3))
        lone.share_missed = missed
        return lone.describe_doubt(0)

    assert not doubt_of(0.12, 0.05)
    assert doubt_of(0.12, 0.3) == "30 % of the small changes of it that make a difference pass the same checks"
    assert not doubt_of(0.9, 0.3)


SPOT = """\
def spot(x, seq):
    if x > max(seq):
        return len(seq)
    for i in range(len(seq)):
        if seq[i] >= x:
            return i
    return -1
"""
FLOOR = """\
def floor(x, steps):
    if x >= steps[-1]:
        return len(steps) - 1
    for i in range(len(steps) - 1):
        if steps[i] < x <= steps[i + 1]:
            return i
"""


HALVE = """\
def find(x, row):
    low, high = 0, len(row)
    while low < high:
        mid = (low + high) // 2
        if row[mid] == x:
            return mid
        if row[mid] < x:
            low = mid - 1
        else:
            high = mid
"""


def look_for(definition: str, calls: dict[str, object], ename: str = "AssertionError") -> dict[str, str]:
    """The doubts about the patches that the search finds for a definition and what its calls must give, by the patches' words."""
    checks = "".join(f"assert {call} == {value!r}\n" for call, value in calls.items())
    plan = build_plan(
        Case(Failure("t", checks, FailureKind.RAISED, ename), Notebook((Cell("d", definition), Cell("t", checks))))
    )
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(definition, space)
    reply = search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(300.0, 1))
    return {p["words"]: p["rival"] for p in reply["patches"]}


@pytest.mark.slow
def test_a_fix_of_a_crash_that_changes_what_was_given_before_is_doubted() -> None:
    rows = [(1, 6, 8), (2, 7), (3, 4, 7)]
    calls: dict[str, object] = {f"spot({x}, {row})": sum(n < x for n in row) for row in rows for x in (1, 4, 5, 6, 42)}
    assert "where nothing failed" in look_for(SPOT, {**calls, "spot(4, ())": 0}, "ValueError")["`max` should be `sum`"]
    assert "where nothing failed" not in "".join(look_for(SPOT, {**calls, "spot(4, ())": 0}).values())


def test_a_fix_that_gives_nothing_for_an_input_like_the_checked_ones_is_doubted() -> None:
    calls: dict[str, object] = {
        "floor(9, (2, 5))": 1, "floor(3, [2, 5])": 0, "floor(6, [2, 5, 8])": 1, "floor(4, (1, 6, 8))": 0, "floor(5, (2, 5, 7))": 1
    }  # fmt: skip
    assert any("gives nothing" in doubt for doubt in look_for(FLOOR, calls).values())
    expects_none = {**calls, "floor(1, (2, 5, 7))": None}
    assert not any("gives nothing" in doubt for doubt in look_for(FLOOR, expects_none).values())


@pytest.mark.slow
def test_a_fix_that_runs_for_ever_for_an_input_like_the_checked_ones_is_doubted() -> None:
    doubts = look_for(HALVE, {"find(4, [2, 4, 8])": 1, "find(8, [2, 4, 8])": 2, "find(2, [2, 4, 8])": 0})
    assert doubts["`-` should be `+`"] == ""
    assert doubts["`mid - 1` should be `mid`"] == "`find(8, [2, 4])` does not come to an end with it"


def test_what_takes_as_long_for_a_checked_call_is_only_slow() -> None:
    short = Input("f", (2,), is_covered=True)
    endless = ["1", "!timeout"]
    assert "`f(2)` does not come" in doubt(
        (build(0.9, checks=20), endless), inputs=[Input("f", (7,), is_checked=True), short]
    )
    slow = [Input("f", (7,), is_checked=True), Input("f", (8,), is_checked=True), short]
    assert not doubt((build(0.9, checks=20), ["1", "!timeout", "!timeout"]), inputs=slow)


def test_only_the_checks_count_that_come_to_what_is_changed_but_for_one_slip_in_all_its_places() -> None:
    def decide(candidate: Candidate, reaching: int) -> int:
        return Hypotheses([candidate], Behaviour([], [[]]), Checks(count_reaching=lambda n: reaching)).count_deciding(0)

    candidate = build(0.9, checks=17)
    assert [decide(candidate, reaching) for reaching in (5, 20, 0)] == [5, 17, 17]
    candidate.is_slip = True
    assert decide(candidate, 5) == 17
    assert Hypotheses([candidate], Behaviour([], [[]])).count_deciding(0) == 17


@pytest.mark.parametrize(
    ("given", "before", "is_doubted"),
    [(1, "!timeout", False), (9, "!timeout", False), (1, "7", True), (4, "!timeout", True)],
)
def test_a_number_beyond_all_that_are_checked_may_never_have_come_to_an_end(
    given: int, before: str, is_doubted: bool
) -> None:
    checked = [Input("f", ([7], 2), is_checked=True), Input("f", ([3], 8), is_checked=True)]
    inputs = [*checked, Input("f", ([7], given), is_covered=True)]
    shown = [["1", "2", "!timeout"]]
    hypotheses = Hypotheses([build(0.9, checks=20)], Behaviour(inputs, shown, before=["0", "0", before]))
    assert bool(hypotheses.find_covered_endless(0)) is is_doubted


def test_a_variable_of_another_cell_that_nothing_reads_is_doubted() -> None:
    cells = Notebook((Cell("a", "others = [4, 5, 6]"), Cell("t", "few = [1]\nmany = few\nassert len(many) == 3")))
    plan = build_plan(Case(Failure("t", cells.cell("t").source, FailureKind.RAISED, "AssertionError"), cells))
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__", "others": [4, 5, 6], "few": [1]}
    reply = search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(300.0, 1))
    doubts = {p["words"]: p["rival"] for p in reply["patches"]}
    assert doubts["`few` should be `others`"]
    assert all(doubt for words, doubt in doubts.items() if "others" in words)
