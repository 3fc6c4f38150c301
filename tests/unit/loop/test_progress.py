"""Did it fail as before, and did it get further?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jupyter_selfheal.loop.limits import normalise_message
from jupyter_selfheal.loop.progress import (
    build_case_behind,
    build_signature,
    find_failure,
    is_reproduction,
    measure_reach,
)
from jupyter_selfheal.model import (
    Case,
    Ending,
    ErrorInfo,
    Failure,
    FailureKind,
    Insert,
    Isolation,
    Keep,
    Patch,
    Replace,
    Role,
    Run,
    Start,
    StepResult,
    Trial,
    TrialRequest,
)
from tests.stages import Stage, replacement

MakeStage = Callable[..., Stage]
CASE = Case(Failure("c", "while True: pass", FailureKind.TIMED_OUT, "TimeoutError", "the time limit was reached"))


def trial(ending: Ending, *steps: StepResult, detail: str = "") -> Trial:
    return Trial("p", steps, ending, Start.BEFORE_CELL, Isolation("fake"), detail)


def test_a_cell_that_is_cut_off_timed_out_wherever_it_was_then() -> None:
    where = ErrorInfo("TimeoutError", "still running when its time was up", line=1, statement=0)
    cut = trial(Ending.TIMED_OUT, StepResult("timeout", errors=(where,)), detail="the time limit was reached")
    failure = find_failure(CASE, "while True: pass", cut)
    assert failure is not None
    assert (failure.kind, failure.line) == (FailureKind.TIMED_OUT, 1)
    assert is_reproduction(CASE, cut, "")


@pytest.mark.parametrize(
    ("source", "line", "comes_again"),
    [
        ("xs, n = [], 3\nwhile n > 0: xs.append(n)", 2, True),
        ("xs, n = [], 3\nwhile n > 0: xs.append(n); n -= 1", 2, False),  # it ends
        ("xs = list(range(10**9))\nwhile n > 0: xs.append(n)", 1, False),  # not in the loop
        ("xs, n = [], 3\nwhile n > 0: xs.append(n)", 0, False),  # nobody knows where
    ],
)
def test_a_loop_that_fills_memory_for_ever_does_so_again_where_its_time_is_up_first(
    source: str, line: int, comes_again: bool
) -> None:
    reported = Failure("c", source, FailureKind.RAISED, "MemoryError", "", line=line)
    where = ErrorInfo("TimeoutError", "still running when its time was up", line=2, statement=1)
    cut = trial(Ending.TIMED_OUT, StepResult("timeout", errors=(where,)), detail="the time limit was reached")
    assert is_reproduction(Case(reported), cut, "") is comes_again


@pytest.mark.parametrize("ending", [Ending.EXITED, Ending.KILLED, Ending.OUT_OF_MEMORY])
def test_a_process_that_ends_under_the_cell_died(ending: Ending) -> None:
    failure = find_failure(CASE, "x", trial(ending, StepResult("skipped"), detail="signal 11"))
    assert failure is not None
    assert (failure.kind, failure.evalue) == (FailureKind.DIED, "signal 11")


def test_a_failing_setup_is_no_failure_of_the_cell() -> None:
    setup = StepResult("error", role="setup", errors=(ErrorInfo("E", "e"),))
    assert find_failure(CASE, "x", trial(Ending.FINISHED, setup, StepResult("skipped"))) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("object at 0x7f00aa", "object at 0x123"),
        ("index 3 is out of bounds for axis 0 with size 3", "index 10 is out of bounds for axis 0 with size 9"),
        ("No such file: '/tmp/a/b.csv'", "No such file: '/home/me/c.csv'"),
    ],
)
def test_numbers_addresses_and_paths_make_no_other_message(one: str, other: str) -> None:
    assert normalise_message(one) == normalise_message(other)
    assert normalise_message("name 'a' is not defined") != normalise_message("name 'b' is not defined")


def test_reach_counts_from_the_end_so_that_lines_added_above_do_not_count(stage: MakeStage) -> None:
    s = stage("x = 1", "x.a\nx.b\nx.c")
    same = _behind(s, s.replaced("x.a", "import os\nx.a"))
    further = _behind(s, s.replaced("x.a", "import os\nx"))
    assert measure_reach(same.failure) == measure_reach(s.case.failure)
    assert measure_reach(further.failure) > measure_reach(s.case.failure)


def test_anything_raised_is_further_than_a_syntax_error(stage: MakeStage) -> None:
    s = stage("x = 1", "x.a\nif x\n    pass")
    assert s.case.failure.kind is FailureKind.SYNTAX
    assert measure_reach(_behind(s, s.replaced("if x", "if x:")).failure) > measure_reach(s.case.failure)


def test_a_second_use_in_the_same_line_is_another_failure(stage: MakeStage) -> None:
    s = stage("x = 1", "print(x.nope, x.nope)")
    case = _behind(s, replacement("c1", s.source, "x.nope", "x"))
    assert build_signature(case.failure, case.notebook) != build_signature(s.case.failure, s.case.notebook)


def test_the_case_behind_holds_the_sources_after_the_patch(stage: MakeStage) -> None:
    s = stage("x = 1", "x.a\nx.b")
    edits = (Insert("new", "import os", "c1"), Replace("c1", s.source, "x\nx.b"))
    case = _behind(s, Patch(edits, "two edits"))
    assert [c.id for c in case.notebook.cells] == ["c0", "new", "c1"]
    assert case.notebook.cell("c1").source == case.failure.source == "x\nx.b"
    assert case.base.edits == edits


def _behind(s: Stage, patch: Patch) -> Case:
    source = patch.source_of("c1", s.source)
    ran, _ = s.starts.before[0].run(TrialRequest((Run(source, "c1"),), patch.id, keep=Keep.NEVER))
    case = build_case_behind(s.case, patch, ran)
    assert case is not None
    return case


def test_nothing_is_behind_a_patch_that_ran(stage: MakeStage) -> None:
    s = stage("x = 1", "x.a")
    ran, _ = s.starts.before[0].run(TrialRequest((Run("x", "c1"),)))
    assert build_case_behind(s.case, s.replaced("x.a", "x"), ran) is None


def test_a_cell_that_missed_something_and_now_raises_failed_otherwise_and_one_that_never_began_not_at_all() -> None:
    missed = Case(Failure("c", "f(2)", FailureKind.MISSED, "ExpectationMissed", "expected 4"))
    raised = StepResult("error", cell_id="c", errors=(ErrorInfo("KeyError", "2", line=1, statement=0),))
    assert not is_reproduction(missed, trial(Ending.FINISHED, raised), "")
    setup = StepResult("error", cell_id="b", role=Role.SETUP.value, errors=raised.errors)
    assert find_failure(missed, "f(2)", trial(Ending.FINISHED, setup, raised)) is None
