"""The language model in a live session: nothing before consent, then the real SDK over a socket to the fake server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.discount import CELL, reply
from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModelServer]:
    with FakeModelServer([Says(reply("c")), *[Says("{}")] * 20]) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


def test_nothing_is_sent_before_consent_and_sent_shows_what_was(model: FakeModelServer, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    kernel = LiveKernel(tmp_path / "work", tmp_path / "data", keep_key=True)
    try:
        kernel.run("%load_ext jupyter_selfheal")
        kernel.run(CELL, "c", allow_stdin=True)
        kernel.wait_for(lambda: "healing" not in kernel.card().splitlines()[0])
        assert model.requests == []
        refused = kernel.run("%heal model")
        assert "before you agree" in str(refused)
        preview = kernel.run("%heal sent")["text"]
        assert "Nothing was sent" in preview
        assert model.requests == []
        kernel.run("%heal consent")
        kernel.run("%heal model")
        kernel.wait_for(lambda: bool(model.requests), "a request")
        kernel.wait_for(lambda: "healing" not in kernel.card().splitlines()[0])
        assert "prices['discount']" in json.dumps(model.requests[0].body)
        assert "-ant-test" not in json.dumps(model.requests[0].body)
        assert "by language model" in kernel.card()
        told = kernel.run("%heal sent")["text"]
        assert "prices['discount']" in told
        words = preview.split("--- user ---\n")[1].split("--- user ---")[0]
        assert "dict" in words  # the variables are described too
        assert words in told  # the preview was word for word what went out
        (record, *_) = json.loads(kernel.run("%heal sent --json")["text"])
        assert record["calls"][0]["messages"][0]["text"] in told
    finally:
        kernel.stop()


def test_what_would_be_sent_is_told_before_anything_was_healed(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    kernel = LiveKernel(tmp_path / "work", tmp_path / "data")
    try:
        kernel.run("%load_ext jupyter_selfheal\n%heal off")
        assert "nothing failed yet" in kernel.run("%heal sent")["text"]
        kernel.run(CELL, "c", allow_stdin=True)
        for line in ("%heal sent", "%heal sent --cell c"):
            told = kernel.run(line)["text"]
            assert "Nothing was sent to a model for this failure" in told
            assert "prices['discount']" in told.split("--- user ---\n")[1]
        assert "no longer has its failure" in kernel.run("%heal sent --cell other")["text"]
        assert kernel.displays == {}, "asking heals nothing"
    finally:
        kernel.stop()


@pytest.mark.slow
def test_what_a_search_tried_was_not_sent(loaded: LiveKernel) -> None:
    loaded.run("def last(items):\n    return items[0]", "a")
    loaded.run("%%heal --expect 3\nlast([1, 2, 3])", "b", allow_stdin=True)
    loaded.wait_for(lambda: "healing" not in loaded.card().splitlines()[0])
    told = loaded.run("%heal sent --cell b")["text"]
    assert "Nothing was sent to a model for this failure" in told
    assert "return items[0]" in told


def test_without_a_key_the_card_says_how_to_ask_a_model(loaded: LiveKernel) -> None:
    loaded.run(CELL, "c", allow_stdin=True)
    loaded.wait_for(lambda: "healing" not in loaded.card().splitlines()[0])
    assert "start the kernel with ANTHROPIC_API_KEY set" in loaded.card()
    loaded.run("get_ipython()._jupyter_selfheal.config = get_ipython()._jupyter_selfheal.config.with_(offline=True)")
    loaded.run(CELL, "d", allow_stdin=True)
    loaded.wait_for(lambda: len(loaded.displays) == 2 and "healing" not in loaded.card().splitlines()[0])
    assert "c.SelfHeal.offline is True" in loaded.card()


def test_every_switch_is_in_the_journal_and_in_the_status(loaded: LiveKernel) -> None:
    for line in ("%heal auto", "%heal auto off", "%heal off", "%heal consent"):
        loaded.run(line)
    status = loaded.run("%heal status")["text"]
    for said in ("auto-approve off since", "suggestions off since", "consent to ask the model given since"):
        assert said in status
    (path,) = (loaded.data / "selfheal" / "runs").glob("*-switches.jsonl")
    events = [json.loads(line)["body"] for line in path.read_text().splitlines()[1:]]
    assert [(e["what"], e["to"]) for e in events] == [
        ("auto-approve", "on"), ("auto-approve", "off"), ("suggestions", "off"), ("consent to ask the model", "given"),
    ]  # fmt: skip
    assert "switched on or off" in str(loaded.run("%heal auto perhaps"))


@pytest.mark.slow
def test_a_call_is_stopped_at_once_and_one_that_the_worker_died_in_is_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    with FakeModelServer([Says(reply("c"), delay=120.0)] * 2) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        kernel = LiveKernel(tmp_path / "work", tmp_path / "data", keep_key=True)
        try:
            kernel.run("%load_ext jupyter_selfheal\n%heal consent")
            kernel.run(CELL, "c", allow_stdin=True)
            kernel.wait_for(lambda: bool(server.requests), "a request")
            kernel.run("%heal stop")
            kernel.card("Stopped; nothing was changed.")
            kernel.run(CELL, "d", allow_stdin=True)
            kernel.wait_for(lambda: len(server.requests) == 2, "another request")
            assert kernel.value("get_ipython()._jupyter_selfheal.spent.usd > 0") == "True"
            for process, command in kernel.commands():
                if "surfaces.worker.__main__" in command:
                    process.kill()
            kernel.card("your kernel is fine")
            assert kernel.value("get_ipython()._jupyter_selfheal.spent.usd > 0") == "True"
            assert "spent in this session: $0\n" not in kernel.run("%heal status")["text"]
        finally:
            kernel.stop()
