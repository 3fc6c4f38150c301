"""Two people in one notebook, where jupyter-collaboration is installed: one change of the document, seen by both, and run once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

pytest.importorskip("jupyter_collaboration")

COUNTED = "open('runs.txt', 'a').write('x')\n"


def test_what_one_person_approves_and_takes_back_the_other_sees_once(page: Any, context: Any, server: Server) -> None:
    name = server.notebook("both.ipynb", [COUNTED + TYPO])
    one, two = Lab(page, server, name), Lab(context.new_page(), server, name)
    one.ready()
    one.run(1)
    card = one.card(1)
    two.cell(1).get_by_text("or run `%heal approve` in a new cell").wait_for()
    assert two.source(1) == COUNTED + TYPO
    one.press(card, "run")
    two.expect_source(1, COUNTED + FIXED)
    two.expect_output(1, "there are 3")
    assert (server.folder / "runs.txt").read_text() == "xx", "the failing cell, and the fixed one"
    one.cell(1).locator(".jp-SelfHeal-healed").get_by_text("Undo").click()
    two.expect_source(1, COUNTED + TYPO)
    two.own_outputs(1).filter(has_text="AttributeError").first.wait_for()
    assert one.source(1) == COUNTED + TYPO
