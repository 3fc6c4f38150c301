"""Keyboard alone, names and roles, focus, contrast; and JupyterLab's own look in both themes."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.browser.lab import TYPO, Lab
from tests.browser.server import Server
from tests.browser.test_question import ASKED, LAST

pytestmark = pytest.mark.kept_page

OURS = [
    ".jupyter-selfheal", ".jp-SelfHeal-offer", ".jp-SelfHeal-status", ".jp-SelfHeal-sent", ".jp-SelfHeal-review", ".jp-SelfHeal-history",
    ".jp-SelfHeal-healed", ".jp-SelfHeal-mark",
]  # fmt: skip


def violations(page: Any) -> list[str]:
    """What axe-core (https://github.com/dequelabs/axe-core) finds serious in what is ours."""
    from axe_playwright_python.base import AXE_SCRIPT

    page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        "ours => axe.run({include: ours.filter(one => document.querySelector(one)).map(one => [one])})", OURS
    )
    return [
        f"{v['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for v in found["violations"] if v["impact"] in ("serious", "critical") for node in v["nodes"]
    ]  # fmt: skip


class Looks:
    """Collects what axe finds in each state; with ``SELFHEAL_LOOKS`` a folder, keeps a picture of each."""

    def __init__(self, page: Any, theme: str) -> None:
        self.page, self.theme = page, theme
        self.found: list[str] = []

    def at(self, state: str) -> None:
        self.found += [f"{state}: {found}" for found in violations(self.page)]
        if folder := os.environ.get("SELFHEAL_LOOKS"):
            self.page.screenshot(path=f"{folder}/{self.theme}-{state}.png")


@pytest.mark.parametrize("theme", ["Light", pytest.param("Dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_serious_in_any_state(theme: str, page: Any, server: Server) -> None:
    if not os.environ.get("SELFHEAL_BROWSER_REQUIRED"):
        pytest.importorskip("axe_playwright_python")
    lab = Lab(page, server, server.notebook(f"axe-{theme}.ipynb", [TYPO, "1 / 0", LAST, ASKED]))
    looks = Looks(page, theme)
    lab.theme(theme)
    try:
        lab.ready()
        lab.run(1)
        card = lab.card(1)
        card.locator("summary").first.click()
        looks.at("proposed")
        lab.press(card, "reject")
        card.get_by_label("Why? (may be empty)").wait_for()
        looks.at("asks why")
        page.keyboard.press("Escape")
        lab.type_at_end(1, " ")
        lab.type_at_end(1, "# mine")
        lab.press(card, "run")
        card.get_by_text("edited since it failed").wait_for()
        looks.at("refused")
        page.keyboard.press("Control+z")
        lab.click(1)
        while lab.source(1) != TYPO:
            page.keyboard.press("Control+z")
        lab.press(card, "approve")
        lab.card(1, "applied")
        looks.at("applied")
        lab.palette("Suggest Fixes When a Cell Fails")
        lab.status("Self-heal: off")
        lab.run(2)
        lab.heal_button(2).wait_for()
        page.get_by_role("button", name="Self-heal: what can be done").click()
        page.locator(".lm-Menu").wait_for()
        looks.at("menu and Heal button")
        page.keyboard.press("Escape")
        lab.finish(3)
        lab.run(4)
        lab.card(4).locator(".sh-question button").first.wait_for()
        lab.card(4).scroll_into_view_if_needed()
        looks.at("question")
        lab.click(4)
        lab.palette("Show What Would Be Sent to a Model")
        page.get_by_role("region", name="What goes to a model").get_by_text("Nothing was sent").wait_for()
        looks.at("what would be sent")
        page.keyboard.press("Escape")
        lab.command("jupyter-selfheal:history")
        page.locator(".jp-SelfHeal-history article").wait_for()
        looks.at("history")
        lab.click(1)
        lab.command("jupyter-selfheal:review")
        page.locator(".jp-SelfHeal-review:not(.jp-SelfHeal-history) article, .jp-SelfHeal-review-left").first.wait_for()
        looks.at("review")
    finally:
        page.keyboard.press("Escape")
        lab.theme("Light")
    assert looks.found == []


def test_card_is_drawn_by_the_editor_named_and_reached_by_the_tab_key(failed: Lab) -> None:
    card = failed.card(1)
    editor = card.locator(".jp-SelfHeal-diff .cm-editor")
    editor.wait_for()
    assert card.locator("table.sh-diff").count() == 0
    assert "items.appendd(3)" in editor.locator(".cm-deletedChunk").inner_text()
    assert "items.append(3)" in editor.locator(".cm-changedLine").inner_text()
    editor.locator(".cm-line span[class*='ͼ']").first.wait_for()
    assert failed.page.get_by_role("region", name="Self-heal").count() == 1
    assert "AttributeError" in card.get_by_role("status").inner_text()
    names = [b.get_attribute("aria-label") for b in card.get_by_role("button").all() if b.get_attribute("data-id")]
    assert names[0] == "Apply & run: put the fix into the notebook and run it (Alt+Enter)"
    assert all(names)
    assert card.get_by_role("textbox", name="Changes in the cell").count() == 1
    failed.page.keyboard.press("Escape")
    for _ in range(30):
        failed.page.keyboard.press("Tab")
        if failed.page.evaluate("() => document.activeElement.dataset.id") == "run":
            break
    failed.page.keyboard.press("Space")
    failed.expect_output(1, "there are 3")


@pytest.mark.slow
def test_alt_enter_in_the_card_approves(failed: Lab) -> None:
    failed.card(1).locator("summary").first.focus()
    failed.page.keyboard.press("Alt+Enter")
    failed.expect_output(1, "there are 3")


@pytest.mark.slow
def test_focus_goes_to_the_cell_with_the_card(failed: Lab) -> None:
    failed.card(1).locator('[data-id="run"]').focus()
    failed.page.keyboard.press("Enter")
    failed.expect_output(1, "there are 3")
    failed.page.wait_for_function("() => document.activeElement.closest('.jp-Cell')")


@pytest.mark.slow
def test_focus_stays_in_the_card_that_changes(failed: Lab) -> None:
    failed.show_button(failed.card(1), "approve").focus()
    failed.page.keyboard.press("Enter")
    failed.card(1, "applied")
    failed.page.wait_for_function("() => document.activeElement.dataset.id === 'undo'")
    failed.page.keyboard.press("Enter")
    failed.page.wait_for_function("() => document.activeElement.classList.contains('jupyter-selfheal')")
    assert failed.source(1) == TYPO


DRAW_ANEW = """index => {
  const { outputs } = window.jupyterapp.shell.currentWidget.content.widgets[index].model;
  window.cardBefore = document.querySelector('.jupyter-selfheal');
  for (let n = 0; n < outputs.length; n++) outputs.set(n, outputs.get(n).toJSON());
}"""
"""Draw the outputs of a cell anew, as JupyterLab does where a text among them changed."""


@pytest.mark.slow
def test_focus_comes_back_from_a_question(failed: Lab) -> None:
    card = failed.card(1)
    failed.show_button(card, "reject").focus()
    failed.page.keyboard.press("Enter")
    card.get_by_label("Why? (may be empty)").wait_for()
    failed.page.keyboard.press("Escape")
    failed.page.wait_for_function("() => document.activeElement.dataset.id === 'reject'")
    failed.page.keyboard.press("Enter")
    failed.page.wait_for_function("() => document.activeElement.tagName === 'INPUT'")
    failed.page.keyboard.insert_text("no")
    failed.page.evaluate(DRAW_ANEW, 1)
    failed.page.wait_for_function("() => !window.cardBefore.isConnected && document.activeElement.value === 'no'")
    failed.page.keyboard.press("Enter")
    failed.page.wait_for_function("() => !document.querySelector('.jupyter-selfheal[data-phase=\"proposed\"]')")
    failed.expect_focus()


@pytest.mark.slow
def test_heal_button_by_keyboard_keeps_the_focus(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("focus.ipynb", [TYPO], first=""))
    lab.run(0)
    lab.heal_button(0).focus()
    page.keyboard.press("Enter")
    lab.card(0)
    page.wait_for_function("() => document.activeElement.closest('.jp-Cell')")
    lab.expect_focus()
