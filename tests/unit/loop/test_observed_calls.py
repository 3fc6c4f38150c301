"""Calls that cells above made are noted once, made again under every patch that changes a function, and held against it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.engine import prove_patch
from jupyter_selfheal.loop.observed_calls import CallObserver, find_affected
from jupyter_selfheal.loop.trials import build_request, build_sandbox, run_trial
from jupyter_selfheal.model import (
    Applicability,
    Case,
    Cell,
    Failure,
    FailureKind,
    Notebook,
    Oracle,
    Output,
    Patch,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.model.trial import OBSERVED_CALLS
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.scoring.observed_calls import read_calls
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.source.callers import choose_callers
from jupyter_selfheal.testing.fake_kernel import FakeKernel

AVERAGE = "def average(xs):\n    return sum(xs) / len(xs)"
CONFIG = HealConfig()


def printed(source: str, stored: str = "") -> Cell:
    """A cell with what the notebook stores for it."""
    return Cell("", source, outputs=(Output("stream", "stdout", stored),) if stored else ())


@dataclass
class Tried:
    """A patch of the first cell, tried in the state before the last one."""

    kernel: FakeKernel
    case: Case
    patch: Patch
    verdict: Verdict
    trial: Trial
    calls: list[tuple[str, str]]
    """(call, how it changed) of each that was made again."""


def try_change(
    define: str,
    new: str,
    *cells: str | Cell,
    ename: str = "ZeroDivisionError",
    fails: str = "",
    rival: str = "",
    statement: int = -1,
    restores: str = "",
    safe: bool = False,
) -> Tried:
    """Replace the first cell's source; the last cell is the failing one (with its ``statement``), or the one with ``fails`` for an
    expectation."""
    texts = [Cell("", c) if isinstance(c, str) else c for c in (define, *cells)]
    named = tuple(
        Cell(f"c{n}", c.source, outputs=c.outputs, expensive=c.expensive, runs=0 if c is texts[-1] else n + 1)
        for n, c in enumerate(texts)
    )
    kind = FailureKind.MISSED if fails else FailureKind.RAISED
    failure = Failure(named[-1].id, named[-1].source, kind, ename, "division by zero", 1, statement=statement)
    case = Case(failure, Notebook(named), Oracle(expect=fails))
    patch = Patch((Replace("c0", define, new),), "change it", healer="search", rival=rival, restores=restores)
    if safe:
        patch = replace(patch, healer="rules", rule="PDA122", applicability=Applicability.SAFE)
    kernel = FakeKernel([c.source for c in named[:-1]])
    observer, scorer = CallObserver(build_sandbox(CONFIG)), EvidenceScorer()
    calls = observer.build_probe(case, patch, kernel)
    request = build_request(case, patch, Start.BEFORE_CELL, scorer, CONFIG, calls=calls)
    trial, _ = run_trial(patch, kernel, request, start=Start.BEFORE_CELL)
    trial = observer.add_recorded_steps(trial)
    (verdict,) = scorer.judge(case, trial, ((patch, trial),), ()).verdicts
    rows = trial.probe(OBSERVED_CALLS)
    return Tried(
        kernel, case, patch, verdict, trial, [(r["call"], r["change"]) for r in rows] if isinstance(rows, list) else []
    )


def test_a_patch_that_changes_what_a_healthy_cell_computed_is_contradicted() -> None:
    tried = try_change(
        AVERAGE,
        AVERAGE.replace("/", "*"),
        printed("print(average([2, 4]))", "3.0\n"),
        printed("print(average([]))", "0\n"),
    )
    assert tried.calls == [("average([2, 4])", "gave 3.0, now 12")]
    assert tried.verdict.score <= 3
    assert not tried.verdict.plausible
    assert "`average([2, 4])` in cell 2 gave 3.0, now 12" in tried.verdict.reasons[0]
    assert "3.0" not in tried.verdict.feedback


def test_a_patch_that_keeps_it_says_so_in_numbers() -> None:
    right = AVERAGE + " if xs else 0"
    tried = try_change(
        AVERAGE,
        right,
        "print(average([2, 4]))",
        "a = average([1])",
        printed("print(average([]), average([8]))", "0 8.0\n"),
    )
    assert [change for _, change in tried.calls] == ["", ""]
    assert "It agrees on 2 earlier calls; differs on none." in tried.verdict.reasons
    assert tried.verdict.score == 8.2


def test_what_the_failing_cell_did_before_it_failed_is_a_witness_too() -> None:
    failing = "print(average([2, 4]))\nprint(average([]))"
    tried = try_change(AVERAGE, AVERAGE.replace("/", "*"), failing, statement=1)
    assert tried.calls == [("average([2, 4])", "gave 3.0, now 12")]
    assert not tried.verdict.plausible
    assert not try_change(AVERAGE, AVERAGE.replace("/", "*"), failing).calls
    assert not try_change(AVERAGE, AVERAGE.replace("/", "*"), failing, statement=0).calls


def test_what_the_failing_assert_reads_is_no_witness_for_what_made_it() -> None:
    account = "class Account:\n    def __init__(self):\n        self.balance = 100\n    def deposit(self, x):\n        self.balance =+ x\n"
    failing = "account = Account()\naccount.deposit(50)\nassert account.balance == 150"
    tried = try_change(account, account.replace("=+", "+="), failing, statement=2)
    assert not tried.calls
    assert tried.verdict.score >= 8


def test_what_the_failing_cell_puts_out_before_it_fails_complains_of_nothing() -> None:
    failing = Cell("", "print(average([2, 4]))\nprint(average([]))", outputs=printed("", "3.0\n0\n").outputs)
    tried = try_change(AVERAGE, AVERAGE + " if xs else 0", failing, statement=1)
    assert "It agrees on 1 earlier call; differs on none." in tried.verdict.reasons


ASYNC = """async def double(x):
    return x * 2

async def twice(x):
    return await double(await double(x))

def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
"""


@pytest.mark.parametrize(("new", "change"), [("x * 3", "gave 6, now 9"), ("x + x", "")])
def test_async_functions_are_called_again_too(new: str, change: str) -> None:
    tried = try_change(ASYNC, ASYNC.replace("x * 2", new), "a = drive(double(3))", "1 / 0")
    assert tried.calls == [("double(3)", change)]


def test_an_async_function_that_waits_for_something_is_left_out() -> None:
    define = "import asyncio\nasync def wait(x):\n    await asyncio.get_running_loop().create_future()\n    return x"
    assert not try_change(define, define.replace("return x", "return y"), "a = wait(1).close()", "1 / 0").calls


def test_a_patch_that_is_tried_by_itself_is_held_to_earlier_calls() -> None:
    wrong = AVERAGE.replace("/", "*")
    tried = try_change(AVERAGE, wrong, "print(average([2, 4]))", printed("print(average([]))", "0\n"))
    kernel = FakeKernel([c.source for c in tried.case.notebook.cells[:-1]])
    candidate = prove_patch(tried.case, tried.patch, Starts((kernel,)), CONFIG)
    assert candidate.verdict == tried.verdict
    assert not candidate.verdict.plausible


def test_agreement_alone_proves_nothing() -> None:
    tried = try_change(AVERAGE, AVERAGE + " if xs else 5", "a = average([1])", "b = average([])")
    assert tried.verdict.score < 7
    assert not tried.verdict.oracle_met


def test_a_cell_whose_stored_output_says_otherwise_is_no_witness_for_the_old_result() -> None:
    wrong = "def average(xs):\n    return sum(xs) / (len(xs) - 1)"
    right = AVERAGE
    tried = try_change(
        wrong,
        right,
        printed("print(average([2, 4]))", "3.0\n"),
        "b = average([3, 5])",
        printed("print(average([7]))", "7.0\n"),
    )
    assert [bool(change) for _, change in tried.calls] == [True, True]
    assert tried.verdict.plausible
    assert tried.verdict.score >= 7
    assert any("of 2 of them the notebook stores something else" in r for r in tried.verdict.reasons)


def test_keeping_what_the_notebook_does_not_store_is_no_merit_and_giving_it_again_is_one() -> None:
    wrong = "def average(xs):\n    return sum(xs) / (len(xs) - 1)"
    cells = (printed("print(average([2, 4]))", "3.0\n"), printed("print(average([7]))", "7.0\n"))
    kept = try_change(wrong, wrong.replace("(len(xs) - 1)", "max(len(xs) - 1, 1)"), *cells)
    mended = try_change(wrong, AVERAGE, *cells)
    assert kept.verdict.score == 8.0
    assert not any("earlier call" in r for r in kept.verdict.reasons)
    assert mended.verdict.score == 8.5
    assert "1 cell above gives what is stored and did not before." in mended.verdict.reasons


def test_of_two_patches_the_one_that_gives_what_is_stored_elsewhere_too_is_meant() -> None:
    wrong = "def average(xs):\n    return sum(xs) / (len(xs) - 1)"
    cells = (printed("print(average([2, 4]))", "3.0\n"), printed("print(average([7]))", "7.0\n"))
    kept = try_change(wrong, wrong.replace("(len(xs) - 1)", "max(len(xs) - 1, 1)"), *cells)
    mended = try_change(wrong, AVERAGE, *cells, rival="`average([2, 4])` gives 3.0 with it, and 6.0 with another")
    pairs = ((kept.patch, kept.trial), (mended.patch, mended.trial))
    first, second = EvidenceScorer().judge(kept.case, kept.trial, pairs, ()).verdicts
    assert (first.score, second.score) == (6.0, 8.5)
    assert "Another change makes cell 2 give what is stored for it; this one does not." in first.reasons


def test_a_cell_in_between_that_gives_another_value_than_stored_counts_though_no_call_can_be_compared() -> None:
    define = "def half(x):\n    return lambda: x / 2"
    tried = try_change(define, define.replace("/", "*"), printed("print(half(4)())", "2.0\n"), "1 if half(1)() else 0")
    assert tried.calls == []
    assert tried.verdict.score <= 3
    assert "cell 2 gives 8, where 2.0 is stored" in tried.verdict.reasons[0]
    assert tried.verdict.feedback.startswith("it changes what a cell above gives")


def test_what_a_cell_prints_by_chance_complains_of_nothing() -> None:
    cells = ("import random", printed("print(average([2, 4]) + random.random())", "3.7\n"), "average([])")
    tried = try_change(AVERAGE, AVERAGE.replace("/", "*"), *cells)
    assert tried.calls == [("average([2, 4])", "gave 3.0, now 12")]
    assert tried.verdict.score <= 3


def test_a_failure_of_a_wrong_value_makes_a_difference_a_doubt() -> None:
    tried = try_change(
        AVERAGE, AVERAGE.replace("len(xs)", "2"), "a = average([3])", "average([1, 2, 3])", fails="3.0", ename=""
    )
    assert tried.verdict.plausible
    assert tried.verdict.score == 6
    assert any("It changes what nobody complained of" in r for r in tried.verdict.reasons)


def test_a_call_that_raised_may_give_a_value() -> None:
    tried = try_change(
        AVERAGE, AVERAGE + " if xs else 0", "try:\n    average([])\nexcept ZeroDivisionError:\n    pass", "average([])"
    )
    assert tried.calls == []
    assert tried.verdict.plausible


def test_a_method_is_called_on_a_copy_of_what_it_was_called_on() -> None:
    bank = "class Bank:\n    def __init__(self, n):\n        self.n = n\n    def add(self, k):\n        self.n += k\n        return self\n    def per(self, d):\n        return self.n / d"
    cells = ("b = Bank(5)\nfirst = b.add(3).per(2)", "b.per(0)")
    changed = try_change(bank, bank.replace("+= k", "+= k * 2").replace("/ d", "/ (d or 1)"), *cells)
    assert [call for call, change in changed.calls if change] == ["Bank.add(3)"]
    assert not changed.verdict.plausible
    kept = try_change(bank, bank.replace("/ d", "/ (d or 1)"), *cells)
    assert [change for _, change in kept.calls] == ["", "", ""]


def test_instances_that_are_made_otherwise_now_are_not_compared() -> None:
    bank = "class Bank:\n    def __init__(self, n):\n        self.ballance = n\n    def show(self):\n        return self.ballance"
    new = bank.replace("ballance", "balance")
    tried = try_change(bank, new, "shown = Bank(3).show()", "Bank(3).balance / 0")
    assert find_affected(tried.case, tried.patch).reshaped == {"Bank"}
    assert tried.calls == []


def test_a_generator_is_compared_by_what_it_gives() -> None:
    steps = "def steps(n, by):\n    while n < 9:\n        yield n\n        n += by"
    cells = ("got = list(steps(1, 3))\nfirst = next(steps(2, 4))", "1 / 0")
    (one, two) = try_change(steps, steps.replace("< 9", "< 7"), *cells).calls
    assert one == ("steps(1, 3)", "gave [1, 4, 7], now [1, 4]")
    assert two == ("steps(2, 4)", "")


def test_a_closure_is_called_as_what_its_maker_gives() -> None:
    scale = "def scale(by, plus=0):\n    def apply(x):\n        return x / by + plus\n    return apply"
    cells = ("half, third = scale(2), scale(3, plus=1)\ngot = [half(4), third(9), half(x=6)]", "scale(0)(1)")
    kept = try_change(scale, scale.replace("x / by", "(x / by if by else 0)"), *cells)
    assert kept.calls == [("scale(2, 0)(4)", ""), ("scale(3, 1)(9)", ""), ("scale(2, 0)(6)", "")]
    changed = try_change(scale, scale.replace("x / by + plus", "x // (by or 1)"), *cells)
    assert [call for call, change in changed.calls if change] == ["scale(3, 1)(9)"]
    assert not changed.verdict.plausible


def test_a_closure_that_holds_something_else_by_now_is_not_taken_for_another() -> None:
    count = "def counter(start):\n    n = start\n    def count(by):\n        nonlocal n\n        n += by\n        return n\n    return count"
    cells = ("c = counter(5)\nfirst, second = c(1), c(2)", "1 / 0")
    assert try_change(count, count.replace("+= by", "+= by * 2"), *cells).calls == [("counter(5)(1)", "gave 6, now 7")]


@pytest.mark.parametrize(
    ("old", "new", "how"),
    [
        ("xs.sort()", "xs.sort(reverse=True)", "changes what it is given to something else"),
        ("xs.sort()", "sorted(xs)", "changed what it is given, and leaves it now"),
        ("xs.sort()", "xs.sort(key=None)", ""),
        ("len(xs)", "xs", r"printed '3\n', now '[1, 2, 3]\n'"),
    ],
)
def test_changed_arguments_and_printed_text_are_part_of_what_a_call_does(old: str, new: str, how: str) -> None:
    define = "def tidy(xs):\n    xs.sort()\n    print(len(xs))"
    ((call, change),) = try_change(define, define.replace(old, new), "tidy([2, 3, 1])", "1 / 0").calls
    assert call == "tidy([2, 3, 1])"
    assert change.startswith(how)
    assert bool(change) == bool(how)


@pytest.mark.parametrize(
    ("define", "call"),
    [
        ("import random\ndef f(x):\n    return x + random.random()", "f(1)"),
        ("count = [0]\ndef f(x):\n    count[0] += 1\n    return count[0] + x", "f(1)"),
        ("def f(x):\n    return x[0] if x else 0", "f(list(range(100_000)))"),
        ("def f(x):\n    return 1 if x else 0", "f(open('/dev/null'))"),
        ("def f(x):\n    pass if x else 0", "f(1)"),
        ("import sys\ndef f(x):\n    return (lambda: x) if x else 0", "f(1)"),
    ],
    ids=["chance", "memory", "huge", "no copy", "silent", "no copy of the result"],
)
def test_what_cannot_be_compared_is_dropped(define: str, call: str) -> None:
    tried = try_change(
        define, define + "\n    return 3" if "pass" in define else define.replace("x", "y"), f"out = {call}", "1 / 0"
    )
    assert tried.calls == []


def test_a_huge_argument_costs_no_more_than_its_first_bytes() -> None:
    define = "def f(x):\n    return len(x)\n\nclass Loud(list):\n    def __reduce__(self):\n        raise MemoryError"
    tried = try_change(define, define.replace("len(x)", "len(x) + 0 * 1"), "a = f(Loud())", "b = f('abc')", "1 / 0")
    assert [call for call, _ in tried.calls] == ["f('abc')"]


@pytest.mark.parametrize(
    "above",
    [
        "out.append(average([2, 4]))",
        "open('/dev/null', 'w').write(str(average([2, 4])))",
        "n = n + average([2, 4])",
        Cell("", "n = average([2, 4])", expensive=True),
        "import time\ntime.sleep(average([2, 4]))",
    ],
)
def test_a_cell_with_an_effect_is_not_run_again(above: str | Cell) -> None:
    setup = "out, n = [], 1\n" + AVERAGE
    tried = try_change(setup, setup.replace("/", "*"), above, "average([])")
    assert tried.calls == []
    assert len(tried.kernel.requests) == 1


def test_what_a_cell_read_and_another_changed_since_is_not_asked_again() -> None:
    cells = [
        Cell(f"c{n}", s, runs=n + 1)
        for n, s in enumerate((AVERAGE, "xs = [2]", "a = average(xs)", "xs = [5]", "b = average([1])"))
    ]
    assert [c.id for c in choose_callers(cells)] == ["c4"]


def test_calls_are_noted_once_a_heal_and_for_no_patch_that_changes_no_function() -> None:
    cells = (
        Cell("c0", AVERAGE + "\nlimit = 1", runs=1),
        Cell("c1", "a = average([1])", runs=2),
        Cell("c2", "average([])"),
    )
    case = Case(Failure("c2", "average([])", ename="ZeroDivisionError", line=1), Notebook(cells))
    kernel = FakeKernel([c.source for c in cells[:-1]])
    observer = CallObserver(build_sandbox(CONFIG))
    in_place = Patch((Replace("c2", "average([])", "average([1])"),), "change the cell")
    constant = Patch((Replace("c0", cells[0].source, cells[0].source.replace("= 1", "= 2")),), "change a value")
    assert observer.build_probe(case, in_place, kernel) is None
    assert observer.build_probe(case, constant, kernel) is None
    assert kernel.requests == []
    for new in ("*", "-"):
        patch = Patch((Replace("c0", cells[0].source, cells[0].source.replace("/", new)),), "change a function")
        assert observer.build_probe(case, patch, kernel) is not None
    assert [r.patch_id for r in kernel.requests] == ["record"]


def test_what_calls_a_changed_function_is_asked_too() -> None:
    define = AVERAGE + "\n\ndef spread(xs):\n    return max(xs) - average(xs)"
    tried = try_change(define, define.replace("/", "*"), "s = spread([2, 4])", "average([])")
    assert tried.calls[0] == ("spread([2, 4])", "gave 1.0, now -8")


def test_the_case_of_a_trial_without_calls_says_nothing() -> None:
    tried = try_change(AVERAGE, AVERAGE + " if xs else 0", "x = 1", "average([])")
    assert read_calls(tried.case, tried.patch, tried.kernel.run(tried.kernel.requests[0])[0]).agreed == 0
