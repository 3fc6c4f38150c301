"""Where the JupyterLab extension is not: the same card with a plain diff, which says what to run instead of its buttons."""

from __future__ import annotations

from typing import Any

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server


def test_card_without_the_extension_tells_what_to_run(page: Any, server: Server) -> None:
    page.route("**/lab/extensions/jupyter-selfheal/**", lambda route: route.abort())
    lab = Lab(page, server, server.notebook("plain.ipynb", [TYPO, "%heal approve"]))
    lab.finish(0)
    lab.finish(1)
    assert page.locator(".jp-SelfHeal-status").count() == 0
    card = lab.card(1)
    plain = card.get_by_role("table", name="Changes in")
    assert plain.locator("tr.sh-removed").inner_text().strip() == "-\titems.appendd(3)"
    assert plain.locator("tr.sh-added").inner_text().strip() == "+\titems.append(3)"
    lab.press(card, "run")
    card.get_by_text("The JupyterLab extension is not here").wait_for()
    assert lab.source(1) == TYPO
    lab.run(2)
    lab.expect_output(2, "there are 3")
    lab.expect_source(2, FIXED)
    lab.card(1, "applied")
