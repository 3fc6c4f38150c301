"""One notebook in two tabs: what is chosen in one holds in the other, and nothing is put in or run twice.

Two pages take a quarter of a minute each time: half of these tests run in ``make test-all`` only.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server
from tests.waiting import wait_until

COUNTED = "open('runs.txt', 'a').write('x')\n" + TYPO
FIXED_COUNTED = "open('runs.txt', 'a').write('x')\n" + FIXED
LATE = """([button, go]) => {
  const pressed = document.querySelector('.jupyter-selfheal ' + button);
  // The page is held up, so that it presses before it can hear what came of the other tab's choice.
  setTimeout(() => {
    for (const asks = () => { const r = new XMLHttpRequest(); r.open('GET', go, false); r.send(); return r.status !== 200; }; asks();) {}
    pressed.click();
  }, 0);
}"""


HANGS = """go => {
  const proto = WebSocket.prototype, send = proto.send;
  proto.send = function (data) {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    const answer = send.call(this, data);
    if (text.includes('"claim"')) {
      // Held up from the moment of its claim until the file is there.
      setTimeout(() => {
        for (const asks = () => { const r = new XMLHttpRequest(); r.open('GET', go, false); r.send(); return r.status !== 200; }; asks();) {}
      }, 0);
    }
    return answer;
  };
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

    def press_and_hang(self) -> None:
        """The first tab presses Apply & run, and hangs from its claim until :meth:`let_go`.

        It presses by itself: a real click would not return from a page that hangs meanwhile.
        """
        go = f"{self.server.url}/api/contents/{self.name}.go?content=0&token=selfheal"
        self.first.page.evaluate(HANGS, go)
        with self.first.page.expect_request(lambda request: ".go?" in request.url):
            self.first.page.evaluate(
                "() => { setTimeout(() => document.querySelector('.jupyter-selfheal [data-id=\"run\"]').click(), 0); }"
            )

    def let_go(self) -> None:
        (self.server.folder / f"{self.name}.go").touch()


@pytest.fixture
def tabs(page: Any, context: Any, server: Server, request: pytest.FixtureRequest) -> Tabs:
    (server.folder / "runs.txt").unlink(missing_ok=True)
    return Tabs(page, context, server, f"{request.node.name}.ipynb", COUNTED)


@pytest.mark.kept_page
@pytest.mark.slow
def test_second_tab_follows_and_applies_nothing_again(tabs: Tabs) -> None:
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.expect_output(1, "there are 3")
    card = tabs.second.card(1, "applied")
    card.get_by_text("in another tab. Save it there").wait_for()
    assert card.locator(".sh-controls button").count() == 0, "nothing dead to press: there is nothing to undo here"
    assert tabs.second.source(1) == COUNTED


@pytest.mark.slow
def test_second_tab_that_reads_the_fix_from_the_file_can_undo_it(tabs: Tabs) -> None:
    tabs.first.press(tabs.first.card(1), "approve")
    tabs.first.card(1, "applied")
    tabs.first.save()
    tabs.second.card(1, "applied").get_by_text("in another tab. Save it there").wait_for()
    tabs.second.command("docmanager:reload")
    accept = tabs.second.page.locator(".jp-Dialog .jp-mod-accept")
    accept.or_(tabs.second.cell(1).locator('[data-id="undo"]')).first.wait_for()
    tabs.second.dismiss()
    tabs.second.press(tabs.second.card(1, "applied"), "undo")
    tabs.second.expect_source(1, COUNTED)


DIES = """() => {
  // The page goes the moment the kernel has named it: nothing of it is said or done any more.
  const proto = WebSocket.prototype, send = proto.send;
  proto.send = function (data) {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    if (window.claimed) { return; }
    window.claimed = text.includes('"claim"');
    return send.call(this, data);
  };
}"""


@pytest.mark.slow
def test_approval_of_a_page_that_dies_is_soon_taken_over(tabs: Tabs) -> None:
    tabs.first.page.evaluate(DIES)
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.page.wait_for_function("() => window.claimed")
    tabs.first.page.close()
    tabs.second.press(tabs.second.card(1), "run")
    tabs.second.expect_output(1, "there are 3")
    assert tabs.second.source(1) == FIXED_COUNTED
    assert (tabs.server.folder / "runs.txt").read_text() == "xx"


@pytest.mark.slow
def test_page_that_reloads_after_its_claim_approves_again(tabs: Tabs) -> None:
    tabs.second.page.close()
    tabs.first.page.evaluate(DIES)
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.page.wait_for_function("() => window.claimed")
    tabs.first.page.reload()
    tabs.first.opened()
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.expect_output(1, "there are 3")
    assert tabs.first.source(1) == FIXED_COUNTED


@pytest.mark.slow
def test_page_that_was_slow_takes_its_change_back(tabs: Tabs) -> None:
    """It was named, hung, and another page took over: what it put in when it woke goes out again, and is not run."""
    tabs.press_and_hang()
    tabs.second.press(tabs.second.card(1), "run")
    tabs.second.expect_output(1, "there are 3")
    tabs.let_go()
    tabs.first.cell(1).get_by_text("in another tab").first.wait_for()
    tabs.first.expect_source(1, COUNTED)
    tabs.first.idle()
    assert (tabs.server.folder / "runs.txt").read_text() == "xx"


@pytest.mark.slow
@pytest.mark.parametrize("button", ["run", "approve"])
def test_approved_in_both_tabs_is_run_in_one(button: str, tabs: Tabs) -> None:
    tabs.press_late(f'[data-id="{button}"]')
    tabs.first.press(tabs.first.card(1), "run")
    tabs.first.expect_output(1, "there are 3")
    tabs.let_go()
    tabs.second.cell(1).get_by_text("Not put in here: it was approved in another tab").wait_for()
    assert tabs.second.source(1) == COUNTED
    tabs.second.idle()
    assert (tabs.server.folder / "runs.txt").read_text() == "xx", "the run that failed, and the fixed one"


@pytest.mark.kept_page
def test_pressed_in_both_tabs_at_once_runs_once(tabs: Tabs) -> None:
    for tab in (tabs.first, tabs.second):
        tab.page.evaluate(
            "() => { setTimeout(() => document.querySelector('.jupyter-selfheal [data-id=\"run\"]').click(), 200); }"
        )
    tabs.first.page.wait_for_function("() => !document.querySelector('.jupyter-selfheal [data-id=\"run\"]')")
    tabs.second.page.wait_for_function("() => !document.querySelector('.jupyter-selfheal [data-id=\"run\"]')")
    for tab in (tabs.first, tabs.second):
        tab.idle()
    changed: list[bool] = []

    def one_alone() -> bool:
        """A tab that cannot hear yet that it came too late puts its change in, and takes it back."""
        changed[:] = [tab.source(1) != COUNTED for tab in (tabs.first, tabs.second)]
        return sorted(changed) == [False, True]

    assert wait_until(one_alone), changed
    winner = tabs.first if changed[0] else tabs.second
    winner.expect_output(1, "there are 3")
    assert (tabs.server.folder / "runs.txt").read_text() == "xx"


@pytest.mark.slow
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


@pytest.mark.kept_page
@pytest.mark.slow
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
