"""``%heal show`` and ``%heal config``: what is said in words, without a widget."""

from __future__ import annotations

import ast
from dataclasses import fields

import pytest

from jupyter_selfheal.config import HealConfig
from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

TYPO = "items = [1, 2]\nitems.appendd(3)\nprint(len(items))"


def test_show_says_what_failed_the_fix_and_its_evidence(loaded: LiveKernel) -> None:
    assert "there is no heal in this session yet" in str(loaded.run("%heal show"))
    loaded.run(TYPO, "c", allow_stdin=True)
    loaded.card("fix ready, tested")
    shown = loaded.run("%heal show")["text"]
    assert shown.startswith("Self-heal: AttributeError: 'list' object has no attribute 'appendd'")
    assert "\n-items.appendd(3)\n+items.append(3)\n" in shown
    for evidence in ("score ", "proven from ", "by rule ", "; $0"):
        assert evidence in shown
    assert loaded.run("%heal approve")["status"] == "ok"
    assert "fixed" in loaded.run("%heal show")["text"].splitlines()[0]


def test_show_is_of_the_last_failure(loaded: LiveKernel) -> None:
    loaded.run(TYPO, "c", allow_stdin=True)
    loaded.card("fix ready, tested")
    loaded.run("words = 'b'.uper()", "d", allow_stdin=True)
    loaded.wait_for(lambda: len(loaded.displays) == 2 and "fix ready" in loaded.card())
    shown = loaded.run("%heal show")["text"]
    assert "+words = 'b'.upper()" in shown
    assert "appendd" not in shown


def test_config_prints_every_setting_as_it_would_be_written_and_as_it_is_now(loaded: LiveKernel) -> None:
    def printed() -> dict[str, object]:
        lines = [line.partition(" = ") for line in loaded.run("%heal config")["text"].splitlines()]
        assert all(name.startswith("c.SelfHeal.") for name, _, _ in lines)
        return {name.removeprefix("c.SelfHeal."): ast.literal_eval(value) for name, _, value in lines}

    defaults = HealConfig()
    assert printed() == {f.name: getattr(defaults, f.name) for f in fields(defaults)}
    loaded.run("%heal consent")
    loaded.tell({"action": "settings", "values": {"budget_usd": 0.25, "healers": ["rules"]}})
    now = printed()
    assert (now["consent"], now["budget_usd"], now["healers"]) == (True, 0.25, ("rules",))
