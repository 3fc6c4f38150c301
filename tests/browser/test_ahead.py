"""Looking ahead: marks beside the cells below, and the card of a cell before it was ever run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

pytestmark = pytest.mark.kept_page


def test_cells_below_are_marked_and_a_fix_is_opened_before_its_cell_runs(page: Any, server: Server) -> None:
    cells = ["base = 1", TYPO, "print(base, items)", "!ls"]
    lab = Lab(page, server, server.notebook("ahead.ipynb", cells, first="%load_ext jupyter_selfheal\n%heal ahead on"))
    lab.ready()
    lab.finish(1)
    mark = lab.cell(2).locator(".jp-SelfHeal-mark-fix")
    mark.wait_for()
    lab.cell(3).locator(".jp-SelfHeal-mark-runs").wait_for()
    lab.cell(4).locator(".jp-SelfHeal-mark-unknown").wait_for()
    assert "starts another program" in str(lab.cell(4).locator(".jp-SelfHeal-mark").get_attribute("aria-label"))
    assert lab.prompt(2) == "[ ]:", "it was never run"
    mark.click()
    card = lab.card(2)
    assert "Will fail: AttributeError" in card.inner_text()
    before = card.locator("section[aria-label='Output before'] pre").all_inner_texts()
    assert before == ["AttributeError: 'list' object has no attribute 'appendd'"], "the error is said once"
    lab.press(card, "run")
    lab.expect_output(2, "there are 3")
    lab.expect_source(2, FIXED)
    lab.type_at_end(3, " # mine")
    lab.cell(2).locator(".jp-SelfHeal-mark").wait_for(state="detached")
