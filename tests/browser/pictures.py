"""Make the pictures of the docs anew: ``python -m tests.browser.pictures [FOLDER]`` (``docs/images``)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server

DATA = "sold = {'north': [12, 5], 'south': [7, 9, 4], 'west': [3]}"
FAILS = (
    "totals = {region: sum(units) for region, units in sold.itms()}\nprint('best region:', max(totals, key=totals.get))"
)


def _shot(lab: Lab, theme: str, folder: Path) -> None:
    lab.command("apputils:change-theme", theme=f"JupyterLab {theme}")
    lab.page.wait_for_function(
        "light => document.body.dataset.jpThemeLight === light", arg="true" if theme == "Light" else "false"
    )
    lab.page.wait_for_timeout(1000)  # the theme's style sheets come one by one, and nothing tells of the last
    lab.page.screenshot(path=folder / f"lab-{theme.lower()}.png")


def test_pictures(page: Any, server: Server) -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size({"width": 1000, "height": 700})
    lab = Lab(page, server, server.notebook("sales.ipynb", [DATA, FAILS]))
    lab.command("application:toggle-left-area")
    lab.ready()
    lab.run(1)
    lab.idle()
    lab.run(2)
    lab.card(2).locator(".jp-SelfHeal-diff .cm-editor").wait_for()
    lab.card(2).scroll_into_view_if_needed()
    for theme in ("Dark", "Light"):
        _shot(lab, theme, folder)
    lab = Lab(page, server, server.notebook("fresh.ipynb", [DATA, FAILS], first=""))
    lab.run(0)
    lab.idle()
    lab.run(1)
    lab.heal_button(1).wait_for()
    page.screenshot(path=folder / "heal-button.png")


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))
