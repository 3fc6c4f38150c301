"""How long a look at the cells below may take, from a state in this process."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.messages import NOT_KNOWN, WILL_FAIL, WILL_RUN, Foreseen, LookAhead
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.live.forecasts import format_forecasts
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


FAULTS = (
    "total = sum(prises)",
    "print(total)",
    "label = 'sum: ' + total",
    "print(label, math.pi)",
    "print(labell)",
    "print('end')",
)


@pytest.mark.parametrize(
    ("most", "outcomes"),
    [
        (8, "will fail,will run,will fail,will fail,will fail,will run"),
        (2, "will fail,will run,will fail,will fail,not known,not known"),
    ],
)
def test_each_failure_is_healed_in_the_state_that_the_fixes_above_it_leave(
    most: int, outcomes: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(look_ahead, "MOST_HEALED", most)
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate(FAULTS))
    message = LookAhead("run", Notebook(cells), tuple(cell.id for cell in cells), (), HealConfig())
    with contextlib.ExitStack() as closing:
        walk = look_ahead._Walk(message, FakeKernel(["prices = [1, 2]"]), closing, threading.Event())
        forecasts = list(walk.list_forecasts())
    assert ",".join(forecast.outcome for forecast in forecasts) == outcomes, forecasts
    fixed = [f.cell_id for f in forecasts if f.fix]
    assert fixed == ["c0", "c2", "c3", "c4"][:most]
    assert [f.outcome for f in forecasts if f.fix] == [WILL_FAIL] * len(fixed)
    assert walk.notebook.cell("c0").source == "total = sum(prices)"
    assert "str(total)" in walk.notebook.cell("c2").source


@pytest.mark.parametrize("is_idle", [False, True])
def test_what_stands_on_a_fix_that_is_to_be_checked_says_so_and_is_not_foretold_unasked(
    is_idle: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    cells = (Cell("c0", "total = saless['price']"), Cell("c1", "print(total)"))
    message = LookAhead("run", Notebook(cells), ("c0", "c1"), (), HealConfig(), is_idle)
    with contextlib.ExitStack() as closing:
        walk = look_ahead._Walk(message, FakeKernel(["sales = {'price': [1]}"]), closing, threading.Event())
        first, second = walk.list_forecasts()
    assert first.outcome == WILL_FAIL
    if is_idle:
        assert (first.fix, second.outcome, second.detail) == ("", NOT_KNOWN, look_ahead.FAILS_ABOVE)
        return
    assert (second.outcome, second.detail) == (WILL_RUN, look_ahead.IF_RIGHT)
    told = list(format_forecasts(Foreseen("run", (first, second)), message.notebook, HealConfig().accept))
    assert any("fix to check: " in line for line in told), told
    assert any("fix ready: " in line for line in format_forecasts(Foreseen("run", (first,)), message.notebook))
