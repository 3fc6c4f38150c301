"""In a lesson the card explains and hints; the fix comes on the second click, and *Explain* stays with it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server

pytestmark = pytest.mark.kept_page

TEACH = "%config SelfHeal.teach = True\nprices = {'apple': 1.2, 'pear': 0.8}"
FAILS = "wanted = 'apple'\nprint('costs', prices['aple'])"


def test_a_lesson_shows_the_fix_on_the_second_click(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("lesson.ipynb", [TEACH, FAILS]))
    lab.ready()
    lab.finish(1)
    lab.run(2)
    card = lab.card(2)
    card.get_by_text("There is no key or column 'aple'.").wait_for()
    card.get_by_text("Hint: look at line 2").wait_for()
    assert "prices['apple']" not in card.inner_text()
    lab.press(card, "reveal")
    card.locator(".jp-SelfHeal-diff .cm-editor").wait_for()
    explanation = card.locator("details.sh-explain")
    explanation.get_by_text("Next time:").wait_for()
    lab.press(card, "run")
    lab.expect_output(2, "costs 1.2")
