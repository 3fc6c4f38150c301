"""Make the pictures of the docs anew: ``python -m tests.browser.pictures [FOLDER]`` (``docs/images``)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server
from tests.browser.test_newcomer import FAILING, failing_example
from tests.browser.test_question import ASKED, LAST

DATA = "sold = {'north': [12, 5], 'south': [7, 9, 4], 'west': [3]}"
FAILS = (
    "totals = {region: sum(units) for region, units in sold.itms()}\nprint('best region:', max(totals, key=totals.get))"
)
TEACH = "%config SelfHeal.teach = True"
SCORES = "import pandas as pd\nscores = pd.DataFrame({'name': ['Ada', 'Max', 'Eva'], 'points': [31, 27, 40]})"
AVERAGES = "best = scores['points'].max()\nprint(scores.loc[scores['point'] == best, 'name'])"
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")


def shot(lab: Lab, name: str) -> bytes:
    """The picture, which is in the folder then."""
    lab.page.mouse.move(500, 695)
    lab.page.wait_for_timeout(1000)  # a theme's style sheets come one by one, and nothing tells of the last
    picture: bytes = lab.page.screenshot(path=FOLDER / f"{name}.png")
    return picture


def test_card_in_both_themes(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    lab = Lab(page, server, server.notebook("sales.ipynb", [DATA, FAILS]))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.finish(1)
    lab.run(2)
    lab.card(2).locator(".jp-SelfHeal-diff .cm-editor").wait_for()
    for theme in ("Dark", "Light"):
        lab.theme(theme)
        assert shot(lab, f"lab-{theme.lower()}")


def test_newcomer(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1000, "height": 860})
    lab = failing_example(page, server)
    lab.command("application:toggle-left-area")
    lab.heal_button(FAILING).scroll_into_view_if_needed()
    assert shot(lab, "heal-button")
    lab.heal_button(FAILING).click()
    lab.press(lab.card(FAILING), "run")
    lab.expect_output(FAILING, "76 kg")
    lab.page.mouse.move(500, 500)
    lab.page.mouse.wheel(0, -2000)
    assert shot(lab, "lab-healed")


def test_notebook_7(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1000, "height": 820})
    lab = failing_example(page, server, "notebooks")
    lab.heal_button(FAILING).click()
    lab.card(FAILING).locator(".jp-SelfHeal-diff .cm-editor").wait_for()
    lab.card(FAILING).scroll_into_view_if_needed()
    assert shot(lab, "notebook7-card")


def test_question(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    lab = Lab(page, server, server.notebook("question.ipynb", [LAST, ASKED]))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.finish(1)
    lab.run(2)
    lab.card(2).locator(".sh-question button").first.wait_for()
    lab.card(2).locator(".sh-question").scroll_into_view_if_needed()
    assert shot(lab, "question")


def test_cells_below(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1000, "height": 560})
    first = "%load_ext jupyter_selfheal\n%heal ahead on"
    cells = [DATA, FAILS, "print(sum(totals.values()), 'in all')", "!ls"]
    lab = Lab(page, server, server.notebook("ahead.ipynb", cells, first=first))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.finish(1)
    lab.cell(4).locator(".jp-SelfHeal-mark").wait_for()
    assert shot(lab, "lab-ahead")


def test_review(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1200, "height": 700})
    cells = [DATA, FAILS, "print(sold['noth'])", "open('prices/2024.csv')"]
    lab = Lab(page, server, server.notebook("sales.ipynb", cells))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.command("jupyter-selfheal:review")
    page.locator(".jp-SelfHeal-review article").first.wait_for()
    page.keyboard.press("a")
    assert shot(lab, "lab-review")


def test_why_it_failed(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    lab = Lab(page, server, server.notebook("lesson.ipynb", [TEACH, SCORES, AVERAGES]))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.finish(1)
    lab.finish(2)
    lab.run(3)
    lab.card(3).get_by_text("Hint: look at line").wait_for()
    lab.card(3).scroll_into_view_if_needed()
    assert shot(lab, "lab-lesson")


def test_history(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1200, "height": 600})
    lab = Lab(page, server, server.notebook("sales.ipynb", [DATA, FAILS, "print(sold['noth'])"]))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.finish(1)
    for failing in (2, 3):
        lab.run(failing)
        lab.press(lab.card(failing), "run")
        lab.cell(failing).locator(".jp-SelfHeal-healed").wait_for()
    lab.palette("Show What Was Healed")
    page.locator(".jp-SelfHeal-history").get_by_text("'north'").first.wait_for()
    assert shot(lab, "lab-history")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))
