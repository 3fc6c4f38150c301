"""Who switched IPython's colours off gets none from us either."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.surfaces.live.terminal import HealWaiter
from tests.unit.surfaces.test_card import Screen


@pytest.mark.parametrize(
    ("colors", "shows"), [("NoColor", False), ("nocolor", False), ("Linux", True), ("neutral", True)]
)
def test_the_diff_is_as_plain_as_ipython_is(colors: str, shows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Screen())
    session: Any = SimpleNamespace(shell=SimpleNamespace(colors=colors))
    nothing: Any = None
    assert HealWaiter(session, nothing)._dialogue.colours is shows
