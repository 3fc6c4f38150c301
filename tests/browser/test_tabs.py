"""One notebook in two tabs: what is chosen in one holds in the other, and nothing is put in or run twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

COUNTED = "open('runs.txt', 'a').write('x')\n" + TYPO
LATE = """([button, go]) => {
  const pressed = document.querySelector('.jupyter-selfheal ' + button);
  // The page is held up, so that it presses before it can hear what came of the other tab's choice.
  setTimeout(() => {
    for (const asks = () => { const r = new XMLHttpRequest(); r.open('GET', go, false); r.send(); return r.status !== 200; }; asks();) {}
    pressed.click();
  }, 0);
}"""


class Tabs:
    """Two pages that show the card of the same failure."""

    def __init__(self, page: Any, context: Any, server: Server, name: str, cell: str) -> None:
        self.server = server
        self.name = name
        self.first = Lab(page, server, server.notebook(name, [cell]))
        self.first.ready()
        self.first.run(1)
        self.first.card(1)
        self.first.save()
        self.second = Lab(context.new_page(), server, name)
        self.second.card(1)

    def press_late(self, button: str) -> None:
        """The second tab presses the button while it has not heard of anything since; it waits for :meth:`let_go`."""
        go = f"{self.server.url}/api/contents/{self.name}.go?content=0&token=selfheal"
        self.second.page.evaluate(LATE, [button, go])

    def let_go(self) -> None:
        (self.server.folder / f"{self.name}.go").touch()


@pytest.fixture
def tabs(page: Any, context: Any, server: Server, request: pytest.FixtureRequest) -> Tabs:
    (server.folder / "runs.txt").unlink(missing_ok=True)
    return Tabs(page, context, server, f"{request.node.name}.ipynb", COUNTED)


def test_second_tab_follows_and_applies_nothing_again(tabs: Tabs) -> None:
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.expect_output(1, "there are 3")
    card = tabs.second.card(1, "applied")
    assert card.locator('[data-id="run"], [data-id="approve"]').count() == 0
    tabs.second.press(card, "undo")
    card.get_by_text("undo leaves it alone").wait_for()
    assert tabs.second.source(1) == COUNTED


@pytest.mark.parametrize("button", ["run", "approve"])
def test_approved_in_both_tabs_is_run_in_one(button: str, tabs: Tabs) -> None:
    tabs.press_late(f'[data-id="{button}"]')
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.expect_output(1, "there are 3")
    tabs.let_go()
    tabs.second.cell(1).get_by_text("approved in another tab").wait_for()
    assert tabs.second.source(1) == COUNTED
    tabs.second.idle()
    assert (tabs.server.folder / "runs.txt").read_text() == "xx", "the run that failed, and the fixed one"


def test_pressed_in_both_tabs_at_once_runs_once(tabs: Tabs) -> None:
    for tab in (tabs.first, tabs.second):
        tab.page.evaluate(
            "() => { setTimeout(() => document.querySelector('.jupyter-selfheal [data-id=\"run\"]').click(), 200); }"
        )
    tabs.first.page.wait_for_function("() => !document.querySelector('.jupyter-selfheal [data-id=\"run\"]')")
    tabs.second.page.wait_for_function("() => !document.querySelector('.jupyter-selfheal [data-id=\"run\"]')")
    for tab in (tabs.first, tabs.second):
        tab.idle()
    changed = [tab.source(1) != COUNTED for tab in (tabs.first, tabs.second)]
    assert sorted(changed) == [False, True]
    winner = tabs.first if changed[0] else tabs.second
    winner.expect_output(1, "there are 3")
    assert (tabs.server.folder / "runs.txt").read_text() == "xx"


def test_rejected_too_late_stays_approved(tabs: Tabs) -> None:
    card = tabs.second.card(1)
    tabs.second.press(card, "reject")
    card.get_by_label("Why? (may be empty)").fill("no")
    tabs.press_late(".sh-dialog button")
    tabs.first.press(tabs.first.card(1), "approve")
    tabs.first.card(1, "applied")
    tabs.let_go()
    tabs.second.card(1, "applied")
    tabs.first.press(tabs.first.card(1, "applied"), "undo")
    tabs.first.expect_source(1, COUNTED)
    tabs.first.card(1, "applied").get_by_text("the old source is back").wait_for()


def test_two_notebooks_have_cards_of_their_own(failed: Lab, server: Server) -> None:
    failed.card(1)
    first = "test_two_notebooks_have_cards_of_their_own.ipynb"
    failed.open(server.notebook("other.ipynb", ["rows = [1]\nrows.appendd(2)\nprint('rows', rows)"]))
    failed.ready()
    failed.run(1)
    failed.press(failed.card(1), "run")
    failed.expect_output(1, "rows [1, 2]")
    failed.open(first)
    assert failed.source(1) == TYPO
    failed.press(failed.card(1), "run")
    failed.expect_output(1, "there are 3")
    assert failed.source(1) == FIXED
