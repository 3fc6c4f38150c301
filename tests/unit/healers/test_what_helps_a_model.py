"""What a request says that a model can use, and nothing of what it cannot; issue 14's second section, point by point."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.healers.model.context import ask_variables, describe_case, format_trace
from jupyter_selfheal.healers.model.history import format_task
from jupyter_selfheal.model import (
    Attempt,
    Case,
    Cell,
    Choice,
    Decision,
    Failure,
    FailureKind,
    Frame,
    Notebook,
    Output,
    Patch,
    Replace,
    Run,
    TrialRequest,
    Verdict,
)
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import Received, Says
from tests.model_stage import FIX, SOURCES, case_of, heal, hypothesis, reply


def printed(text: str) -> tuple[Output, ...]:
    return (Output("stream", text=text + "\n"),)


CELLS = (
    Cell("a", "total = prices['aple']\nprint(total)", outputs=printed("7 in all")),
    Cell("b", "print(total / 2)", outputs=printed("3.5 each")),
    Cell("c", "unrelated = 1", outputs=printed("not asked")),
    Cell("d", "double = 2 * total"),
    Cell("e", "print(total, 'far below')"),
    Cell("f", "assert total == 7"),
)
READ = Case(Failure("a", CELLS[0].source, ename="KeyError", evalue="'aple'", line=1), Notebook(CELLS))


def test_the_nearest_cells_below_that_read_the_result_go_out_and_what_asserts_of_it() -> None:
    text = describe_case(READ, "")
    for wanted in ("print(total / 2)", "double = 2 * total", "assert total == 7"):
        assert wanted in text
    assert "unrelated" not in text
    assert "far below" not in text


def test_of_a_missed_expectation_of_which_nothing_is_known_yet_nothing_is_said() -> None:
    missed = Failure("a", CELLS[0].source, FailureKind.MISSED)
    text = describe_case(Case(missed, Notebook(CELLS)), "")
    assert "runs, but not to what is expected.\n\n# The failing cell" in text
    known = replace(missed, ename="ExpectationMissed", evalue="expected 6, got 7")
    assert "runs, but not to what is expected: Expected 6, got 7." in describe_case(Case(known, Notebook(CELLS)), "")


def test_stored_outputs_go_out_only_where_values_may() -> None:
    text = describe_case(READ, "", values=True)
    assert "7 in all" in text
    assert "3.5 each" in text
    assert "not asked" not in text
    assert not [value for value in ("7 in all", "3.5 each") if value in describe_case(READ, "")]


def test_where_a_file_is_missing_the_names_like_its_own_go_out(tmp_path: Path) -> None:
    for name in ("sales_2023.csv", "notes.txt", ".hidden.csv", "key.pem"):
        (tmp_path / name).touch()
    source = "open('sales-2023.csv')"
    missing = Failure("a", source, ename="FileNotFoundError", evalue="[Errno 2] No such file: 'sales-2023.csv'", line=1)
    text = describe_case(Case(missing, Notebook((Cell("a", source),), folder=str(tmp_path))), "")
    assert "`sales_2023.csv`" in text
    assert not [name for name in ("notes", "hidden", "key.pem", str(tmp_path)) if name in text]
    assert "sales_2023" not in describe_case(
        Case(replace(missing, ename="KeyError"), Notebook((Cell("a", source),), folder=str(tmp_path))), ""
    )


def test_equal_frames_are_told_once() -> None:
    call = Frame("<cell>", 1, "<module>", "down(60)", "a")
    chain = tuple(Frame("/tmp/ipykernel_77/123.py", 2, "down", "return down(n - 1)") for _ in range(60))
    inner = (
        replace(call, line=2, text="[f(x) for x in xs]"),
        Frame("<cell>", 2, "<listcomp>", "[f(x) for x in xs]", "a"),
    )
    cells = (Cell("a", "down(60)\n[f(x) for x in xs]"),)
    failure = Failure("a", cells[0].source, ename="RecursionError", evalue="too deep", line=1, frames=(call, *chain))
    text = format_trace(Case(failure, Notebook(cells)))
    assert text.count("down") <= 9
    assert "more frames like these" in format_trace(
        Case(replace(failure, frames=(call, *(replace(f, cell_id="a") for f in chain))), Notebook(cells))
    )
    assert "ipykernel_77" not in text
    text = format_trace(Case(replace(failure, frames=inner), Notebook(cells)))
    assert "<listcomp>" not in text
    assert text.count("[f(x) for x in xs]") == 1


class Told:
    """A live state that tells these names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def ask(self, source: str, question: object, **more: object) -> dict[str, str]:
        return dict.fromkeys(self.names, "list of 2: str")


def test_a_comprehensions_own_iterator_is_no_variable_of_the_notebook() -> None:
    text = ask_variables(case_of(), Told("prices", "<listcomp>..0", "<listcomp>.w"), values=False)  # type: ignore[arg-type]
    assert "prices: " in text
    assert "..0" not in text


TRIED = Patch((Replace("id1", SOURCES[1], FIX),), "Spell the key right", healer="language_model")
RAN, FAILED = (FakeKernel().run(TrialRequest((Run(source),)))[0] for source in ("1", "1 / 0"))


def verdict(score: float, plausible: bool, **more: object) -> Verdict:
    return Verdict(TRIED.id, score, plausible, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (Attempt(TRIED, FAILED, verdict(1, False, feedback="The same failure comes up again")), "It was tried, and failed the same:"),
        (Attempt(TRIED, FAILED, verdict(2, False, feedback="NameError: x")), "It was tried, and failed: NameError: x."),
        (Attempt(TRIED, RAN, verdict(2.5, False, feedback="expected 8, got 7")), "It ran, but missed: expected 8, got 7."),
        (Attempt(TRIED, RAN, verdict(5, True, proofs=("runs",))), "It ran; nothing says whether it is right."),
        (Attempt(TRIED, RAN, verdict(6, True, proofs=("asserts below", "runs"))), "It ran; it meets what is known"),
        (Attempt(TRIED), "It was not tried."),
    ],
    ids=["the same", "otherwise", "missed", "nothing says", "in doubt", "not tried"],
)  # fmt: skip
def test_what_came_of_an_attempt_is_told_as_it_was(attempt: Attempt, told: str) -> None:
    text = format_task(case_of(), [attempt], 1)
    others = {"failed the same", "but missed", "nothing says whether", "not tried", "in vain"} - {told}
    assert told in text
    assert not [word for word in others if word in text and word not in told]


def test_an_attempt_is_told_once_and_of_a_searchs_guesses_the_best() -> None:
    guesses = [
        replace(TRIED, edits=(Replace("id1", SOURCES[1], f"total = {n}"),), title=f"Guess {n}", healer="search")
        for n in range(8)
    ]
    history = [Attempt(p, RAN, verdict(n / 2, False)) for n, p in enumerate(guesses)]
    text = format_task(case_of(), [*history, Attempt(TRIED, RAN, verdict(5, True)), Attempt(TRIED, RAN, None)], 3)
    assert text.count("Spell the key right") == 1
    assert "Guess 7" in text
    assert text.count("Guess") == 1


def test_output_text_is_told_of_an_attempt_only_where_values_may_go_out() -> None:
    told = "Its output differs in value: stored '70 50', now '100 20'."
    attempt = Attempt(TRIED, RAN, verdict(5, True, feedback=told, difference=told))
    assert "100 20" in format_task(case_of(), [attempt], 1, values=True)
    text = format_task(case_of(), [attempt], 1)
    assert "100 20" not in text
    assert "differs in value" in text


def test_a_fix_is_withdrawn_where_the_model_then_says_that_the_notebook_means_to_stop() -> None:
    said = [
        reply(hypothesis("total = prices.get('aple', 1) + prices['pear']\ntotal")),
        reply().replace('"code"', '"stop"'),
    ]
    doubt = {"score_a": 5, "score_b": 5, "better": "equal", "feedback_a": "is 1 meant?", "feedback_b": "is 1 meant?"}

    def answer(received: Received) -> Says:
        return Says(json.dumps(doubt) if "feedback_a" in str(received.body) else said.pop(0))

    outcome, approver, *_ = heal(case_of(), [answer] * 9)
    assert said == []
    assert [a.verdict.plausible for a in outcome.attempts] == [True]
    assert (outcome.applied, approver.proposals) == ((), [])
    assert not any(part.candidates for part in outcome.proposal)
    assert "Decide" in outcome.detail


def test_a_reply_that_cannot_be_used_is_said_to_be_that() -> None:
    useless = reply(hypothesis(FIX, cell="cell-9"))
    outcome, *_ = heal(case_of(), [Says(useless)] * 3, [Decision(Choice.STOP)])
    assert "cell-9" in outcome.detail
    assert "repeat" not in outcome.detail


@pytest.mark.parametrize("cell", ["Cell 2", "`cell 2`", "[2]", "cell-2", "id1"])
def test_a_reply_is_read_as_people_write_it(cell: str) -> None:
    edits = {"cell": cell, "action": "replace", "source": f"```python\n{FIX}\n```"}
    said = reply({"title": "Spell it right", "edits": edits})
    outcome, _, _, requests = heal(case_of("assert total == 7"), [Says(said)], [Decision(Choice.APPROVE)])
    assert [p.patch.edits[0].source for p in outcome.applied] == [FIX]
    assert len(requests) == 1
