"""The main flow in Notebook 7."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

pytest.importorskip("notebook")


IS_WHOLE = """text => {
  const item = document.querySelector('.jp-SelfHeal-status'), short = item.querySelector('.jp-SelfHeal-short');
  const range = document.createRange();
  range.selectNodeContents(short);
  const at = range.getBoundingClientRect(), box = item.getBoundingClientRect();
  const seen = document.elementFromPoint(at.right - 2, (at.top + at.bottom) / 2);
  return short.textContent === text && at.width > 0 && range.getClientRects().length === 1
    && at.left >= 0 && at.right <= Math.min(box.right + 1, innerWidth) && at.top >= 0 && short.contains(seen);
}"""
"""Whether the short text of the status item stands on one line, cut off nowhere and with nothing over it."""


def test_approve_and_run_in_notebook_7(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("seven.ipynb", [TYPO]), app="notebooks")
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    card.locator(".jp-SelfHeal-diff .cm-editor").wait_for()
    assert page.locator(".jp-SelfHeal-wide").is_visible()
    assert not page.locator(".jp-SelfHeal-short").is_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(IS_WHOLE, arg="fix ready")
    page.set_viewport_size({"width": 1280, "height": 1000})
    lab.press(card, "run")
    lab.expect_output(1, "there are 3")
    assert lab.source(1) == FIXED
    lab.status("Self-heal: idle")
    page.get_by_role("button", name="Self-heal: what can be done").click()
    page.locator(".lm-Menu-item.lm-mod-toggled", has_text="Suggest Fixes When a Cell Fails").wait_for()


@pytest.mark.slow
def test_heal_button_in_notebook_7(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("seven-button.ipynb", [TYPO], first=""), app="notebooks")
    lab.run(0)
    lab.heal_button(0).click()
    lab.card(0).locator("summary").first.focus()
    page.keyboard.press(
        "Alt+Enter"
    )  # a shortcut of the notebook's too, which would run the cell as it is and add another
    lab.expect_output(0, "there are 3")
    assert lab.source(0) == FIXED
    page.set_viewport_size({"width": 390, "height": 844})
    line, own = lab.cell(0).locator(".jp-SelfHeal-healed [role=status]"), lab.own_outputs(0).locator("pre").first
    assert abs(line.bounding_box()["x"] - own.bounding_box()["x"]) <= 8, "on a phone no prompt stands beside it"
    page.set_viewport_size({"width": 1280, "height": 1000})
