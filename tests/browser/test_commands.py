"""The command palette, the shortcut, notifications, healing the whole notebook, settings, and what leaves the page."""

from __future__ import annotations

import json
from typing import Any

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

UNIMPORTED = "print('pi is', math.pi)"
SETTINGS = "lab/api/settings/jupyter-selfheal:plugin"


def test_shortcut_heals_the_cell_where_the_extension_is_not_loaded(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("shortcut.ipynb", [TYPO], first=""))
    lab.run(0)
    lab.cell(0).get_by_role("button", name="Heal this cell").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+h")
    lab.press(lab.card(0), "approve")
    lab.card(0, "applied")
    assert lab.source(0) == FIXED
    lab.save()
    saved = json.loads((server.folder / "shortcut.ipynb").read_text())
    texts = [
        "".join(o["data"]["text/plain"]) for o in saved["cells"][0]["outputs"] if o["output_type"] == "display_data"
    ]
    assert [t.splitlines()[0] for t in texts] == [
        "Self-heal: AttributeError: 'list' object has no attribute 'appendd': fixed"
    ]


def test_palette_approves(failed: Lab) -> None:
    failed.card(1)
    failed.click(1)
    failed.palette("Self-heal: approve & run the fix")
    failed.expect_output(1, "there are 3")


def test_palette_rejects_and_says_what_was_sent(failed: Lab) -> None:
    card = failed.card(1)
    failed.click(1)
    failed.palette("Self-heal: reject the fix")
    card.get_by_label("Why? (may be empty)").wait_for()
    failed.palette("Self-heal: show what was sent")
    failed.cell(1).get_by_text("Nothing was sent to a model").wait_for()


def test_palette_switches_suggestions_off_and_on(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("switch.ipynb", [TYPO]))
    lab.ready()
    lab.palette("Self-heal: switch suggestions off or on")
    lab.status("Self-heal: off")
    lab.run(1)
    lab.cell(1).get_by_role("button", name="Heal this cell").wait_for()
    assert lab.cell(1).locator(".jupyter-selfheal").count() == 0
    lab.palette("Self-heal: switch suggestions off or on")
    lab.status("Self-heal: idle")
    lab.run(1)
    lab.card(1)


def test_notification_tells_of_a_fix_out_of_sight(page: Any, server: Server) -> None:
    slow = "import os, time\nwhile not os.path.exists('seen'):\n    time.sleep(0.05)\n" + TYPO
    lab = Lab(page, server, server.notebook("far.ipynb", [slow, *["\n" * 12] * 12]))
    lab.ready()
    lab.run(1)
    lab.click(12)
    (server.folder / "seen").touch()
    toast = page.locator(".Toastify__toast", has_text="A proven fix is ready")
    toast.wait_for()
    toast.get_by_role("button", name="Show").click()
    page.wait_for_function(
        "() => document.querySelector('.jupyter-selfheal').getBoundingClientRect().top < window.innerHeight"
    )


def test_whole_notebook_stops_at_each_proposal(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("whole.ipynb", [TYPO, UNIMPORTED, "print('the end')"], first=""))
    lab.palette("Self-heal: heal the whole notebook")
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
    page.wait_for_function("() => !document.querySelector('.jp-SelfHeal-status').textContent.includes('of 3')")


def test_whole_notebook_can_be_stopped(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("stopped.ipynb", [TYPO, "print('next')"]))
    lab.palette("Self-heal: heal the whole notebook")
    card = lab.card(1)
    page.get_by_role("button", name="Stop healing the notebook").click()
    page.wait_for_function("() => !document.querySelector('.jp-SelfHeal-status').textContent.includes('of 3')")
    lab.press(card, "run")
    lab.expect_output(1, "there are 3")
    lab.idle()
    assert lab.prompt(2).strip() == "[ ]:"


def test_whole_notebook_approves_safe_fixes_where_that_is_on(page: Any, server: Server) -> None:
    first = "%load_ext jupyter_selfheal\n%heal auto on"
    lab = Lab(page, server, server.notebook("auto.ipynb", [UNIMPORTED, "print('the end')"], first=first))
    lab.palette("Self-heal: heal the whole notebook")
    lab.expect_output(1, "pi is 3.14")
    lab.expect_output(2, "the end")
    assert lab.source(1) == "import math\n" + UNIMPORTED


def test_settings_reach_the_kernel(page: Any, server: Server) -> None:
    server.call("PUT", SETTINGS, {"raw": '{"budget_usd": 0.03, "healers": ["rules"], "offline": true}'})
    try:
        lab = Lab(page, server, server.notebook("settings.ipynb", ["%heal config"]))
        lab.ready()
        lab.run(1)
        lab.expect_output(1, "c.SelfHeal.budget_usd = 0.03")
        assert "c.SelfHeal.healers = ('rules',)" in lab.output(1)
        assert "c.SelfHeal.offline = True" in lab.output(1)
        lab.command("settingeditor:open", query="Self-heal")
        field = page.locator('input[id$="_budget_usd"]').first
        field.fill("0.07")
        field.press("Tab")
        page.wait_for_function("() => !document.querySelector('.jp-SettingsPanel .jp-mod-dirty')")
        lab.command("docmanager:open", path="settings.ipynb")
        lab.opened()
        for _ in range(20):
            lab.run(1)
            lab.idle()
            if "budget_usd = 0.07" in lab.output(1):
                break
        assert "c.SelfHeal.budget_usd = 0.07" in lab.output(1)
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
