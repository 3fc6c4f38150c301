"""Heal the notebook and review all fixes: by keyboard from the panel to one change of the document, and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

pytestmark = pytest.mark.kept_page

KEY = "prices = {'pear': 2}\nprint(prices['pera'])"


def test_fixes_are_accepted_by_keyboard_and_put_in_at_once(page: Any, server: Server) -> None:
    cells = [TYPO, KEY, "rows = [1]\nlen(rowz)", "open('gone/data.csv')", "raise ValueError('on purpose')"]
    lab = Lab(page, server, server.notebook("review.ipynb", cells))
    lab.ready()
    lab.command("filebrowser:refresh")
    page.locator(".jp-DirListing-item", has_text="review.ipynb").click(button="right")
    page.locator(".lm-Menu-itemLabel", has_text="Heal the Notebook and Review").click()
    panel = page.locator(".jp-SelfHeal-review")
    panel.locator("article").nth(2).wait_for()
    assert "Why not: it scores 5, below 7" in panel.locator("article").nth(2).inner_text()
    assert panel.get_by_role("button", name="Accept all that are safe").is_enabled()
    assert "there are 3" in panel.locator("article").first.inner_text()
    assert "Safe · Runs; result unconfirmed" in panel.locator("article").first.inner_text()
    left = panel.locator(".jp-SelfHeal-review-left").all_inner_texts()
    assert ["FileNotFoundError" in left[0], "ValueError: on purpose" in left[1]] == [True, True]
    assert lab.source(1) == TYPO, "nothing is changed before it is accepted"
    page.keyboard.press("a")
    page.keyboard.press("x")
    panel.get_by_text("1 accepted").wait_for()
    size = page.viewport_size
    page.set_viewport_size({**size, "height": 400})
    try:
        panel.evaluate("panel => { panel.scrollTop = 24; }")
        page.keyboard.press("Enter")
        lab.expect_source(1, FIXED)
        assert panel.evaluate("panel => panel.scrollTop") == 0, "what was put in is said on top"
    finally:
        page.set_viewport_size(size)
    assert lab.source(2) == KEY
    panel.get_by_role("button", name="Undo").click()
    lab.expect_source(1, TYPO)
