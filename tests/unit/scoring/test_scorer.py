"""The scorer on trials that really ran (in this process)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.model import (
    BASELINE,
    Applicability,
    Attempt,
    Case,
    Cell,
    Cost,
    Ending,
    ErrorInfo,
    FailureKind,
    Isolation,
    Oracle,
    Output,
    Patch,
    Role,
    Start,
    StepResult,
    Trial,
)
from jupyter_selfheal.ports import Scorer
from jupyter_selfheal.scoring.scorer import EvidenceScorer, measure_diff
from jupyter_selfheal.scoring.verdict import Opinion
from tests.scoring_cases import case_of, patch_of, try_patch


def verdicts(case: Case, patches: Sequence[Patch], scorer: EvidenceScorer | None = None) -> list[Any]:
    scorer = scorer or EvidenceScorer()
    tried = [(p, try_patch(case, p, scorer)) for p in patches]
    return list(scorer.judge(case, try_patch(case, BASELINE, scorer), tried, ()).verdicts)


def test_it_is_the_loops_scorer() -> None:
    scorer: Scorer = EvidenceScorer()
    assert scorer.worst_case(Case(failure=None), 3) == Cost()  # type: ignore[arg-type]


def test_an_expected_value_tells_right_from_wrong_and_wrong_says_why() -> None:
    case = case_of(
        ["xs = [1, 2, 3]", "total = sum(xs[:-1])\ntotal"], 1, 2, FailureKind.MISSED, oracle=Oracle(expect="6")
    )
    right, wrong, cheat = (
        patch_of(case, s) for s in ("total = sum(xs)\ntotal", "total = sum(xs[1:])\ntotal", "total = 6\ntotal")
    )
    assert EvidenceScorer().find_missed_expectation(case, try_patch(case)) == "expected 6, got 3"
    assert EvidenceScorer().find_missed_expectation(case, try_patch(case, right)) is None
    a, b, c = verdicts(case, [right, wrong, cheat])
    assert a.score >= 9
    assert a.oracle_met
    assert b.score <= 3
    assert "expected 6, got 5" in b.feedback
    assert c.score <= 3
    assert c.tampering


def test_the_oracle_in_the_cells_metadata_is_honoured() -> None:
    case = case_of([Cell("c0", "print(1)", oracle=Oracle(stdout="2"))], kind=FailureKind.MISSED)
    assert "expected to print '2'" in (EvidenceScorer().find_missed_expectation(case, try_patch(case)) or "")


def test_checks_run_after_the_cell_and_each_is_counted() -> None:
    case = case_of(["x = y"], oracle=Oracle(checks=("assert x > 0", "assert x < 5, 'too big'")))
    good, bad = verdicts(case, [patch_of(case, "x = 2 + 2"), patch_of(case, "x = 3 * 3")])
    assert good.score >= 9
    assert "AssertionError: too big" in bad.feedback
    assert bad.score <= 3


def test_asserts_below_decide_where_they_depend_on_the_patched_cell_only() -> None:
    case = case_of(
        ["def double(x):\n    return x * z\ny = double(2)", "assert double(3) == 6\nassert double(0) == 0"], line=2
    )
    bodies = ("x * 2", "x + 2")
    good, bad = verdicts(case, [patch_of(case, f"def double(x):\n    return {b}\ny = double(2)") for b in bodies])
    assert good.oracle_met
    assert 8 <= good.score <= 9.5
    assert "asserts below" in good.proofs
    assert not bad.plausible
    assert "assert double(3) == 6" in bad.feedback


def test_doctests_of_the_cell_decide_even_where_the_patch_rewrites_them() -> None:
    text = 'def f(x):\n    """\n    >>> f(2)\n    4\n    """\n    return x * z\nf(1)'
    case = case_of([text], line=6)
    good = patch_of(case, text.replace("z", "2"))
    bad = patch_of(case, text.replace("z", "3").replace("    4\n", "    6\n"))
    a, b = verdicts(case, [good, bad])
    assert "doctests" in a.proofs
    assert b.score <= 3


READ = (
    'def read(lines):\n    """Numbers of the lines; what is no number {said}.\n\n    >>> read(["3", "x"])\n    {want}\n    """\n'
    "    return [int(line) for line in lines]"
)
CAUGHT = """    def one(line):
        try:
            return int(line)
        except {error}:
            return {value}
    return [one(line) for line in lines]"""


@pytest.mark.parametrize(
    ("said", "want", "error", "value", "accepted"),
    [
        ("counts as 0", "[3, 0]", "ValueError", "0", True),
        ("becomes None", "[3, None]", "(ValueError, TypeError)", "None", True),
        ("counts as 0", "[3, 0]", "Exception", "0", False),  # any error at all
        ("is an error", "[3, 0]", "ValueError", "0", False),  # no sentence asks for it
        ("counts as 0", "[3, -1]", "ValueError", "0", False),  # the example says otherwise
        ("counts as 0", "[3, 0]", "ValueError", "-1", False),
    ],
)
def test_a_handler_that_a_docstring_asks_for_and_its_example_shows_is_no_cheat(
    said: str, want: str, error: str, value: str, accepted: bool
) -> None:
    before = READ.format(said=said, want=want)
    head, _, _ = before.rpartition("\n")
    case = case_of([before, "read(['4', 'gone'])"], 1, ename="ValueError")
    (verdict,) = verdicts(case, [patch_of(case, f"{head}\n{CAUGHT.format(error=error, value=value)}", "c0")])
    assert (verdict.score >= 8 and not verdict.tampering) is accepted


def test_a_handler_is_a_cheat_where_the_documented_example_held_before() -> None:
    text = 'def total(xs):\n    """The sum; 0 where there is none.\n\n    >>> total([])\n    0\n    """\n    return sum(xs)'
    case = case_of([text, "total([1, '2'])"], 1, ename="TypeError")
    hidden = text.replace(
        "    return sum(xs)", "    try:\n        return sum(xs)\n    except TypeError:\n        return 0"
    )
    (verdict,) = verdicts(case, [patch_of(case, hidden, "c0")])
    assert verdict.tampering == ("swallows the exception",)
    assert verdict.score <= 3


def test_a_comment_asks_for_a_handler_and_what_is_expected_shows_it() -> None:
    source = "total = 0\nfor word in words:\n    total += int(word)  # {}\ntotal"
    mended = "total = 0\nfor word in words:\n    try:\n        total += int(word)\n    except ValueError:\n        continue\ntotal"
    scores = []
    for comment in ("a word that is no number is skipped", "the sum"):
        case = case_of(
            ["words = ['3', 'x', '4']", source.format(comment)], 1, ename="ValueError", oracle=Oracle(expect="7")
        )
        scores.append(verdicts(case, [patch_of(case, mended)])[0].score)
    assert scores[0] >= 8
    assert scores[1] <= 3


def test_an_example_that_an_assert_contradicts_decides_nothing() -> None:
    text = 'def f(x):\n    """\n    >>> f(2)\n    5\n    >>> f(3)\n    6\n    """\n    return x + 1'
    case = case_of([text, "assert f(2) == 4\nassert f(5) == 10"], 1, ename="AssertionError")
    good = patch_of(case, text.replace("x + 1", "x * 2"), "c0")
    bad = patch_of(case, text.replace("x + 1", "{2: 4, 5: 10}[x]"), "c0")
    a, b = verdicts(case, [good, bad])
    assert a.score >= 8
    assert b.score <= 3


def test_asserts_in_the_failing_cell_hold_once_it_runs() -> None:
    case = case_of(["def f(x):\n    return x + 1", "assert f(2) == 4"], 1, ename="AssertionError")
    found = verdicts(case, [patch_of(case, "def f(x):\n    return x * 2", "c0")])[0]
    assert found.oracle_met
    assert "asserts in the cell" in found.proofs


def test_stored_outputs_tell_two_patches_apart() -> None:
    cell = Cell("c0", "mean(2, 4)", outputs=(Output("execute_result", data={"text/plain": "3.0"}),))
    case = case_of([cell])
    same, other = verdicts(case, [patch_of(case, s, healer="rules") for s in ("(2 + 4) / 2", "2 + 4 / 2")])
    assert same.score >= 8
    assert "stored output" in same.proofs
    assert other.score < 5
    assert other.plausible


def test_what_a_wrong_program_left_stored_is_no_oracle() -> None:
    cell = Cell("c0", "2 + 3", outputs=(Output("execute_result", data={"text/plain": "5"}),))
    case = case_of([cell], kind=FailureKind.MISSED, oracle=Oracle(expect="6"))
    found = verdicts(case, [patch_of(case, "2 * 3")])[0]
    assert found.score >= 9


def test_cells_below_decide_between_patches() -> None:
    below = Cell("c1", "print(d['total'])", outputs=(Output("stream", "stdout", "6\n"),))
    case = case_of(["d = make()", below])
    good, bad, wrong = verdicts(
        case, [patch_of(case, s, healer="rules") for s in ("d = dict(total=6)", "d = dict(sum=6)", "d = dict(total=7)")]
    )
    assert good.score >= 8 > bad.score
    assert any("runs under another patch" in r for r in bad.reasons)
    assert "cells below" in good.proofs
    assert wrong.score < good.score


def test_how_far_a_failing_patch_came_is_measured_by_statements() -> None:
    case = case_of(["a = 1\nb = nope\nc = b + 1"], line=2, evalue="name 'nope' is not defined")
    sources = ("a = 1\nb = nope\nc = b", "a = 1\nb = a.x\nc = b", "k = 2\na = 1\nb = a\nc = b + 'x'", "a = = 1")
    found = verdicts(case, [patch_of(case, s) for s in sources])
    assert [v.score for v in found] == [1, 2, 3, 0]


def trial_with(case: Case, step: StepResult, **more: Any) -> Trial:
    ending = more.pop("ending", Ending.FINISHED)
    return Trial("p", (step,), ending, Start.BEFORE_CELL, Isolation("fake"), **more)


def test_a_blocked_connection_is_inconclusive_and_a_blocked_cache_is_not() -> None:
    case = case_of(["df = load(url)"])
    patch = patch_of(case, "df = read(url)")

    def verdict(ename: str) -> Any:
        step = StepResult("error", errors=(ErrorInfo(ename, "x", 1),))
        trial = trial_with(case, step, blocked=("network: connect",))
        return EvidenceScorer().judge(case, trial, [(patch, trial)], ()).verdicts[0]

    assert "network: connect" in verdict("URLError").inconclusive
    assert verdict("TypeError").inconclusive == ""


def test_a_trial_cut_past_the_failing_statement_is_inconclusive_but_a_hang_that_was_the_failure_is_not() -> None:
    for kind, inconclusive in ((FailureKind.RAISED, True), (FailureKind.TIMED_OUT, False)):
        case = case_of(["while n: n -= 2"], kind=kind)
        patch = patch_of(case, "while n: n -= 1")
        trial = trial_with(case, StepResult("timeout"), ending=Ending.TIMED_OUT)
        found = EvidenceScorer().judge(case, trial, [(patch, trial)], ()).verdicts[0]
        assert bool(found.inconclusive) is inconclusive
        assert found.score <= 3


def judge_cut(
    at: int, *, healer: str = "rules", safe: bool = True, seconds: float = 9.0, also: StepResult | None = None
) -> Any:
    """The verdict on ``open("b")`` in place of ``read("b")``, cut by the time limit at a line of the cell."""
    case = case_of(["data = read('b')\nfor row in data:\n    train(row)"], line=1, evalue="name 'read' is not defined")
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    patch = patch_of(
        case, case.failure.source.replace("read", "open"), healer=healer, applicability=applicability, rule="X1"
    )
    late = ErrorInfo("TimeoutError", "still running when its time was up", at, statement=max(at - 1, 0))
    status = "error" if also else "timeout"
    trial = trial_with(case, StepResult(status, errors=(late,), seconds=seconds), ending=Ending.TIMED_OUT)
    trial = replace(trial, steps=(*trial.steps, also)) if also else trial
    return EvidenceScorer().judge(case, trial, [(patch, trial)], ()).verdicts[0]


def test_a_fix_with_a_reason_that_the_time_limit_ended_behind_the_failure_is_offered_with_what_was_not_seen() -> None:
    found = judge_cut(2)
    assert found.plausible
    assert not found.is_shown_to_run
    assert found.inconclusive == "it gets past the failing statement; the time limit ended it"
    assert found.score == 4.0
    assert not found.proofs
    assert "was not seen" in found.reasons[1]
    assert "--trial-timeout" in found.reasons[1]
    assert "does not come again" in judge_cut(1).inconclusive, "a safe one that runs on in the failing statement itself"


@pytest.mark.parametrize(
    "given",
    [
        {"at": 2, "healer": "search", "safe": False},
        {"at": 1, "safe": False},
        {"at": 1, "seconds": 0.3},
        {"at": 2, "also": StepResult("timeout", role="probe")},
    ],
    ids=["a guess", "an unsafe one in the same statement", "hardly longer than before", "what is late is a question"],
)
def test_nothing_else_that_was_cut_is_offered(given: dict[str, Any]) -> None:
    found = judge_cut(**given)
    assert not found.plausible
    assert found.score <= 3


def test_a_time_limit_that_cuts_the_cells_below_leaves_the_cell_healed() -> None:
    case = case_of(["x = y", "print(x)"], oracle=Oracle(expect="4"))
    patch = patch_of(case, "x = 2 * 2")
    trial = try_patch(case, patch)
    cut = replace(
        trial, ending=Ending.TIMED_OUT, steps=(*trial.steps[:-1], StepResult("timeout", Role.DOWNSTREAM.value, "c1"))
    )
    assert EvidenceScorer().judge(case, cut, [(patch, cut)], ()).verdicts[0].score >= 9


class Eights:
    """A judge that gives 8 to whatever it is asked about, and remembers."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask_opinions(
        self, case: Case, baseline: Trial, tried: Sequence[tuple[Patch, Trial]], history: Sequence[Attempt]
    ) -> tuple[Mapping[str, Opinion], Cost, Any]:
        self.asked += [p.title for p, _ in tried]
        return {p.id: Opinion(8.0) for p, _ in tried}, Cost(usd=0.01, calls=1), {"calls": len(tried)}

    def worst_case(self, case: Case, patches: int) -> Cost:
        return Cost(usd=0.02 * patches)


def test_the_judge_is_asked_only_where_nothing_better_decides() -> None:
    case, judge = case_of(["x = y"]), Eights()
    patches = [
        patch_of(case, "x = 1 + 1", title="open"),
        patch_of(case, "x = z", title="fails"),
        patch_of(case, "pass", title="cheats"),
        patch_of(case, "x = 3 - 1", title="safe", applicability=Applicability.SAFE, healer="rules"),
    ]
    scorer = EvidenceScorer(judge=judge)
    found = verdicts(case, patches, scorer)
    assert judge.asked == ["open"]
    assert [v.score for v in found] == [8.0, pytest.approx(found[1].score), 3.0, 7.0]
    assert scorer.worst_case(case, 2).usd == 0.04
    with_oracle = case_of(["x = y"], oracle=Oracle(expect="2"))
    verdicts(with_oracle, [patch_of(with_oracle, "x = 1 + 1")], scorer)
    assert judge.asked == ["open"]


def test_the_size_of_a_patch_is_what_must_be_read() -> None:
    case = case_of(["total = 0\nfor row in range(1, rows):\n    total =+ row"])
    after = (
        "total = 0\nfor row in range(1, rows):\n    total += row",
        "total = 0\nfor row in range(1, rows + 1):\n    total =+ row",
        "total = 0\ntotal = rows\nfor row in range(1, rows):\n    total =+ row",
        "total = sum(range(rows + 1))",
    )
    sizes = [measure_diff(patch_of(case, source)) for source in after]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize(
    ("error", "handler", "check", "accepted"),
    [
        ("IndexError", "return None", "assert entry([1], 5) is None", True),
        ("(KeyError, IndexError)", "return None", "assert entry([1], 5) is None", True),
        ("(TypeError, IndexError)", "return None", "assert entry([1], 5) is None", False),  # no longer what it caught
        ("Exception", "return None", "assert entry([1], 5) is None", False),  # any error at all
        ("IndexError", "return 0", "assert entry([1], 5) == 0", False),  # another value than the handler gave
        ("IndexError", "return None", "entry([1], 5)", False),  # nothing shows that it is right
    ],
)
def test_a_handler_that_stood_there_for_another_error_is_no_cheat(
    error: str, handler: str, check: str, accepted: bool
) -> None:
    text = "def entry(items, at):\n    try:\n        return items[at]\n    except {}:\n        {}"
    before = text.format("KeyError", "return None")
    case = case_of([before, check], 1, ename="IndexError", evalue="list index out of range")
    (verdict,) = verdicts(case, [patch_of(case, text.format(error, handler), "c0")])
    assert (verdict.score >= 8 and not verdict.tampering) is accepted


@pytest.mark.parametrize(("gone_through", "is_deleted"), [("[nothing]", True), ("collect(month)", False)])
def test_a_loop_over_a_list_that_is_written_out_is_not_the_loop_that_failed(
    gone_through: str, is_deleted: bool
) -> None:
    case = case_of(["for row in read_rows(path, sep, kind, start):\n    go(row)"])
    (verdict,) = verdicts(case, [patch_of(case, f"for row in {gone_through}:\n    go(row)")])
    assert ("deletes the statement that failed" in verdict.tampering) is is_deleted


@pytest.mark.parametrize(
    ("after", "is_deleted"),
    [
        ('print("begun", file=log)', False),
        ('print("", file=log)', True),
        ('print("over")', True),
        ("print()", True),
        ('"begun"', True),
    ],
)
def test_what_was_printed_by_an_arrow_is_still_said(after: str, is_deleted: bool) -> None:
    case = case_of(['print >>log, "begun"'])
    (verdict,) = verdicts(case, [patch_of(case, after, "c0")])
    assert ("deletes the statement that failed" in verdict.tampering) is is_deleted
