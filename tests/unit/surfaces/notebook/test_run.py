from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import RUN_AGAIN, KernelError
from jupyter_selfheal.model import (
    Attempt,
    Case,
    Diagnosis,
    Failure,
    FailureKind,
    Insert,
    Move,
    Outcome,
    Patch,
    Reason,
    Replace,
    Run,
    RunCells,
    SkipReason,
    Trial,
    TrialRequest,
    Verdict,
)
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.surfaces.notebook.cascades import OWN_FAULT, OWN_FIX, find_own_fix
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline
from jupyter_selfheal.surfaces.notebook.exports import explain_record
from jupyter_selfheal.surfaces.notebook.html import format_page
from jupyter_selfheal.surfaces.notebook.lost_state import LostState
from jupyter_selfheal.surfaces.notebook.propose_fix import _describe_report
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.notebook.table import format_reports
from jupyter_selfheal.surfaces.project.requirements import find_bound
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.batches import batch, cell

Make = Callable[..., Document]


class Dying(FakeKernel):
    """Its process is gone when ``b = 2`` is to be run."""

    def run(self, request: TrialRequest) -> tuple[Trial, FakeKernel | None]:
        if any(isinstance(step, Run) and step.code == "b = 2" for step in request.steps):
            raise KernelError(f"it is gone{RUN_AGAIN}")
        trial, after = super().run(request)
        if after is not None:
            after.__class__ = Dying
        return trial, after


def replaced(old: str, new: str) -> Callable[[Case], Iterator[Patch]]:
    """A healer that replaces a text wherever a cell up to the failing one has it."""

    def fixer(case: Case) -> Iterator[Patch]:
        for one in case.notebook.cells:
            if old in one.source:
                yield Patch((Replace(one.id, one.source, one.source.replace(old, new)),), f"Write {new}")

    return fixer


def test_a_healthy_notebook_is_run_once_and_left_as_it_is(document: Make) -> None:
    report, seen = batch(document("a = 1", "b = a + 1")).run()
    assert [r.status for r in report.records] == [Status.RAN, Status.RAN]
    assert (report.exit_code, report.fixes) == (0, ())
    assert [(s.count, s.failure) for s in seen.values()] == [(1, ()), (2, ())]
    assert report.summary == "all 2 code cells run"


def test_a_root_failure_is_healed_where_it_sits_and_what_it_broke_runs_again(document: Make) -> None:
    given = document("def f(x):\n    return x.real_", "y = f(2)", "z = y + 1")
    made = batch(given, replaced("real_", "real"))
    report, seen = made.run()
    assert [r.status for r in report.records] == [Status.RAN, Status.HEALED, Status.RAN]
    assert report.healed.cells[0].source.endswith("x.real")
    assert report.survived
    assert report.exit_code == 0
    assert [s.failure for s in seen.values()] == [(), (), ()]
    assert len(made.loop.cases) == 1  # type: ignore[attr-defined]


def test_what_fails_only_because_of_an_unhealed_cell_is_named_and_not_healed(document: Make) -> None:
    made = batch(document("a = missing()\nb = 1", "a + b", "c = a", "d = c", "e = 5"))
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.NOT_HEALED, *[Status.CASCADE] * 3, Status.RAN]
    assert [r.cascade_of for r in report.records] == [0, 1, 1, 3, 0]
    assert report.exit_code == 1
    assert len(made.loop.cases) == 1  # type: ignore[attr-defined]


def test_a_cell_that_waits_for_another_and_has_a_fault_of_its_own_is_said_to(document: Make) -> None:
    report, _ = batch(document("a = missing()", "print a", "print(a)")).run()
    assert [(r.status, r.cascade_of, r.detail) for r in report.records[1:]] == [
        (Status.CASCADE, 1, OWN_FAULT),
        (Status.CASCADE, 1, ""),
    ]


def replaced_by_a_search(old: str, new: str) -> Callable[[Case], Iterator[Patch]]:
    def fixer(case: Case) -> Iterator[Patch]:
        return (replace(patch, healer="search") for patch in replaced(old, new)(case))

    return fixer


@pytest.mark.parametrize("waiting", ["print a", "'x'.uper() + a"])
def test_the_fix_of_a_waiting_cells_own_fault_is_shown_as_not_run(document: Make, waiting: str) -> None:
    old, new = ("print a", "print(a)") if "print" in waiting else ("uper", "upper")
    report, _ = batch(document("a = missing()", waiting, "b = 1"), replaced(old, new)).run()
    record = report.records[1]
    assert (record.status, record.cascade_of, record.detail) == (Status.CASCADE, 1, OWN_FIX)
    assert [(c.patch.title, c.verdict.score, c.verdict.plausible) for c in record.candidate] == [
        (f"Write {new}", 0, False)
    ]
    assert report.healed.cells[1].source == waiting
    assert report.fixes == ()
    shown = format_reports([report])
    assert f"(not run) Write {new}" in " ".join(shown.split())
    assert OWN_FIX in " ".join(shown.split())


def test_a_fix_that_was_not_run_is_nothing_that_is_proposed(document: Make) -> None:
    report, _ = batch(document("a = missing()", cell("print a", id="cell")), replaced("print a", "print(a)")).run()
    said = list(explain_record(report, report.records[1]))
    assert [line for line in said if line.endswith("Write print(a)")] == ["Not run: Write print(a)"]
    told = to_json([report])["notebooks"][0]["cells"][1]  # type: ignore[index]
    assert (told["status"], told["attempts"]) == ("cascade", 1)
    assert (told["fix"]["score"], told["fix"]["confidence"], told["fix"]["proven_from"]) == (0, 0, [])
    assert report.exit_code == 1
    block = " ".join(format_reports([report], columns=80).split())
    assert re.search(r"fix: \(not run\) Write print\(a\) not proven, [^;]*; 1 try", block)
    page = " ".join(format_page([report]).split())
    assert ("Not run: Write print(a)" in page, "of 10" in page) == (True, False)
    candidate = report.records[1].candidate[0]
    removed = replace(candidate, patch=replace(candidate.patch, cause="`x` was removed in numpy 1.24", rule="NPA101"))
    waiting = replace(report.records[1], candidate=(removed,))
    assert [find_bound(r) is None for r in (waiting, replace(waiting, status=Status.PROPOSED))] == [True, False]
    proposal = _describe_report(report)
    assert (proposal.title, proposal.source, proposal.cause) == ("", "", OWN_FIX)


def test_no_fix_of_a_waiting_cell_is_shown_that_somebody_rejected_or_that_tampers(document: Make) -> None:
    report, _ = batch(document("a = missing()", "print a"), replaced("print a", "print(a)")).run()
    record, lost = report.records[1], (LostState(1, frozenset({"a"})),)
    shown = Attempt(record.candidate[0].patch, record.candidate[0].trial)
    tampers = Verdict(shown.patch.id, 0.0, False, tampering=("it hides the error",))
    outcome = Outcome(Reason.EXHAUSTED, record.failure[0], Diagnosis(""))
    for refused in (replace(shown, rejection="-"), replace(shown, verdict=tampers)):
        assert find_own_fix(replace(outcome, attempts=(refused,)), lost) == ()
        assert [c.patch for c in find_own_fix(replace(outcome, attempts=(refused, shown)), lost)] == [shown.patch]


def test_nobody_is_asked_for_the_own_fault_of_a_cell_where_only_a_search_is_to_be(document: Make) -> None:
    given = document("print a")
    failure = Failure("c0", "print a", FailureKind.SYNTAX, "SyntaxError")
    with Session(Settings(HealConfig(healers=("search",)))) as session:
        ask = session.build_dependencies(given).ask_trusted
        seen, _ = FakeKernel().run(TrialRequest(()))
        outcome, run = ask(Case(failure, given.notebook), Starts((FakeKernel(),)), seen, Deadline(9.0))
    assert (outcome.reason, outcome.attempts, run) == (Reason.EXHAUSTED, (), "")


def test_what_a_search_made_of_a_waiting_cell_is_not_shown(document: Make) -> None:
    report, _ = batch(document("a = missing()", "print a"), replaced_by_a_search("print a", "print(a)")).run()
    assert [(r.detail, r.candidate) for r in report.records[1:]] == [(OWN_FAULT, ())]


def test_a_cell_that_runs_with_what_a_rule_knows_did_not_wait_for_another(document: Make) -> None:
    given = document("a = missing()", "for i in (1, 2):\n    print i, (lambda a: a)(i)\na")
    fixer = replaced("print i, (lambda a: a)(i)\na", "print(i)")
    report, _ = batch(given, fixer).run()
    assert [r.status for r in report.records] == [Status.NOT_HEALED, Status.HEALED]


def test_a_second_root_behind_an_unhealed_cell_is_still_healed(document: Make) -> None:
    report, _ = batch(document("a = missing()", "b = 'x'.uper()", "b"), replaced("uper", "upper")).run()
    assert [r.status for r in report.records] == [Status.NOT_HEALED, Status.HEALED, Status.RAN]


def test_a_missed_expectation_is_a_failure_and_the_healed_cell_must_meet_it(document: Make) -> None:
    oracle = {"selfheal": {"expect": "6", "check": ["assert x == 6"]}}
    made = batch(
        document("def f(a, b):\n    return a + b", cell("x = f(2, 3)\nx", metadata=oracle)), replaced("+", "*")
    )
    report, _ = made.run()
    case = made.loop.cases[0]  # type: ignore[attr-defined]
    assert case.failure.kind is FailureKind.MISSED
    assert "5" in case.failure.evalue
    assert [r.status for r in report.records] == [Status.RAN, Status.HEALED]


def test_a_fix_that_runs_but_misses_in_the_clean_kernel_is_taken_back(document: Make) -> None:
    """The trial of this loop looks at no oracle; the final run does."""
    given = document(cell("x = 1 + undefined\nx", metadata={"selfheal": {"expect": "3"}}))
    report, _ = batch(given, replaced("undefined", "1")).run()
    assert [r.status for r in report.records] == [Status.REVERTED]
    assert report.healed == given.notebook
    assert report.exit_code == 1
    assert any("taken back" in note for note in report.notes)


def test_a_fix_that_breaks_a_cell_that_ran_is_taken_back_and_others_stay(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        if "undefined" in case.failure.source:
            yield Patch((Insert("new", "undefined = 1\ndel keep", case.failure.cell_id),), "Define it")
        yield from replaced("uper", "upper")(case)

    report, _ = batch(document("keep = 1", "'a'.uper()", "undefined", "keep"), fixer).run()
    # in the chain too, the fourth cell fails once the third is healed: nobody can mend that
    assert report.records[1].status is Status.HEALED
    assert report.exit_code == 1


def test_a_cell_defined_too_late_is_moved_not_run_out_of_order(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        yield Patch((RunCells((case.notebook.cells[1].id,)),), "Run the cell below first")

    report, seen = batch(document("b = a + 1", "a = 1", "c = a + b"), fixer).run()
    assert [r.status for r in report.records] == [Status.HEALED, Status.RAN, Status.RAN]
    assert [c.source for c in report.healed.cells] == ["a = 1", "b = a + 1", "c = a + b"]
    assert report.records[0].edits == (Move("c1", before="c0"),)
    assert [s.count for s in seen.values()] == [1, 2, 3]


def test_meant_to_fail_skipped_and_left_alone_cells_are_named_and_unchanged(document: Make) -> None:
    given = document(
        cell("1 / 0", metadata={"tags": ["raises-exception"]}),
        cell("import launch_rockets", metadata={"selfheal": {"skip": True}}),
        "open('/none/at/all')",
    )
    report, _ = batch(given, skip_reason=SkipReason.MISSING_DATA).run()
    assert [r.status for r in report.records] == [Status.MEANT_TO_FAIL, Status.SKIPPED, Status.LEFT_ALONE]
    assert report.healed == given.notebook
    assert report.records[2].detail == "see to it"
    assert report.exit_code == 1


def test_a_cell_without_end_is_cut_and_the_state_before_it_survives(document: Make) -> None:
    report, _ = batch(document("a = 1", "while a: pass", "a + 1"), replaced("while a", "if a"), seconds=0.5).run()
    assert [r.status for r in report.records] == [Status.RAN, Status.HEALED, Status.RAN]
    assert report.records[1].failure[0].kind is FailureKind.TIMED_OUT
    unhealed, _ = batch(
        document("a = 1", "while a: pass", "a + 1", "'x'.uper()"), replaced("uper", "upper"), seconds=0.5
    ).run()
    assert [r.status for r in unhealed.records] == [Status.RAN, Status.NOT_HEALED, Status.RAN, Status.HEALED]


def test_ctrl_c_goes_through_and_every_state_is_closed(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        batch(document("a = 1", "b"), fixer).run()


def test_syntax_errors_lose_every_name_of_their_cell(document: Make) -> None:
    report, _ = batch(document("import math\nx = 3\ndef f(:\n    pass", "x", "math.pi", "f()")).run()
    assert [r.cascade_of for r in report.records] == [0, 1, 1, 1]


def test_a_cell_that_does_not_parse_and_reads_a_lost_name_is_a_cascade_at_once(document: Make) -> None:
    given = document(
        "rows = missing()\nkept = 1", "kept = 2", "print 'rows'", "print kept, x.rows", "def f(rows):\n    print rows",
        "for rows in []: print rows", "print rows[0]", "print len(rows)  # of the file",
    )  # fmt: skip
    made = batch(given)
    report, _ = made.run()
    assert [r.cascade_of for r in report.records] == [0, 0, 0, 0, 0, 0, 1, 1]
    assert len(made.loop.cases) == 5  # type: ignore[attr-defined]


def test_an_estimator_whose_fit_failed_is_not_mended_where_it_is_used(document: Make) -> None:
    model = "class Model:\n    def fit(self, x): self.coef_ = 1 / x\nmodel, other = Model(), Model()"
    made = batch(document(model, "model.fit(0)", "model.coef_", "other.coef_", "%nothing_so_named"))
    report, _ = made.run()
    assert [r.cascade_of for r in report.records] == [0, 0, 2, 0, 0]


def test_a_healer_is_told_which_cells_have_run(document: Make) -> None:
    made = batch(document("a = 1", "1 / 0", "missing()", "b = 2"))
    made.run()
    cases = made.loop.cases  # type: ignore[attr-defined]
    assert [bool(c.runs) for c in cases[1].notebook.cells] == [True, True, False, False]


def test_stored_outputs_are_no_oracle_where_an_unhealed_cell_is_needed(document: Make) -> None:
    made = batch(document("a = b = 1", "a = missing()", "print(a", "print(b"))
    made.run()
    last = made.loop.cases[-1].notebook  # type: ignore[attr-defined]
    assert [c.stale for c in last.cells] == [False, False, True, False]


def test_when_the_time_is_up_what_was_healed_is_kept_and_what_was_not_run_is_said(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        yield from replaced("uper", "upper")(case)
        made.loop.deadline.at = 0.0  # type: ignore[attr-defined]

    made = batch(document("'a'.uper()", "1 / 0", "b = 2", "c = 3"), fixer)
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.HEALED, Status.NOT_HEALED, *[Status.NOT_REACHED] * 2]
    assert report.healed.cells[0].source == "'a'.upper()"
    assert report.records[2].detail.startswith("The time limit for this notebook (")
    assert "The fixes made so far are kept" in report.notes[-1]
    assert (report.survived, report.exit_code) == (False, 1)


def test_a_cell_that_is_cut_by_the_notebooks_limit_is_not_said_to_have_no_end(document: Make) -> None:
    """Its loop never ends, so that it is the limit of the notebook, which is the shorter one, that ends it."""
    made = batch(document("while True: pass", "a = 1"), seconds=1_000.0)
    made.limits = replace(made.limits, notebook=0.5)
    report, _ = made.run()
    assert [(r.status, r.failure) for r in report.records] == [(Status.NOT_REACHED, ())] * 2


def test_a_kernel_that_cannot_go_on_ends_the_run_and_not_the_report(document: Make) -> None:
    made = batch(document("'a'.uper()", "b = 2", "c = 3"), replaced("uper", "upper"))
    made.dependencies = replace(made.dependencies, open_state=Dying, replay=lambda past, paths: Dying())
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.HEALED, *[Status.NOT_REACHED] * 2]
    assert report.records[1].detail == "Its kernel could not go on: it is gone."


def test_a_state_that_is_gone_is_made_once_more_by_replay(document: Make) -> None:
    made = batch(document("a = 1", "b = 2", "c = 3"))
    made.dependencies = replace(made.dependencies, open_state=Dying)
    report, _ = made.run()
    assert [r.status for r in report.records] == [Status.RAN] * 3
    assert report.notes == ("from cell 2 on states are reconstructed by replay, not forked: it is gone",)
