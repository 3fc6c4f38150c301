"""Approvals that do more than change one cell: a cell that moves, a new one, several at once; each is undone again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.browser.lab import Lab
from tests.browser.server import Server

pytestmark = pytest.mark.kept_page

IDS = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.id)"
USES = "print('total', total([1, 2]))"
DEFINES = "def total(rows):\n    return sum(rows)"
LOADS = "price = prices['apple']\nprint('price', price)"
PRICES = "prices = {'apple': 2}"


def order(lab: Lab) -> list[str]:
    """The ids of the notebook's cells, from above."""
    found: list[str] = lab.page.evaluate(IDS)
    return found


def expect_order(lab: Lab, ids: list[str]) -> None:
    lab.page.wait_for_function(f"ids => JSON.stringify(({IDS})()) === JSON.stringify(ids)", arg=ids)


def moved(page: Any, server: Server, name: str, below: list[str]) -> Lab:
    """A notebook whose second cell fails, because what it calls is defined further down."""
    lab = Lab(page, server, server.notebook(name, [USES, *below]))
    lab.ready()
    lab.run(1)
    return lab


def test_cell_is_moved_run_and_moved_back(page: Any, server: Server) -> None:
    lab = moved(page, server, "move.ipynb", ["print('between')", DEFINES, "print('after')"])
    before = order(lab)
    lab.press(lab.card(1), "approve")
    expect_order(lab, ["cell-0", "cell-3", "cell-1", "cell-2", "cell-4"])
    lab.press(lab.card(2, "applied"), "undo")
    expect_order(lab, before)
    lab.card(1, "applied").get_by_text("the old source is back").wait_for()


@pytest.mark.slow
def test_last_cell_is_moved_and_moved_back_below_all_others(page: Any, server: Server) -> None:
    lab = moved(page, server, "last.ipynb", ["print('between')", DEFINES])
    lab.press(lab.card(1), "approve")
    expect_order(lab, ["cell-0", "cell-3", "cell-1", "cell-2"])
    lab.press(lab.card(2, "applied"), "undo")
    expect_order(lab, ["cell-0", "cell-1", "cell-2", "cell-3"])


@pytest.mark.slow
def test_moved_cell_runs_before_the_one_that_failed(page: Any, server: Server) -> None:
    lab = moved(page, server, "moved-run.ipynb", [DEFINES])
    lab.press(lab.card(1), "run")
    lab.expect_output(2, "total 3")
    assert order(lab) == ["cell-0", "cell-2", "cell-1"]
    assert lab.source(1) == DEFINES


def reply() -> str:
    """A model's word: a new cell above, and the failing cell changed as well."""
    edits = [
        {"cell": "cell-2", "action": "insert_before", "source": PRICES},
        {"cell": "cell-2", "action": "replace", "source": LOADS.replace("'price', price", "'price is', price")},
    ]
    found = {
        "title": "Say the prices first",
        "cause": "they are nowhere",
        "risk": "other prices were meant",
        "edits": edits,
    }
    diagnosis = {"cause": "no prices", "cell": "cell-2", "class": "code", "confidence": 90}
    return json.dumps({"diagnosis": diagnosis, "hypotheses": [found]})


def asked(page: Any, server: Server, name: str, url: str) -> tuple[Lab, Any]:
    """A failing cell, and the card with what a model answered."""
    first = (
        f"import os\nos.environ.update(ANTHROPIC_API_KEY='sk-ant-test', ANTHROPIC_BASE_URL={url!r})\n"
        "%load_ext jupyter_selfheal\n%heal consent"
    )
    lab = Lab(page, server, server.notebook(name, [LOADS, "print('after')"], first=first))
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    assert "Say the prices first" in card.inner_text()
    return lab, card


@pytest.mark.slow
def test_new_cell_and_a_changed_one_are_approved_and_undone_together(page: Any, server: Server) -> None:
    with FakeModelServer([Says(reply()), *[Says("{}")] * 20]) as model:
        lab, card = asked(page, server, "insert.ipynb", model.url)
        lab.press(card, "approve")
        applied = lab.card(2, "applied")
        assert [lab.source(1), lab.source(2)] == [PRICES, LOADS.replace("'price', price", "'price is', price")]
        lab.press(applied, "undo")
        expect_order(lab, ["cell-0", "cell-1", "cell-2"])
        lab.expect_source(1, LOADS)


@pytest.mark.slow
def test_new_cell_that_was_edited_since_is_not_taken_away(page: Any, server: Server) -> None:
    with FakeModelServer([Says(reply()), *[Says("{}")] * 20]) as model:
        lab, card = asked(page, server, "insert-edited.ipynb", model.url)
        lab.press(card, "approve")
        lab.card(2, "applied")
        lab.type_at_end(1, "  # mine")
        lab.press(lab.card(2, "applied"), "undo")
        lab.card(2, "applied").get_by_text("edited after the fix").wait_for()
        assert lab.source(1) == PRICES + "  # mine"
        assert len(order(lab)) == 4


@pytest.mark.slow
def test_new_cell_runs_before_the_one_that_failed(page: Any, server: Server) -> None:
    with FakeModelServer([Says(reply()), *[Says("{}")] * 20]) as model:
        lab, card = asked(page, server, "insert-run.ipynb", model.url)
        lab.press(card, "run")
        lab.expect_output(2, "price is 2")
        assert lab.source(1) == PRICES
        assert lab.prompt(1).strip() != "[ ]:"
