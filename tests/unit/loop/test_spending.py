"""What a heal may have spent: settled calls, and those under way at their worst."""

from __future__ import annotations

from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop.spending import Spending
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import Answer

WORST, REAL, JUDGED = Cost(usd=0.5), Cost(usd=0.1), Cost(usd=0.01)


def test_a_call_under_way_counts_at_its_worst_until_it_is_settled() -> None:
    spending = Spending()
    assert spending.add_event(ev.Reserved("a", "language_model", WORST))
    assert spending.cost == WORST
    assert spending.add_event(ev.Answered("language_model", Answer(cost=REAL), "a"))
    assert spending.cost == REAL
    assert spending.add_event(ev.Reserved("b", ev.JUDGE, WORST))
    assert spending.add_event(ev.Settled("b", JUDGED))
    assert spending.cost == REAL + JUDGED


def test_what_costs_nothing_changes_nothing() -> None:
    spending = Spending()
    assert not spending.add_event(ev.Answered("rules", Answer()))
    assert not spending.add_event(ev.Priced("language_model", WORST))
    assert spending.cost == Cost()
