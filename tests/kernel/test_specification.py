"""Cells that run and are judged by words: the command, real kernels, the real SDK, a stand-in for the model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Received, Says
from tests.batches import cell
from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

MEAN = cell("xs = [2, 4, 9]\nmean = sum(xs) / 2\nprint(mean)", metadata={"selfheal": {"spec": "the mean of xs"}})
RIGHT = "xs = [2, 4, 9]\nmean = sum(xs) / len(xs)\nprint(mean)"
WITH_MODEL = ("--healers", "rules,language_model")


def read_text(received: Received) -> str:
    return json.dumps(received.body["messages"])


def is_about_a_cell(received: Received) -> bool:
    return "# What it is for" in read_text(received)


def answer(received: Received) -> Says:
    """A model that knows what a mean is: as the judge of a cell, as the judge of patches, and as the healer."""
    text = read_text(received)
    if is_about_a_cell(received):
        right = "len(xs)" in text.split("# The cell")[1]
        return Says(
            json.dumps({"score": 9 if right else 2, "feedback": "it divides by " + ("their number" if right else "2")})
        )
    if "Version A" in text:
        first = "len(xs)" in text.split("Version A")[1].split("Version B")[0]
        scores = (9, 2) if first else (2, 9)
        reply = {"score_a": scores[0], "score_b": scores[1], "better": "A" if first else "B"}
        return Says(json.dumps({**reply, "feedback_a": "by its divisor", "feedback_b": "by its divisor"}))
    name = re.search(r"The failing cell, (cell-\d+)", text)
    assert name is not None, text
    edits = [{"cell": name[1], "action": "replace", "source": RIGHT}]
    hypothesis = {"title": "Divide by their number", "cause": "it divides by 2", "risk": "none", "edits": edits}
    diagnosis = {"cause": "it divides by 2", "cell": name[1], "class": "code", "confidence": 95}
    return Says(json.dumps({"diagnosis": diagnosis, "hypotheses": [hypothesis]}))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModelServer]:
    with serve(monkeypatch, answer) as server:
        yield server


@contextmanager
def serve(monkeypatch: pytest.MonkeyPatch, line: Any) -> Iterator[FakeModelServer]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    with FakeModelServer(iter(lambda: line, None)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


def test_without_a_model_one_line_says_that_words_cannot_be_checked(place: Path) -> None:
    given = write(place / "n.ipynb", "x = 1", MEAN)
    done = heal(given, "-o", "out.ipynb", ends=0)
    assert "the specification of cell 2 was not checked" in done.stdout
    assert "`--expect` and `--check` can" in done.stdout


def test_a_cell_that_misses_its_words_is_healed_as_a_failure_is(place: Path, model: FakeModelServer) -> None:
    given = write(place / "n.ipynb", MEAN, "print(mean + 1)")
    done = heal(given, *WITH_MODEL, "-o", "out.ipynb", "--json", online=True, ends=0)
    healed = done.cells[0]
    assert healed["status"] == "healed", healed
    assert healed["failure"] == "missed: its specification: it divides by 2"
    assert sources(place / "out.ipynb")[0] == RIGHT
    assert healed["cost_by"]["judge"] > 0
    first = next(r for r in model.requests if is_about_a_cell(r))
    assert "7.5" not in read_text(first), "values are sent only where that is allowed"


@pytest.mark.slow
def test_a_cell_that_is_what_its_words_say_stays_with_the_reason(place: Path, model: FakeModelServer) -> None:
    given = write(place / "n.ipynb", cell(RIGHT, metadata={"selfheal": {"spec": "the mean of xs"}}))
    done = heal(given, *WITH_MODEL, "-o", "out.ipynb", online=True, ends=0)
    assert "cell 1: ✓ it divides by their number" in done.stdout
    assert len(model.requests) == 1
    assert sources(place / "out.ipynb") == [RIGHT]


@pytest.mark.slow
def test_an_expectation_that_is_missed_needs_no_judge(place: Path, model: FakeModelServer) -> None:
    wrong = cell("def f():\n    return 2\nf()", metadata={"selfheal": {"spec": "three", "expect": "3"}})
    heal(write(place / "n.ipynb", wrong), "--healers", "rules,language_model", "-o", "out.ipynb", online=True)
    assert not any(is_about_a_cell(r) for r in model.requests)


@pytest.mark.slow
def test_words_are_not_paid_for_beyond_the_budget(place: Path, model: FakeModelServer) -> None:
    given = write(place / "n.ipynb", MEAN)
    done = heal(given, *WITH_MODEL, "--budget", "0.0001", "-o", "out.ipynb", online=True, ends=0)
    assert "its specification was not checked: the budget does not allow to ask" in done.stdout
    assert model.requests == []


@pytest.mark.slow
def test_a_reply_that_cannot_be_read_changes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = write(place / "n.ipynb", MEAN)
    with serve(monkeypatch, Says("it looks fine to me")) as server:
        done = heal(given, *WITH_MODEL, "-o", "out.ipynb", online=True, ends=0)
        assert len(server.requests) == 1
    assert "its specification was not checked: the judge's reply could not be read" in done.stdout


TEXT = {"cell_type": "markdown", "metadata": {}, "source": "The mean of `xs`."}


@pytest.mark.slow
def test_a_review_asks_about_cells_that_have_words_and_changes_nothing(place: Path, model: FakeModelServer) -> None:
    wrong = "xs = [2, 4, 9]\nmean = sum(xs) / 2\nprint(mean)"
    given = write(place / "n.ipynb", "y = 1", TEXT, wrong, "print(mean)")
    before = given.read_bytes()
    done = heal(given, *WITH_MODEL, "--review", "-o", "out.ipynb", "--json", online=True, ends=0)
    assert len(model.requests) == 1, "a cell without words is not sent"
    (doubt,) = done.notebook["doubts"]
    assert (doubt["cell"], doubt["code"]) == (2, "REV401")
    assert "it divides by 2" in doubt["what"]
    assert done.notebook["cost_usd"] > 0
    assert given.read_bytes() == before
    assert sources(place / "out.ipynb") == sources(given)
    run = next((place.parent / "data" / "selfheal" / "runs").glob("*-review.jsonl")).stem
    again = heal(given, *WITH_MODEL, "--review", "-o", "again.ipynb", "--json", "--resume", run, online=True, ends=0)
    assert len(model.requests) == 1, "a run that is gone on with pays nothing twice"
    assert again.notebook["doubts"] == [doubt]
    (journal,) = (place.parent / "data" / "selfheal" / "runs").glob("*-review.jsonl")
    assert "The mean of" in journal.read_text()


def test_a_review_stops_asking_at_the_budget_and_says_so(place: Path, model: FakeModelServer) -> None:
    given = write(place / "n.ipynb", TEXT, RIGHT)
    done = heal(given, *WITH_MODEL, "--review", "--budget", "0.0001", "-o", "out.ipynb", online=True, ends=0)
    assert model.requests == []
    assert "the model was not asked about cells from cell 1 on" in done.stdout


def test_a_review_lists_its_doubts_in_each_report(place: Path) -> None:
    given = write(place / "n.ipynb", "name = ' a '\nname.strip()\nprint(name)", "print(name)")
    done = heal(given, "--review", "-o", "out.ipynb", "--report", "r.html", "--report", "r.json", ends=0)
    assert "cell 1, line 2: REV101 `name.strip()` has no effect" in done.stdout
    assert "review: 2 cells that run were looked at: 1 doubt" in done.stdout
    assert all(len(line) <= 160 for line in done.stdout.splitlines())
    notebook = json.loads((place / "r.json").read_text())["notebooks"][0]
    assert notebook["reviewed"] == 2
    (doubt,) = notebook["doubts"]
    assert doubt.keys() == {"cell", "id", "line", "code", "what", "advice"}
    page = (place / "r.html").read_text()
    assert "REV101" in page
    assert "<code>name.strip()</code>" in page


def test_without_review_nothing_is_looked_for(place: Path) -> None:
    done = heal(
        write(place / "n.ipynb", "name = ' a '\nname.strip()\nprint(name)"), "--json", "-o", "out.ipynb", ends=0
    )
    assert done.notebook["doubts"] == []
    assert done.notebook["reviewed"] is None


def test_where_the_kernel_is_not_copied_only_the_code_is_read_and_that_is_said(place: Path) -> None:
    given = write(
        place / "n.ipynb", "n = 9\nrate = 1 / n\ns = ' '\ns.strip()\nprint(s)", "for n in [1]:\n    pass", "print(n)"
    )
    done = heal(given, "--review", "--fresh", "-o", "out.ipynb", "--json", ends=0)
    assert [d["code"] for d in done.notebook["doubts"]] == ["REV103"]
    assert "values were not looked at" in done.notebook["review_note"]
