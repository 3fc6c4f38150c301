"""What ``%heal auto`` applies without a word."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest

from jupyter_selfheal.model import (
    UNCONFIRMED,
    Applicability,
    Candidate,
    Cell,
    Diagnosis,
    Ending,
    Failure,
    Isolation,
    Notebook,
    Patch,
    Proposal,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.dialogue import Dialogue, may_use_colours
from jupyter_selfheal.surfaces.words import (
    fit_to_screen,
    format_card,
    format_facts,
    format_history_line,
    format_warning,
    list_card_lines,
    wrap_prose,
)

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE


def propose(score: float, applicability: Applicability) -> Card:
    patch = Patch((Replace("c", "x.uper()", "x.upper()"),), "Change `uper`", applicability=applicability)
    trial = Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
    proposal = Proposal(
        Failure("c", "x.uper()"), Diagnosis(""), (Candidate(patch, trial, Verdict(patch.id, score, True)),)
    )
    return Card("run", "c", "AttributeError", phase="proposed", proposal=(proposal,), auto=True)


@pytest.mark.parametrize(
    ("score", "applicability", "how"), [(7.0, SAFE, "run"), (9.0, SAFE, "run"), (6.0, SAFE, ""), (9.0, UNSAFE, "")]
)
def test_only_what_is_safe_and_would_be_applied_in_a_batch_is(
    score: float, applicability: Applicability, how: str
) -> None:
    """Six: it held, but could not be run in a fresh kernel with another hash seed, say."""
    assert propose(score, applicability).automatic_way == how


@pytest.mark.parametrize(
    ("kernel", "ending", "said"),
    [
        ("none", Ending.CANCELLED, "not proven: it was not run; by"),
        ("fake", Ending.TIMED_OUT, "not proven: tried in fake; no sandbox layer; by"),
    ],
)
def test_what_is_not_proven_is_said_in_words(kernel: str, ending: Ending, said: str) -> None:
    """`not proven: show-only in none; no sandbox layer` said nothing to anybody."""
    card = propose(0.0, SAFE)
    candidate = replace(card.candidates[0], trial=Trial("p", (), ending, Start.BEFORE_CELL, Isolation(kernel)))
    assert format_facts(card.proposal[0], candidate, is_brief=True).startswith(said)


def test_what_ran_since_is_said_with_what_must_run_again() -> None:
    card = propose(9.0, SAFE).with_(ran_since=2, stale={"d": ("cell [5]", "total", "word")})
    assert format_warning(card, card.candidates[0]) == (
        "2 cells have run since this was tested: it would run in the state as it is now. `%heal approve` takes the newest fix first, and tests each there. "
        "Cell [5] read `total` and `word` meanwhile: run it again after the fix."
    )
    unconfirmed = propose(5.0, SAFE).with_(ran_since=2)
    assert format_warning(unconfirmed, unconfirmed.candidates[0]).endswith(
        "tests each there. It runs, but nothing here confirms the result. Check it first."
    )
    again = card.with_(ran_since=0)  # tested again: what ran before it is as it was
    assert format_warning(again, card.candidates[0]).startswith("Cell [5] read")


def test_a_proposal_says_once_what_confirms_it_and_from_where_it_was_tested() -> None:
    card = propose(7.0, SAFE)
    (candidate,), (proposal,) = card.candidates, card.proposal
    verdict = replace(candidate.verdict, reasons=(UNCONFIRMED, "Standard fix ATT101."))
    both = (Start.STANDS_IN, Start.AFTER_FAILURE)
    card = card.with_(
        proposal=(replace(proposal, candidates=(replace(candidate, verdict=verdict),), proven_from=both),)
    )
    shown = list_card_lines(card, Notebook(()))
    assert "Runs; result unconfirmed (score 7 of 10). Standard fix ATT101." in shown
    assert any(line.startswith("proven from after the failure (the whole cell run again) in") for line in shown)


@pytest.mark.parametrize(
    ("proofs", "warning"),
    [
        (("runs",), "It runs, but nothing here confirms the result. Check it first."),
        (("runs", "expected value"), "It passes what is checked here, and so might a wrong fix. Check it first."),
    ],
)
def test_the_warning_never_denies_what_the_card_says_confirms_it(proofs: tuple[str, ...], warning: str) -> None:
    card = propose(6.0, SAFE)
    (candidate,) = card.candidates
    weak = replace(candidate, verdict=replace(candidate.verdict, proofs=proofs))
    assert format_warning(card, weak) == warning
    untested = replace(weak, trial=replace(weak.trial, ending=Ending.CANCELLED))
    assert not format_warning(card, untested), "nobody knows what it gives"


def test_sentences_fit_the_terminal_and_diffs_stay_as_they_are() -> None:
    diff = "@@ cell 1 @@\n+" + "x" * 60
    lines = ["  " + "word " * 12, diff, "short"]
    assert list(wrap_prose(lines, 40)) == [
        "  word word word word word word word",
        "    word word word word word",
        diff,
        "short",
    ]


class Screen(StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_the_keys_of_a_review_fit_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv("COLUMNS", "80")
    dialogue = Dialogue(ask=lambda question: asked.append(question) or "x", out=Screen(), colours=False, is_review=True)
    dialogue.decide(propose(6.0, SAFE), Notebook((Cell("c", "x.uper()"),)))
    (question,) = asked
    assert max(map(len, question.splitlines())) <= 80
    assert question.split() == [
        *[
            "Accept?",
            "[a]ccept",
            "[x]",
            "leave",
            "out",
            "[s]",
            "accept",
            "all",
            "that",
            "are",
            "safe",
            "[n]o",
            "[e]dit",
            "[t]ry",
            "again",
            "[w]hy",
            "[?]",
        ]
    ]


@pytest.mark.parametrize(
    ("typed", "choice"),
    [
        ("y", "apply"), ("yes please", "apply"), ("n the mean is meant", "reject"), ("t is it the median", "retry"), ("no, it is 3", "leave"),
        ("a = 3", "code"), ("y = 2", "code"), ("n = 5", "code"), ("t += 1", "code"), ("print(x)", "code"), ("%heal why", "code"), ("import os", "code"),
        ("for i in range(3):", "code"), ("10", "leave"), ("not really", "leave"),
    ],
)  # fmt: skip
def test_code_typed_at_a_question_is_no_answer(typed: str, choice: str) -> None:
    replies = [typed, "q", "q"]
    dialogue = Dialogue(ask=lambda question: replies.pop(0), out=StringIO(), colours=False, takes_code=True)
    answer = dialogue.decide(propose(6.0, SAFE), Notebook((Cell("c", "x.uper()"),)))
    assert (answer.choice, answer.text if choice == "code" else "") == (choice, typed if choice == "code" else "")


def test_code_accepts_nothing_in_a_review() -> None:
    replies, said = ["a = 3", "x"], StringIO()
    dialogue = Dialogue(ask=lambda question: replies.pop(0), out=said, colours=False, is_review=True)
    assert dialogue.decide(propose(6.0, SAFE), Notebook((Cell("c", "x.uper()"),))).choice == "leave"
    assert "put this fix in" in said.getvalue()


def test_a_card_is_broken_at_words_for_a_terminal_and_left_as_it_is_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    note = "No model was asked: start the kernel with a key set, then ask."
    card = propose(6.0, SAFE).with_(notes=(note,))
    lines = list_card_lines(card, Notebook((Cell("c", "x.uper()"),)))
    assert "\nNo model was asked: start the kernel\n  with a key set, then ask." in fit_to_screen(lines, Screen())
    assert fit_to_screen(lines, StringIO()) == format_card(card, Notebook((Cell("c", "x.uper()"),)))
    assert note in format_card(card, Notebook((Cell("c", "x.uper()"),)))


def test_a_line_of_the_history_tells_the_cell_from_what_failed_in_it_and_fits_a_terminal() -> None:
    source = "total = sum(prices[n] for n in ['aple', 'pear'])"
    card = replace(propose(9.0, SAFE), headline="KeyError: 'aple'")
    line = format_history_line(card, card.candidates[0], Notebook((Cell("c", source, runs=4),), shows_runs=True))
    assert line.startswith("cell [4]: total = sum(prices[n] for n in ['aple',")
    assert " · KeyError: 'aple' → Change `uper`" in line
    assert all(len(part) <= 80 for part in wrap_prose([f"  1  {line}"], 80))


@pytest.mark.parametrize(
    ("said", "shows"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)]
)
def test_colours_are_for_a_terminal_that_shows_them_where_nobody_switched_them_off(
    said: dict[str, str], shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    assert may_use_colours(Screen()) is shows
    assert not may_use_colours(StringIO())
