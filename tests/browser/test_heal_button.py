"""The Heal button and its shortcut: which failure they are about, and what they do where the kernel no longer has it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server

pytestmark = pytest.mark.kept_page

OTHER = "rows = [1]\nrows.appendd(2)\nprint('rows', rows)"
ERROR = {
    "output_type": "error",
    "ename": "AttributeError",
    "evalue": "'list' object has no attribute 'appendd'",
    "traceback": ["AttributeError: 'list' object has no attribute 'appendd'"],
}


def two_failures(page: Any, server: Server, name: str, first: str = TYPO) -> Lab:
    """A notebook, without our extension in its kernel, whose two cells have failed, one after the other."""
    lab = Lab(page, server, server.notebook(name, [first, OTHER], first=""))
    lab.finish(0)
    lab.finish(1)
    lab.heal_button(1).wait_for()
    return lab


def test_button_works_where_the_extension_is_not_loaded(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("button.ipynb", [TYPO], first=""))
    lab.run(0)
    button = lab.heal_button(0)
    assert "nothing changes until you approve (Alt+H)" in str(button.get_attribute("title"))
    assert button.locator("svg").count() == 1
    button.click()
    lab.press(lab.card(0), "run")
    lab.expect_output(0, "there are 3")


@pytest.mark.slow
def test_older_failure_is_run_again_if_the_user_wants_that(page: Any, server: Server) -> None:
    lab = two_failures(page, server, "older.ipynb")
    before = lab.prompt(0)
    lab.heal_button(0).click()
    dialog = page.locator(".jp-Dialog")
    dialog.get_by_text("Another cell has failed since").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    dialog.wait_for(state="detached")
    assert lab.prompt(0) == before
    assert lab.cell(0).locator(".jupyter-selfheal").count() == 0
    lab.heal_button(0).click()
    dialog.get_by_role("button", name="Run again").click()
    lab.press(lab.card(0), "run")
    lab.expect_output(0, "there are 3")
    assert lab.source(0) == FIXED
    assert lab.source(1) == OTHER


def test_older_failure_that_runs_now_needs_no_healing(page: Any, server: Server) -> None:
    once = "if 'seen' not in globals():\n    seen = True\n    raise ValueError('once')\nprint('now it runs')"
    lab = two_failures(page, server, "once.ipynb", once)
    lab.heal_button(0).click()
    page.locator(".jp-Dialog").get_by_role("button", name="Run again").click()
    lab.expect_output(0, "now it runs")
    lab.idle()
    assert lab.cell(0).locator(".jupyter-selfheal").count() == 0
    assert lab.heal_button(0).count() == 0
    assert lab.heal_button(1).count() == 1


@pytest.mark.slow
def test_older_failure_is_healed_where_suggestions_are_off(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("off.ipynb", [TYPO, OTHER], first="%load_ext jupyter_selfheal\n%heal off"))
    lab.ready()
    lab.finish(1)
    lab.finish(2)
    lab.heal_button(1).click()
    page.locator(".jp-Dialog").get_by_role("button", name="Run again").click()
    lab.press(lab.card(1), "run")
    lab.expect_output(1, "there are 3")


@pytest.mark.slow
def test_failure_stored_in_the_file_has_the_button(page: Any, server: Server) -> None:
    cell = {"cell_type": "code", "id": "a", "source": TYPO, "metadata": {}, "outputs": [ERROR], "execution_count": 3}
    lab = Lab(page, server, server.write("stored.ipynb", [cell]))
    lab.heal_button(0).click()
    dialog = page.locator(".jp-Dialog")
    dialog.get_by_text("It has not failed in this kernel").wait_for()
    dialog.get_by_role("button", name="Run again").click()
    lab.press(lab.card(0), "run")
    lab.expect_output(0, "there are 3")


def test_button_goes_with_the_output(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("cleared.ipynb", [TYPO], first=""))
    lab.run(0)
    lab.heal_button(0).wait_for()
    lab.command("notebook:clear-cell-output")
    lab.heal_button(0).wait_for(state="detached")
    assert lab.cell(0).locator(".jp-OutputArea-output").count() == 0


@pytest.mark.slow
def test_shortcut_heals_the_last_failure_and_then_leads_to_its_card(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("shortcut.ipynb", [TYPO, "print('next')"], first=""))
    lab.click(0)
    page.keyboard.press("Shift+Enter")  # goes on to the next cell
    lab.heal_button(0).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+h")
    lab.card(0)
    page.keyboard.press("Alt+h")
    page.wait_for_function("() => document.activeElement.dataset.id === 'run'")
    page.keyboard.press("Enter")
    lab.expect_output(0, "there are 3")
    assert lab.source(0) == FIXED


def test_shortcut_says_so_where_nothing_failed(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("healthy.ipynb", ["print('fine')"], first=""))
    lab.finish(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+h")
    page.locator(".Toastify__toast", has_text="No cell has failed here").wait_for()
    assert lab.output(0).strip() == "fine"


@pytest.mark.slow
def test_card_of_the_shortcut_is_kept_in_the_saved_notebook(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("kept.ipynb", [TYPO], first=""))
    lab.run(0)
    lab.heal_button(0).click()
    lab.press(lab.card(0), "approve")
    lab.card(0, "applied")
    assert lab.source(0) == FIXED
    lab.save()
    outputs = server.saved("kept.ipynb")["cells"][0]["outputs"]
    texts = ["".join(o["data"]["text/plain"]) for o in outputs if o["output_type"] == "display_data"]
    first = "Self-heal: AttributeError: 'list' object has no attribute 'appendd': fixed"
    assert [t.splitlines()[0] for t in texts] == [first]
