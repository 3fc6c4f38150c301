"""The command palette, the shortcut, notifications, healing the whole notebook, settings, and what leaves the page."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import TYPO, Lab
from tests.browser.server import Server
from tests.waiting import wait_until

pytestmark = pytest.mark.kept_page

UNIMPORTED = "print('pi is', math.pi)"
SETTINGS = "lab/api/settings/jupyter-selfheal:plugin"


def test_palette_approves(failed: Lab) -> None:
    failed.card(1)
    failed.click(1)
    failed.palette("Approve and Run the Fix")
    failed.expect_output(1, "there are 3")


@pytest.mark.slow
def test_palette_rejects_and_asks_why(failed: Lab) -> None:
    card = failed.card(1)
    failed.click(1)
    failed.palette("Reject the Fix")
    card.get_by_label("Why? (may be empty)").wait_for()
    assert failed.source(1) == TYPO


def test_palette_says_so_where_no_fix_waits(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("nothing.ipynb", ["print('fine')"]))
    lab.ready()
    lab.palette("Approve and Run the Fix")
    page.locator(".Toastify__toast", has_text="No fix is waiting for you").wait_for()
    assert lab.prompt(1).strip() == "[ ]:"


@pytest.mark.slow
def test_palette_shows_what_would_be_sent_before_anything_was(page: Any, server: Server) -> None:
    """Of the selected failing cell, in a kernel that has not even loaded the extension; nothing is healed for it."""
    lab = Lab(page, server, server.notebook("would.ipynb", [TYPO, "print('next')"], first=""))
    lab.finish(0)
    lab.click(0)
    lab.palette("Show What Would Be Sent to a Model")
    dialog = page.locator(".jp-Dialog")
    told = dialog.get_by_role("region", name="What goes to a model")
    told.get_by_text("Nothing was sent to a model for this failure").wait_for()
    text = told.inner_text()
    assert "items.appendd(3)" in text
    assert "'list' object has no attribute 'appendd'" in text
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="detached")
    assert lab.cell(0).locator(".jupyter-selfheal").count() == 0
    assert "Nothing was sent" not in lab.output(0), "the notebook is left as it is"
    lab.expect_focus()


@pytest.mark.slow
def test_what_would_be_sent_is_that_of_the_selected_cell(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("which.ipynb", [TYPO, "print('pi is', math.pi)"]))
    lab.ready()
    lab.finish(1)
    lab.card(1)
    lab.finish(2)
    lab.card(2)
    lab.click(1)
    lab.palette("Show What Would Be Sent to a Model")
    told = page.get_by_role("region", name="What goes to a model")
    told.get_by_text("Nothing was sent to a model for this failure").wait_for()
    assert "'list' object has no attribute 'appendd'" in told.inner_text()


@pytest.mark.slow
def test_menu_of_the_status_bar_has_every_command_by_keyboard(failed: Lab) -> None:
    failed.card(1)
    menu = failed.page.locator(".lm-Menu")
    failed.page.get_by_role("button", name="Self-heal: what can be done").focus()
    failed.page.keyboard.press("Enter")
    menu.wait_for()
    assert menu.locator(".lm-Menu-item").count() == 13
    menu.locator(".lm-mod-toggled svg[data-icon$='check']").wait_for()
    assert menu.locator(".lm-mod-toggled").inner_text().strip() == "Suggest Fixes When a Cell Fails"
    failed.page.keyboard.press("Escape")
    menu.wait_for(state="detached")
    failed.page.wait_for_function("() => document.activeElement.classList.contains('jp-SelfHeal-menu')")
    failed.page.keyboard.press("Enter")
    menu.get_by_text("Approve and Run the Fix").click()
    failed.expect_output(1, "there are 3")


@pytest.mark.slow
def test_palette_switches_suggestions_off_and_on(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("switch.ipynb", [TYPO]))
    lab.ready()
    lab.palette("Suggest Fixes When a Cell Fails")
    lab.status("Self-heal: off")
    lab.run(1)
    lab.heal_button(1).wait_for()
    assert lab.cell(1).locator(".jupyter-selfheal").count() == 0
    lab.palette("Suggest Fixes When a Cell Fails")
    lab.status("Self-heal: idle")
    lab.run(1)
    lab.card(1)


def test_status_bar_and_menu_follow_what_a_cell_switches(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("magic.ipynb", ["%heal off\n%heal auto on"]))
    lab.ready()
    lab.finish(1)
    lab.status("Self-heal: off")
    toggled = (
        "() => ['off', 'auto'].map(name => window.jupyterapp.commands.isToggled('jupyter-selfheal:' + name)).join()"
    )
    page.wait_for_function(f"() => ({toggled})() === 'false,true'")
    assert page.evaluate(toggled) == "false,true"


def fail_out_of_sight(page: Any, server: Server, name: str) -> tuple[Lab, Any]:
    """A notebook whose second cell failed above what is in view, and the notification of its fix."""
    slow = f"import os, time\nwhile not os.path.exists('{name}'):\n    time.sleep(0.05)\n" + TYPO
    lab = Lab(page, server, server.notebook(f"{name}.ipynb", [slow, *["\n" * 12] * 12, "%heal approve"]))
    lab.ready()
    lab.run(1)
    lab.click(14)
    (server.folder / name).touch()
    toast = page.locator(".Toastify__toast", has_text="fix ready")
    toast.wait_for()
    # as if much time had gone by: it has come to rest, and one that closes by itself is closing
    page.evaluate("() => document.querySelector('.Toastify').getAnimations({ subtree: true }).forEach(a => a.finish())")
    return lab, toast


@pytest.mark.slow
def test_notification_of_a_fix_out_of_sight_stays_and_leads_there(page: Any, server: Server) -> None:
    _, toast = fail_out_of_sight(page, server, "far")
    toast.get_by_role("button", name="Show").click()
    seen = "() => document.querySelector('.jupyter-selfheal').getBoundingClientRect().top < window.innerHeight"
    page.wait_for_function(seen)
    assert page.evaluate(seen), "Show scrolls to the card"
    toast.wait_for(state="detached")


@pytest.mark.slow
def test_notification_goes_once_its_card_is_seen(page: Any, server: Server) -> None:
    lab, toast = fail_out_of_sight(page, server, "come-by")
    lab.cell(1).evaluate("cell => cell.querySelector('.jupyter-selfheal').scrollIntoView()")
    toast.wait_for(state="detached")
    assert lab.card(1).is_visible()


@pytest.mark.slow
def test_notification_goes_once_the_fix_is_approved_elsewhere(page: Any, server: Server) -> None:
    lab, toast = fail_out_of_sight(page, server, "elsewhere")
    lab.run(14)
    lab.expect_output(1, "there are 3")
    toast.wait_for(state="detached")


@pytest.mark.slow
def test_notification_leads_to_a_notebook_that_is_not_in_front(page: Any, server: Server) -> None:
    slow = "import os, time\nwhile not os.path.exists('in-front'):\n    time.sleep(0.05)\n" + TYPO
    lab = Lab(page, server, server.notebook("behind.ipynb", [slow]))
    lab.ready()
    lab.run(1)
    lab.open(server.notebook("front.ipynb", ["1"]))
    (server.folder / "in-front").touch()
    toast = page.locator(".Toastify__toast", has_text="fix ready")
    toast.get_by_role("button", name="Show").click()
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.context?.path === 'behind.ipynb'")
    lab.press(lab.card(1), "run")
    lab.expect_output(1, "there are 3")


@pytest.mark.slow
def test_whole_notebook_stops_at_each_proposal(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("whole.ipynb", [TYPO, UNIMPORTED, "print('the end')"], first=""))
    lab.palette("Heal the Whole Notebook")
    card = lab.card(0)
    lab.status("cell 1 of 3")
    lab.press(card, "run")
    lab.expect_output(0, "there are 3")
    card = lab.card(1)
    lab.status("cell 2 of 3")
    assert lab.prompt(2).strip() == "[ ]:"
    lab.press(card, "run")
    lab.expect_output(1, "pi is 3.14")
    lab.expect_output(2, "the end")
    page.locator(".Toastify__toast", has_text="All 3 cells have run").wait_for()
    assert "of 3" not in page.locator(".jp-SelfHeal-status").inner_text()


@pytest.mark.slow
def test_whole_notebook_goes_on_after_a_cell_that_is_meant_to_fail(page: Any, server: Server) -> None:
    cells = ["raise ValueError('meant')", "print('the end')"]
    lab = Lab(page, server, server.notebook("meant.ipynb", cells, cell_1={"tags": ["raises-exception"]}))
    lab.palette("Heal the Whole Notebook")
    lab.expect_output(2, "the end")
    assert lab.cell(1).locator(".jupyter-selfheal").count() == 0


@pytest.mark.slow
def test_whole_notebook_goes_on_below_what_cannot_be_healed(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("stuck.ipynb", ["raise ValueError('no fix')", "print('next')"]))
    lab.palette("Heal the Whole Notebook")
    page.locator(".Toastify__toast", has_text="still failing: cell 2").wait_for()
    lab.expect_output(2, "next")


@pytest.mark.slow
def test_whole_notebook_does_not_wait_where_no_heal_began(page: Any, server: Server) -> None:
    """The page's clock stands still, so that no patience of the page's ends."""
    lab = Lab(page, server, server.notebook("wrong.ipynb", ["%heal undo", "print('next')"]))
    page.evaluate("() => { const now = Date.now(); window.realNow = Date.now; Date.now = () => now; }")
    lab.palette("Heal the Whole Notebook")
    page.locator(".Toastify__toast", has_text="still failing: cell 2").wait_for()
    lab.expect_output(2, "next")
    page.evaluate("() => { Date.now = window.realNow; }")


@pytest.mark.slow
def test_whole_notebook_is_stopped_while_a_cell_runs(page: Any, server: Server) -> None:
    slow = "import os, time\nwhile not os.path.exists('go-on'):\n    time.sleep(0.05)"
    lab = Lab(page, server, server.notebook("running.ipynb", [slow, "print('next')"]))
    lab.palette("Heal the Whole Notebook")
    lab.status("cell 2 of 3")
    page.get_by_role("button", name="Stop healing the notebook").click()
    lab.status("stopping after this cell")
    (server.folder / "go-on").touch()
    page.wait_for_function("() => !document.querySelector('.jp-SelfHeal-status').textContent.includes('stopping')")
    lab.idle()
    assert lab.prompt(2).strip() == "[ ]:"


@pytest.mark.slow
def test_whole_notebook_can_be_stopped(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("stopped.ipynb", [TYPO, "print('next')"]))
    lab.palette("Heal the Whole Notebook")
    card = lab.card(1)
    page.get_by_role("button", name="Stop healing the notebook").click()
    page.wait_for_function("() => !document.querySelector('.jp-SelfHeal-status').textContent.includes('of 3')")
    lab.press(card, "run")
    lab.expect_output(1, "there are 3")
    lab.idle()
    assert lab.prompt(2).strip() == "[ ]:"


@pytest.mark.slow
def test_whole_notebook_approves_safe_fixes_where_that_is_on(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("auto.ipynb", [UNIMPORTED, "print('the end')"], first="''"))
    lab.palette("Approve Safe Fixes Without Asking")
    page.wait_for_function("() => window.jupyterapp.commands.isToggled('jupyter-selfheal:auto')")
    lab.palette("Heal the Whole Notebook")
    lab.expect_output(1, "pi is 3.14")
    lab.expect_output(2, "the end")
    assert lab.source(1) == "import math\n" + UNIMPORTED


def shows(lab: Lab, name: str, line: str) -> None:
    """Wait until `%heal config` in the notebook's second cell prints that."""
    lab.command("docmanager:open", path=name)
    lab.opened()

    def printed() -> bool:
        lab.finish(1)
        return line in lab.output(1)

    assert wait_until(printed), (line, lab.output(1))


@pytest.mark.slow
def test_settings_reach_the_kernel(page: Any, server: Server) -> None:
    server.call("PUT", SETTINGS, {"raw": '{"budget_usd": 0.03, "healers": ["rules"], "offline": true}'})
    page.goto("about:blank")  # a page that another test left has read its settings
    try:
        lab = Lab(page, server, server.notebook("settings.ipynb", ["%heal config"]))
        lab.ready()
        shows(lab, "settings.ipynb", "c.SelfHeal.budget_usd = 0.03")  # the page tells them once it knows the extension
        assert "c.SelfHeal.healers = ('rules',)" in lab.output(1)
        assert "c.SelfHeal.offline = True" in lab.output(1)
        lab.command("settingeditor:open", query="Self-heal")
        field = page.locator('input[id$="_budget_usd"]').first
        field.fill("0.07")
        field.press("Tab")
        shows(lab, "settings.ipynb", "c.SelfHeal.budget_usd = 0.07")
        server.call("PUT", SETTINGS, {"raw": "{}"})
        page.reload()
        lab.opened()
        shows(lab, "settings.ipynb", "c.SelfHeal.budget_usd = 0.1")
    finally:
        server.call("PUT", SETTINGS, {"raw": "{}"})


def test_nothing_of_the_notebook_leaves_the_machine(page: Any, server: Server) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:")))
    lab = Lab(page, server, server.notebook("local.ipynb", ["prices = [1, 2, 3]", "print('sum', sum(prices))"]))
    lab.ready()
    lab.run(2)
    lab.press(lab.card(2), "run")
    lab.expect_output(2, "sum 6")
    assert len(asked) > 10
    assert [url for url in asked if not url.startswith((server.url, "data:", "blob:"))] == []
