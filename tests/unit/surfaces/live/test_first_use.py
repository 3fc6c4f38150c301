"""The first card says in three lines what this is; no later one does."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Notebook
from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.widget_payload import build_payload


def test_a_user_is_welcomed_once(tmp_path: Path) -> None:
    (tmp_path / "selfheal").mkdir()
    first, second = (LiveSession(SimpleNamespace(), HealConfig(), tmp_path) for _ in range(2))
    assert first.take_first_use()
    assert not first.take_first_use()
    assert not second.take_first_use()
    assert not LiveSession(SimpleNamespace(), HealConfig(), tmp_path / "nowhere").take_first_use()


def test_the_first_card_has_three_lines_more() -> None:
    card = Card("r", "c", "NameError", phase="closed", welcomes=True)
    assert len(build_payload(card, Notebook())["welcome"]) == 3  # type: ignore[arg-type]
    elsewhere = build_payload(card.with_(has_page=False), Notebook())
    assert "`%heal undo` takes it back" in str(elsewhere["welcome"])
    assert "settings" not in str(elsewhere["welcome"]), "there is no page whose settings could be meant"
    assert build_payload(card.with_(phase="applied"), Notebook())["welcome"] == []
    assert build_payload(card.with_(welcomes=False), Notebook())["welcome"] == []
