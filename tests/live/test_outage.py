"""An outage in a live session: the heal pauses and says what to do, and Continue works once it is mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, HangsUp, Line, Says
from tests.discount import CELL, reply
from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("outage", "told"),
    [
        ([Fails(401, "authentication_error", "invalid x-api-key")], "ANTHROPIC_API_KEY"),
        pytest.param([Fails(529, "overloaded_error", retry_after="0")] * 4, "overloaded", marks=pytest.mark.slow),
        pytest.param([Fails(429, "rate_limit_error", retry_after="100000")], "429", marks=pytest.mark.slow),
        pytest.param([HangsUp()] * 4, "connection", marks=pytest.mark.slow),
    ],
    ids=["a refused key", "overloaded", "too many requests", "no connection"],
)
def test_an_outage_pauses_a_heal_and_continue_goes_on(
    outage: list[Line], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    with FakeModelServer([*outage, Says(reply("c")), *[Says("{}")] * 20]) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        kernel = LiveKernel(tmp_path / "work", tmp_path / "data", keep_key=True)
        try:
            kernel.run("%load_ext jupyter_selfheal\n%heal consent\n%config SelfHeal.healers = 'language_model'")
            kernel.run(CELL, "c", allow_stdin=True)
            kernel.wait_for(lambda: "healing" not in kernel.card().splitlines()[0])
            card = kernel.card()
            assert told in card
            assert "Paused" in card
            assert "`%heal continue`" in card
            sent = len(server.requests)
            kernel.run("%heal continue")
            kernel.wait_for(lambda: "by language model" in kernel.card())
            assert len(server.requests) > sent
            assert told not in kernel.card(), "what was mended is no news"
        finally:
            kernel.stop()


@pytest.mark.slow
def test_a_missing_key_pauses_a_heal_and_continue_goes_on_once_its_file_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    keys = tmp_path / "keys.env"
    keys.write_text("OTHER=1\n")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with FakeModelServer([Says(reply("c")), *[Says("{}")] * 20]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        kernel = LiveKernel(tmp_path / "work", tmp_path / "data", keep_key=True)
        try:
            chosen = f"%config SelfHeal.healers = 'language_model'\n%config SelfHeal.key_file = '{keys}'"
            kernel.run(f"%load_ext jupyter_selfheal\n%heal consent\n{chosen}")
            kernel.run(CELL, "c", allow_stdin=True)
            kernel.wait_for(lambda: "healing" not in kernel.card().splitlines()[0])
            card = kernel.card()
            assert "Paused" in card
            assert "set ANTHROPIC_API_KEY" in card
            assert server.requests == []
            keys.write_text("ANTHROPIC_API_KEY=sk-ant-test\n")
            kernel.run("%heal continue")
            kernel.wait_for(lambda: "by language model" in kernel.card())
        finally:
            kernel.stop()
