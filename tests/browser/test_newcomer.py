"""Who installs the wheel and opens an example: run a failing cell, press Heal, press Approve, see it fixed. In light and dark."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server

EXAMPLE = Path(__file__).parents[2] / "examples/notebooks/01_attribute_error.ipynb"
FAILING = 4


def failing_example(page: Any, server: Server, app: str = "lab/tree", theme: str = "Light") -> Lab:
    """The first example, run down to the cell that fails."""
    shutil.copy(EXAMPLE, server.folder)
    lab = Lab(page, server, EXAMPLE.name, app=app)
    lab.theme(theme)
    for index in (1, 2, FAILING):
        lab.finish(index)
    return lab


@pytest.mark.parametrize(
    ("app", "theme"),
    [
        pytest.param("lab/tree", "Light", marks=pytest.mark.kept_page),
        pytest.param("lab/tree", "Dark", marks=[pytest.mark.kept_page, pytest.mark.slow]),
        pytest.param("notebooks", "Light", marks=pytest.mark.slow),
    ],
)
def test_newcomer_sees_the_cell_fixed_and_its_output(app: str, theme: str, page: Any, server: Server) -> None:
    lab = failing_example(page, server, app, theme)
    lab.heal_button(FAILING).click()
    card = lab.card(FAILING)
    assert "has no total_havest. Did you mean total_harvest?" in card.inner_text()
    card.get_by_role("button", name="Apply & run").click()
    lab.expect_output(FAILING, "Plot 14: 76 kg")
    assert "garden.total_harvest()" in lab.source(FAILING)
    assert lab.cell(FAILING).locator(".jupyter-selfheal").count() == 0
    lab.finish(FAILING + 1)
    assert lab.output(FAILING + 1) == ""
    if theme == "Dark":
        lab.theme("Light")
