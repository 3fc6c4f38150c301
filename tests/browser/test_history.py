"""A widget that is pressed later, what a cell should give, and the panel of what was healed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server

pytestmark = pytest.mark.kept_page

WIDGET = """import ipywidgets
prices = {'apple': 1.2}
button = ipywidgets.Button(description='Costs')
def show(_):
    button.description = f"costs {prices['aple']}"
button.on_click(show)
button"""
MEAN = "def mean(xs):\n    return sum(xs) / (len(xs) - 1)"


@pytest.mark.slow
def test_a_widget_pressed_later_is_healed_at_its_cell_and_undone_from_the_panel(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("pressed.ipynb", [WIDGET, "print('next')"]))
    lab.ready()
    lab.finish(1)
    lab.finish(2)
    lab.cell(1).get_by_role("button", name="Costs").click()
    card = lab.card(1)
    card.get_by_text("Did you mean 'apple'?").first.wait_for()
    lab.press(card, "run")
    lab.cell(1).locator(".jp-SelfHeal-healed", has_text="Healed: Change").wait_for()
    lab.cell(1).get_by_role("button", name="Costs").click()
    lab.cell(1).get_by_role("button", name="costs 1.2").wait_for()
    lab.palette("Show What Was Healed")
    panel = page.locator(".jp-SelfHeal-history")
    panel.get_by_text("Change 'aple' to 'apple'").wait_for()
    panel.get_by_role("button", name="Undo").click()
    panel.get_by_text("Undone: the old source is back.").wait_for()
    assert lab.source(1) == WIDGET


WAITS = """import os, time
items = [1]
items.appendd(2)
while not os.path.exists('go-on-healed'):
    time.sleep(0.05)"""


@pytest.mark.slow
def test_a_cell_is_called_healed_once_its_fix_has_run(page: Any, server: Server) -> None:
    go = server.folder / "go-on-healed"
    go.touch()
    lab = Lab(page, server, server.notebook("waits.ipynb", [WAITS]))
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    lab.palette("Show What Was Healed")
    go.unlink()
    lab.press(card, "run")
    page.locator(".jp-SelfHeal-history").get_by_text("Change .appendd to .append").wait_for()
    assert lab.cell(1).locator(".jp-SelfHeal-healed").count() == 0, "it runs still"
    go.touch()
    lab.cell(1).locator(".jp-SelfHeal-healed", has_text="Healed: Change").wait_for()


@pytest.mark.slow
def test_what_a_result_should_be_is_said_in_a_dialog_and_healed(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("should.ipynb", [MEAN, "mean([1, 2, 3])"]))
    lab.ready()
    lab.finish(1)
    lab.finish(2)
    lab.click(2)
    lab.palette("This Result Should Be…")
    page.get_by_label("A Python value").fill("2.0")
    page.get_by_role("button", name="Check", exact=True).click()
    card = lab.card(2)
    card.get_by_text("Expected 2.0, got 3.0").first.wait_for()
    assert lab.source(2) == "%%heal --expect 2.0\nmean([1, 2, 3])"
    lab.press(card, "run")
    lab.expect_output(2, "2.0")
