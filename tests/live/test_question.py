"""One value asked for where plausible patches disagree: real engine, real kernel, the answer decides and is on record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.live.conftest import LiveKernel
from tests.live.test_terminal import Terminal

pytestmark = pytest.mark.kernel

CELL = "prices = {'apple': 2}; total = prices['apple'] * prices['discount']; total"
ONE = CELL.replace("prices['discount']", "prices.get('discount', 1)")
HALF = CELL.replace("prices['discount']", "prices.get('discount', 0.5)")


def reply() -> Says:
    hypotheses = [
        {"title": title, "cause": "no discount is given", "risk": "another was meant",
         "edits": [{"cell": "failing-cell", "action": "replace", "source": source}]}
        for title, source in (("No discount", ONE), ("Half the price", HALF))
    ]  # fmt: skip
    diagnosis = {"cause": "the key is missing", "cell": "c", "class": "code", "confidence": 90}
    return Says(json.dumps({"diagnosis": diagnosis, "hypotheses": hypotheses}))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModelServer]:
    """Two hypotheses, then nothing that could be read: the judge has no word."""
    with FakeModelServer([reply(), *[Says("{}")] * 40]) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


def journal(data: Path) -> list[dict[str, object]]:
    """Every event of every heal of the session."""
    files = sorted((data / "selfheal" / "runs").glob("*.jsonl"))
    return [json.loads(line).get("body", {}) for f in files for line in f.read_text().splitlines()]


@pytest.mark.slow
def test_the_answer_decides_between_two_hypotheses(model: FakeModelServer, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    kernel = LiveKernel(tmp_path / "work", tmp_path / "data", keep_key=True)
    try:
        kernel.run("%load_ext jupyter_selfheal")
        kernel.run("%heal consent")
        kernel.run(CELL, "c", allow_stdin=True)
        card = kernel.card("one value decides")
        assert "What should `total` give" in card
        assert "a) 1.0  b) 2" in card or "a) 2  b) 1.0" in card
        letter = "a" if "a) 1.0" in card else "b"
        kernel.run(f"%heal answer {letter}")
        kernel.wait_for(lambda: "your answer" in kernel.card() or "It gives what you said: 1.0" in kernel.card())
        card = kernel.card("fix ready, tested")
        assert "+" + HALF in card
        assert "What should" not in card
        answers = [e["decision"]["text"] for e in journal(tmp_path / "data") if e.get("$") == "Decided"]  # type: ignore[index]
        assert answers == ["1.0"]
        assert kernel.run("%heal approve")["status"] == "ok"
        assert kernel.value("total") == "1.0"
    finally:
        kernel.stop()


@pytest.mark.slow
def test_search_asks_for_an_input_that_was_not_given(loaded: LiveKernel) -> None:
    loaded.run("def last(items):\n    return items[0]", "f")
    loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "g", allow_stdin=True)
    card = loaded.card("one value decides")
    assert "What should `last(" in card
    assert loaded.run("%heal answer a")["text"] == "", "the card shows what comes of it"
    loaded.wait_for(lambda: "It gives what you said" in loaded.card(), "a decision")


def test_where_no_card_is_shown_an_answer_waits_for_what_comes_of_it(loaded: LiveKernel) -> None:
    """nbclient runs cells so: ``%heal answer`` printed nothing, and the next cell ran before anything was decided."""
    loaded.run("def last(items):\n    return items[0]", "f")
    assert "What should `last(" in loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "g")["text"]
    assert "It gives what you said" in loaded.run("%heal answer a")["text"]


def test_so_do_a_rejection_and_what_takes_it_back(loaded: LiveKernel) -> None:
    """`%heal reject` printed nothing there."""
    assert "fix ready, tested" in loaded.run("items = [1]\nitems.appendd(2)", "c")["text"]
    assert "Every fix that was found was rejected" in loaded.run("%heal reject no", "r")["text"]
    assert "fix ready, tested" in loaded.run("%heal undo", "u")["text"]


def test_an_answer_to_nothing_is_refused(loaded: LiveKernel) -> None:
    loaded.run("items = [1]\nitems.appendd(2)", "c", allow_stdin=True)
    loaded.card("fix ready, tested")
    assert "nothing was asked" in str(loaded.run("%heal answer 3"))


@pytest.mark.slow
def test_the_terminal_asks_and_takes_a_letter(model: FakeModelServer, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, key="sk-ant-test")
    try:
        terminal.type("%load_ext jupyter_selfheal")
        terminal.prompt()
        terminal.type("%heal consent")
        terminal.prompt()
        terminal.type(CELL)
        shown = terminal.until(r"Apply\? ")
        assert "What should `total` give" in shown
        terminal.type("a" if "a) 2" in shown else "b")
        shown = terminal.until(r"Apply\? ")
        assert "It gives what you said: 2" in " ".join(shown.split())  # wherever the line ends
        assert "What should" not in shown
        terminal.type("y")
        terminal.prompt()
        terminal.type("total")
        assert "2" in terminal.prompt()
    finally:
        terminal.child.close(force=True)
