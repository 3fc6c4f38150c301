"""What all calls of a server may spend together."""

from __future__ import annotations

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.surfaces.mcp.meter import Meter
from jupyter_selfheal.surfaces.mcp.model_budget import ModelBudget
from jupyter_selfheal.surfaces.mcp.roots import Roots
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.mcp.tools import Toolbox
from jupyter_selfheal.surfaces.notebook.settings import Settings


def test_a_call_leaves_the_next_what_it_did_not_spend() -> None:
    budget, meter = ModelBudget(1.0), Meter()
    with budget.set_aside(0.75, meter):
        assert budget.left == 0.25  # what another call may have at that time
        with pytest.raises(UsageError, match=r"\$0.25 of \$1.00"), budget.set_aside(0.5, Meter()):
            pass
        meter.cost = Cost(0.5)
    assert budget.left == 0.5
    with budget.set_aside(0.5, Meter()):
        pass
    assert budget.left == 0.5


def test_a_refused_call_costs_what_it_cost_and_one_that_broke_down_all_it_had() -> None:
    budget, meter = ModelBudget(1.0), Meter(cost=Cost(0.25))
    with pytest.raises(UsageError), budget.set_aside(0.5, meter):
        raise UsageError("the time limit was reached")
    assert budget.left == 0.75
    with pytest.raises(ZeroDivisionError), budget.set_aside(0.5, Meter()):
        raise ZeroDivisionError
    assert budget.left == 0.25


def test_a_model_without_a_price_may_have_spent_what_it_was_given() -> None:
    budget, meter = ModelBudget(1.0), Meter()
    with budget.set_aside(0.5, meter):
        meter.cost = Cost(input_tokens=10, unknown=True)
    assert budget.left == 0.5


def test_a_toolbox_refuses_what_is_more_than_its_server_was_given() -> None:
    config = HealConfig(healers=("rules", "language_model"), session_budget_usd=0.5)
    toolbox = Toolbox(Roots(()), Settings(config))
    with pytest.raises(UsageError, match=r"\$0.50 of \$0.50"):
        toolbox.propose_fixes(ToolRun("propose_fixes"), "a.ipynb", "c1", "", (), 0.75, 1000)
