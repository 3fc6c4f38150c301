"""The language model in JupyterLab: asked after consent alone, what it cost in the status bar, what was sent on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.browser.lab import Lab
from tests.browser.server import Server
from tests.discount import CELL, FIXED, reply

pytestmark = pytest.mark.kept_page


@pytest.fixture
def model() -> Iterator[FakeModelServer]:
    with FakeModelServer([Says(reply("cell-2")), *[Says("{}")] * 20]) as found:
        yield found


def test_model_is_asked_after_consent_and_its_cost_is_told(page: Any, server: Server, model: FakeModelServer) -> None:
    first = (
        "import os\nos.environ.update(ANTHROPIC_API_KEY='sk-ant-test', "
        f"ANTHROPIC_BASE_URL={model.url!r})\n%load_ext jupyter_selfheal"
    )
    lab = Lab(page, server, server.notebook("model.ipynb", [CELL], first=first))
    lab.ready()
    lab.run(1)
    button = lab.cell(1).locator('.jupyter-selfheal [data-id="model"]')
    button.click()
    lab.cell(1).get_by_text("What goes to the model: this cell").wait_for()
    assert model.requests == []
    lab.cell(1).locator('.jupyter-selfheal [data-id="agree"]').click()
    lab.cell(1).locator(".jupyter-selfheal h3", has_text="No discount").wait_for()
    lab.card(1).get_by_text("Could go wrong: a discount was meant").wait_for()
    lab.status("fix ready: go to it · $0.0")
    lab.press(lab.card(1), "run")
    lab.expect_output(1, "total 2")
    assert lab.source(1) == FIXED
    lab.click(1)
    lab.palette("Show What Would Be Sent to a Model")
    told = page.get_by_role("region", name="What goes to a model")
    told.get_by_text("prices['discount']").first.wait_for()
    assert "sk-ant-test" not in told.inner_text()
