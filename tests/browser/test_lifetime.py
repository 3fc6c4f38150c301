"""Reload, restart, death, a second tab, a saved notebook: nothing dead can be clicked, nothing is applied twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server


def no_button(lab: Lab, index: int) -> None:
    assert lab.cell(index).locator(".jupyter-selfheal button").count() == 0


@pytest.mark.kept_page
def test_reloaded_page_goes_on_with_the_card(failed: Lab) -> None:
    failed.card(1)
    failed.save()
    failed.page.reload()
    failed.opened()
    failed.press(failed.card(1), "run")
    failed.expect_output(1, "there are 3")
    assert failed.source(1) == FIXED


@pytest.mark.kept_page
@pytest.mark.slow
def test_restarted_kernel_leaves_the_text_and_no_button(page: Any, server: Server) -> None:
    of_the_state = ":is(.sh-warning, .sh-note):visible"
    failed = Lab(page, server, server.notebook("restarted.ipynb", [TYPO, "more = 1"]))
    failed.ready()
    failed.run(1)
    failed.card(1)
    failed.run(2)
    failed.card(1).locator(of_the_state).first.wait_for()
    failed.command("kernelmenu:restart")
    failed.page.locator(".jp-Dialog .jp-mod-accept").click()
    card = failed.card(1, "lost")
    card.get_by_text("the kernel this was proven in is gone").wait_for()
    no_button(failed, 1)
    assert card.locator(of_the_state).count() == 0, "what it says of the state is true no longer"
    card.filter(has_text="items.append(3)").wait_for()
    failed.status("idle")  # once used here, it is loaded again
    failed.idle()
    reload = "kernel => kernel.requestExecute({ code: '%reload_ext jupyter_selfheal' }).done.then(() => null)"
    failed.page.evaluate(f"() => ({reload})(window.jupyterapp.shell.currentWidget.sessionContext.session.kernel)")
    failed.status("idle")
    failed.run(1)
    failed.press(failed.card(1), "run")
    failed.expect_output(1, "there are 3")


@pytest.mark.kept_page
@pytest.mark.slow
def test_dead_kernel_leaves_the_text_and_no_button(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("death.ipynb", [TYPO, "import os\nos.kill(os.getpid(), 9)"]))
    lab.ready()
    lab.run(1)
    lab.card(1)
    lab.run(2)
    card = lab.card(1, "lost")
    no_button(lab, 1)
    card.filter(has_text="items.append(3)").wait_for()
    assert lab.source(1) == TYPO


@pytest.mark.kept_page
@pytest.mark.slow
def test_kernel_that_dies_while_it_heals_leaves_no_button(page: Any, server: Server) -> None:
    slow = (
        "import os, time\nif os.path.exists('failed'):\n    time.sleep(600)  # a trial\nopen('failed', 'w').close()\n"
        + TYPO
    )
    lab = Lab(page, server, server.notebook("dies.ipynb", [slow, "import os\nos.kill(os.getpid(), 9)"]))
    lab.ready()
    lab.finish(1)
    lab.cell(1).locator('.jupyter-selfheal[data-phase="healing"]').wait_for()
    lab.run(2)
    card = lab.card(1, "lost")
    card.get_by_text("its kernel is gone").wait_for()
    assert "its kernel is gone: run the cell again" in card.inner_text()
    assert "proven" not in card.inner_text()
    no_button(lab, 1)


@pytest.mark.kept_page
@pytest.mark.slow
def test_notebook_opened_later_shows_the_saved_text(failed: Lab) -> None:
    failed.card(1)
    failed.save()
    failed.page.goto("about:blank")
    failed.server.end_kernels()
    lab = Lab(failed.page, failed.server, "test_notebook_opened_later_shows_the_saved_text.ipynb")
    lab.cell(1).get_by_text("From an earlier kernel").wait_for()
    no_button(lab, 1)
    assert "+items.append(3)" in lab.output(1)
    assert "Error displaying widget" not in lab.output(1)


@pytest.mark.slow
@pytest.mark.kept_page
def test_saved_card_is_readable_where_the_notebook_is_not_trusted(failed: Lab) -> None:
    """As HTML, because no widget is drawn there; the name of the copy is one that this server has not signed."""
    failed.card(1)
    failed.save()
    cells = failed.server.saved("test_saved_card_is_readable_where_the_notebook_is_not_trusted.ipynb")["cells"]
    failed.page.goto("about:blank")
    failed.server.end_kernels()
    cells[0]["source"] = "print('not signed')"
    lab = Lab(failed.page, failed.server, failed.server.write("not-trusted.ipynb", cells))
    lab.cell(1).locator("strong", has_text="fix ready, tested").wait_for()
    diff = lab.cell(1).locator(".jp-RenderedHTMLCommon pre", has_text="+items.append(3)").first
    assert "-items.appendd(3)" in diff.inner_text()
    no_button(lab, 1)


@pytest.mark.kept_page
def test_clicking_twice_applies_once(failed: Lab) -> None:
    card = failed.card(1)
    failed.page.evaluate(
        "() => { const button = document.querySelector('.jupyter-selfheal [data-id=\"approve\"]'); button.click(); button.click(); }"
    )
    failed.card(1, "applied")
    assert failed.source(1) == FIXED
    assert card.get_by_text("edited since it failed").count() == 0


@pytest.mark.slow
def test_used_in_every_notebook_it_tells_how_a_kernel_died(page: Any, server: Server) -> None:
    settings = "lab/api/settings/jupyter-selfheal:plugin"
    server.call("PUT", settings, {"raw": '{"always_on": true}'})
    try:
        crash = "import faulthandler\nfaulthandler._sigsegv()"
        lab = Lab(page, server, server.notebook("crashed.ipynb", ["x = 1", crash], first=""))
        lab.status("idle")
        lab.finish(0)
        lab.run(1)
        told = lab.cell(1).locator(".jp-SelfHeal-died")
        told.get_by_text("The kernel died in this cell: a segmentation fault").wait_for()
        assert "It stood at line 2: faulthandler._sigsegv()" in told.inner_text()
    finally:
        server.call("PUT", settings, {"raw": "{}"})


SAY_LATE = """code => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel
    .requestExecute({ code, store_history: false }).done.then(() => null)"""


@pytest.mark.slow
@pytest.mark.kept_page
def test_what_was_healed_is_told_and_undone_after_a_reload_and_a_restart(page: Any, server: Server) -> None:
    name = "prices = {'pear': 2}\nprint(prices['pera'])"
    lab = Lab(page, server, server.notebook("told.ipynb", [TYPO, name]))
    lab.ready()
    for index in (1, 2):
        lab.run(index)
        lab.press(lab.card(index), "run")
        lab.cell(index).locator(".jp-SelfHeal-healed").wait_for()
    lab.save()
    page.reload()
    lab.opened()
    line = lab.cell(1).locator(".jp-SelfHeal-healed")
    line.get_by_text("Healed: Change .appendd to .append").wait_for()
    line.get_by_role("button", name="Details").click()
    line.locator("pre", has_text="proven from").wait_for()
    line.get_by_role("button", name="Undo").click()
    lab.expect_source(1, TYPO)
    line.get_by_text("the old source is back").wait_for()
    assert line.get_by_role("button", name="Details").evaluate("b => b === document.activeElement"), (
        "the focus is not lost with Undo"
    )
    page.evaluate(SAY_LATE, "def late(heal): heal.is_undone, heal.card = False, heal.card.with_(headline='told late')\n"
                            "for heal in get_ipython()._jupyter_selfheal.heals: late(heal)")  # fmt: skip
    notebook = page.evaluate_handle("() => window.jupyterapp.shell.currentWidget")
    lab.command("jupyter-selfheal:history")
    panel = page.locator(".jp-SelfHeal-history")
    panel.locator("article", has_text="'pera'").get_by_text("told late").wait_for()
    panel.get_by_text(
        "Undone: the old source is back."
    ).wait_for()  # what the kernel said before it knew takes nothing back
    lab.watch_status()
    notebook.evaluate("notebook => void notebook.sessionContext.session.kernel.restart()")
    lab.expect_said("Self-heal: not loaded")
    panel.get_by_text("Undone: the old source is back.").wait_for()
    panel.get_by_role("button", name="Undo").click()
    panel.locator("article", has_text="'pera'").get_by_text("Undone").wait_for()
    lab.expect_source(2, name)
    lab.status("Self-heal: idle")  # the kernel is there again, with the extension


# The second one waits until the server has done the first: of two at once it leaves a kernel that answers nobody.
RESTART_TWICE = """() => {
    const context = window.jupyterapp.shell.currentWidget.sessionContext;
    const kernel = context.session.kernel;
    let restarts = 1;
    const again = (_, { direction, msg }) => {
        if (restarts === 1 && connected && direction === 'send' && msg.content.code?.includes('jupyter_selfheal')) {
            restarts = 2;
            void kernel.restart();
        }
    };
    let connected = false;
    context.connectionStatusChanged.connect((_, status) => { connected = status === 'connected'; });
    kernel.anyMessage.connect(again);
    void kernel.restart();
    window.restarts = () => restarts;
}"""


@pytest.mark.slow
@pytest.mark.kept_page
def test_a_second_restart_that_cancels_the_loading_does_not_lose_the_extension(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("twice.ipynb", [TYPO]))
    lab.ready()
    lab.status("Self-heal: idle")
    page.evaluate(RESTART_TWICE)
    page.wait_for_function("() => window.restarts() === 2")
    lab.status("Self-heal: idle")
    assert page.locator(".jp-SelfHeal-status").inner_text() == "Self-heal: idle"
