"""Calls of earlier cells and type hints: what tells candidates apart where the failing call does not."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.healers.search.plan import Plan, build_plan
from jupyter_selfheal.inside.search import seen
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.program import compile_unit, read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle, Output, Patch, Replace
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts

AVERAGE = "def average(xs):\n    return sum(xs) / len(xs)"


def case_of(*sources: str, stored: str = "", ename: str = "ZeroDivisionError") -> Case:
    cells = [Cell(f"c{n}", source, runs=n + 1) for n, source in enumerate(sources)]
    cells[-1] = Cell(cells[-1].id, sources[-1], outputs=(Output("stream", "stdout", stored),) if stored else ())
    kind = FailureKind.RAISED if ename else FailureKind.MISSED
    return Case(Failure(cells[-1].id, sources[-1], kind, ename, line=1), Notebook(tuple(cells)), Oracle())


def plan_of(case: Case) -> Plan:
    plan = build_plan(case)
    assert plan is not None
    return plan


def search(case: Case) -> tuple[Patch, ...]:
    kernel = FakeKernel([c.source for c in case.notebook.cells[:-1]])
    return SearchHealer(HealConfig(search_seconds=6.0), jobs=1).propose(case, Starts((kernel,)), NoFacts(), ()).patches


def add_inputs(text: str, calls: seen.Calls, *cells: str) -> seen.Calls:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(text, space)
    program = read_program({"units": [{"text": text, "role": "define", "mutable": True}]})
    return seen.add_inputs(calls, seen.record(space, [(c, "") for c in cells]), Runner(program, space))


def test_the_cells_above_that_call_what_may_be_changed_are_sent() -> None:
    case = case_of(
        AVERAGE, "def other():\n    return 1", "a = average([2, 4])", "b = other()", "print(average([]))", stored="0\n"
    )
    assert plan_of(case).callers == (("a = average([2, 4])", ""),)
    assert plan_of(case).crashed
    assert not plan_of(case_of(AVERAGE, "assert average([1]) == 2", ename="AssertionError")).crashed


def test_nothing_is_sent_where_no_definition_may_be_changed() -> None:
    assert (
        plan_of(case_of("xs = [1]", "ys = sorted(xs)", "print(ys[3])", stored="1\n", ename="IndexError")).callers == ()
    )


def test_what_earlier_cells_called_it_with_comes_after_what_the_failing_one_did() -> None:
    inputs = add_inputs(AVERAGE, {"average": [([],)]}, "average([2, 4])\naverage(xs=[1])", "print(average([5]))")
    assert inputs["average"][:3] == [([],), ([2, 4],), ([1],)]
    assert ([5],) in inputs["average"]


def test_what_is_no_plain_data_or_fails_is_left_out() -> None:
    inputs = add_inputs(AVERAGE, {}, "average(range(3))", "average([])", "boom()")
    assert inputs == {"average": [([],), ([2, 4],), ([3],)]}


def test_what_a_cell_gave_that_is_not_what_is_stored_is_no_witness() -> None:
    space: dict[str, Any] = {}
    exec(AVERAGE, space)
    seen_calls = seen.record(space, [("print(average([2, 4]))", "3.0\n"), ("print(average([1]))", "2.0\n")])
    assert [bool(c["gave"]) for c in seen_calls] == [True, False]


def test_type_hints_and_empty_arguments_give_inputs_too() -> None:
    hinted = "def pick(names: list[str], n: int = 1):\n    return names[n]"
    assert seen.list_hinted_inputs(hinted) == {"pick": [(["ab", "", "a b"],), ([],), (["ab"],)]}
    assert seen.list_hinted_inputs("def f(x: Frame):\n    return x") == {}
    assert seen.list_hinted_inputs(AVERAGE) == {}
    assert add_inputs(AVERAGE, {"average": [([],)]})["average"] == [([],), ([2, 4],), ([3],)]


def test_candidates_that_change_what_an_earlier_call_gave_do_not_come_first() -> None:
    patches = search(case_of(AVERAGE, "print(average([2, 4]))", "print(average([]))", stored="0\n"))
    space: dict[str, Any] = {}
    edit = next(e for p in patches for e in p.edits if isinstance(e, Replace) and e.cell_id == "c0")
    exec(edit.source, space)
    assert space["average"]([2, 4]) == 3.0
    assert any("*" in e.source for p in patches for e in p.edits if isinstance(e, Replace))


def test_calls_in_the_text_of_cells_below_tell_changes_apart() -> None:
    """A call below has plain values: it need not run to be an input. Calls with names, of other functions, or by keyword are none."""
    cells = (AVERAGE, "average([])", "average([1, 2])\nprint(average([5]), average(xs), len([1]), average(xs=[3]))")
    notebook = Notebook(tuple(Cell(f"c{n}", source) for n, source in enumerate(cells)))
    plan = plan_of(
        Case(Failure("c1", cells[1], FailureKind.RAISED, "ZeroDivisionError", line=1), notebook, Oracle(expect="0"))
    )
    assert plan.written == (("average", "([1, 2], )"), ("average", "([5], )"))
    program = read_program(plan.to_argument(6.0, 1))
    given = seen.add_inputs({"average": [([],)]}, [], Runner(program, {"__name__": "__main__"}))["average"]
    assert given[:3] == [([],), ([1, 2],), ([5],)]


CLIP = "def clip(x, lo, hi):\n    return max(lo, max(x, hi))"


def test_a_stored_output_that_was_missed_and_is_met_speaks_for_a_change() -> None:
    cells = [
        Cell("c0", CLIP, runs=1),
        Cell("c1", "print(clip(12, 0, 10))", runs=2, outputs=(Output("stream", "stdout", "10\n"),)),
        Cell("c2", "assert clip(5, 0, 10) == 5", runs=3),
    ]
    failure = Failure("c2", cells[2].source, FailureKind.RAISED, "AssertionError", line=1)

    def rivals(*above: Cell) -> list[str]:
        case = Case(failure, Notebook((*above, cells[2])), Oracle())
        kernel = FakeKernel([c.source for c in above])
        patches = SearchHealer(HealConfig(search_seconds=6.0), jobs=1).propose(case, Starts((kernel,)), NoFacts(), ())
        return [p.rival for p in patches.patches if "min(x, hi)" in str(p.edits)]

    assert rivals(*cells[:2]) == [""]
    assert rivals(cells[0]) != [""]


@pytest.mark.parametrize(("crashed", "left"), [(False, seen.CHANGING), (True, seen.CONTRADICTING)])
def test_changes_of_earlier_results_come_later_and_last_where_the_cell_raised(crashed: bool, left: float) -> None:
    space: dict[str, Any] = {}
    exec(AVERAGE, space)
    unit = {"text": AVERAGE, "role": "define", "mutable": True}
    runner = Runner(read_program({"units": [unit], "crashed": crashed}), space)
    calls = seen.record(space, [("average([2, 4])", "")])
    kept, changing = (Candidate({0: t}, "", 1, 1.0, 0, 1) for t in (AVERAGE, AVERAGE.replace("/", "*")))
    for c in (kept, changing):
        c.codes = {0: compile_unit(runner.program, 0, c.texts[0])}
    seen.set_back_contradicting([kept, changing], runner, calls)
    assert (kept.weight, changing.weight) == (1.0, left)


def test_of_two_changes_one_that_does_not_print_what_is_stored_comes_later() -> None:
    space: dict[str, Any] = {}
    exec(CLIP, space)
    unit = {"text": CLIP, "role": "define", "mutable": True}
    callers = [["print(clip(12, 0, 10))", "10\n"], ["print(clip(1, 0, 10))", " "]]
    runner = Runner(read_program({"units": [unit], "callers": callers}), space)
    right, wrong = (Candidate({0: t}, "", 1, 1.0, 0, 1) for t in (CLIP.replace("max(x", "min(x"), f"{CLIP} + 0"))
    for c in (right, wrong):
        c.codes = {0: compile_unit(runner.program, 0, c.texts[0])}
    seen.set_back_unmet([wrong], runner)
    assert wrong.weight == 1.0, "nothing says that another change meets it"
    seen.set_back_unmet([right, wrong], runner)
    assert (right.weight, wrong.weight) == (1.0, seen.UNMET)
