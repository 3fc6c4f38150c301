"""How long a look at the cells below may take, from a state in this process."""

from __future__ import annotations

import contextlib
import threading

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.messages import NOT_KNOWN, WILL_RUN, LookAhead
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.worker import look_ahead
from jupyter_selfheal.testing.fake_kernel import FakeKernel

SLOW = "for number in range(300_000):\n    last = number"


@pytest.mark.parametrize(("is_idle", "outcome"), [(True, WILL_RUN), (False, NOT_KNOWN)])
def test_where_nobody_waits_a_cell_may_take_what_all_of_them_may(
    is_idle: bool, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind all else a cell takes many times as long on a busy machine: after ten seconds nothing was known of it."""
    monkeypatch.setattr(look_ahead, "CELL_SECONDS", 0.01)
    message = LookAhead("run", Notebook((Cell("c", SLOW),)), ("c",), (), HealConfig(), is_idle)
    with contextlib.ExitStack() as closing:
        walk = look_ahead._Walk(message, FakeKernel(), closing, threading.Event())
        (forecast,) = walk.list_forecasts()
    assert forecast.outcome == outcome, forecast
