"""The language model in a live session: nothing before consent, then the real SDK over a socket to the fake server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

CELL = "prices = {'apple': 2}\nprint('total', prices['apple'] * prices['discount'])"
FIXED = CELL.replace(" * prices['discount']", " * prices.get('discount', 1)")


def reply() -> str:
    def hypothesis(title: str, source: str) -> dict[str, object]:
        edits = [{"cell": "c", "action": "replace", "source": source}]
        return {"title": title, "cause": "no discount is given", "risk": "a discount was meant", "edits": edits}

    diagnosis = {"cause": "the key is missing", "cell": "c", "class": "code", "confidence": 90}
    both = [hypothesis("No discount", FIXED), hypothesis("Only the apple", CELL.replace(" * prices['discount']", ""))]
    return json.dumps({"diagnosis": diagnosis, "hypotheses": both})


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModelServer]:
    with FakeModelServer([Says(reply()), *[Says("{}")] * 20]) as server:
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
        assert "Nothing was sent" in kernel.run("%heal sent")["text"]
        kernel.run("%heal consent")
        kernel.run("%heal model")
        kernel.wait_for(lambda: bool(model.requests), "a request")
        kernel.wait_for(lambda: "healing" not in kernel.card().splitlines()[0])
        assert "prices['discount']" in json.dumps(model.requests[0].body)
        assert "-ant-test" not in json.dumps(model.requests[0].body)
        assert "by language model" in kernel.card()
        assert "prices['discount']" in kernel.run("%heal sent")["text"]
    finally:
        kernel.stop()
