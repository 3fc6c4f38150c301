"""Where plausible patches disagree the card asks one value; the answer decides which of them is offered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server
from tests.browser.test_lifetime import SAY_LATE

pytestmark = pytest.mark.kept_page

LAST = "def last(items):\n    return items[0]"
ASKED = "%%heal --expect 3\nlast([1, 2, 3])"


def test_one_value_is_asked_and_decides(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("question.ipynb", [LAST, ASKED]))
    lab.ready()
    lab.finish(1)
    lab.run(2)
    card = lab.card(2)
    question = card.get_by_role("group").filter(has=page.locator("legend"))
    answers = question.get_by_role("button")
    answers.first.wait_for()
    assert len(set(answers.all_inner_texts())) == answers.count() >= 2
    answers.first.focus()
    page.evaluate(SAY_LATE, "get_ipython()._jupyter_selfheal.heals.latest.update_card(notes=('told late',))")
    card.get_by_text("told late").wait_for()
    page.keyboard.press("Enter")  # the focus is where it was
    card.get_by_text("It gives what you said").first.wait_for(state="attached")
    page.wait_for_function("() => document.activeElement.closest('.jp-Cell')")
    lab.press(lab.card(2), "run")
    lab.expect_output(2, "3")
    assert lab.source(2) == ASKED
    assert lab.source(1) != LAST
