"""Healing in JupyterLab with our extension: every flow by real clicks."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.lab import FIXED, TYPO, Lab
from tests.browser.server import Server
from tests.waiting import wait_until

pytestmark = pytest.mark.kept_page


def test_approve_and_run_puts_the_fix_into_the_cell(failed: Lab) -> None:
    failed.press(failed.card(1), "run")
    failed.expect_output(1, "there are 3")
    assert failed.source(1) == FIXED
    line = failed.cell(1).locator(".jp-SelfHeal-healed")
    line.get_by_text("Healed:").wait_for()
    line.get_by_role("button", name="Details").click()
    line.locator("pre", has_text="proven from").wait_for()
    line.get_by_role("button", name="Undo").click()
    failed.expect_source(1, TYPO)
    line.get_by_text("the old source is back").wait_for()
    failed.expect_output(1, "object has no attribute 'appendd'")
    assert "there are 3" not in failed.output(1), "what the fix printed goes with it"
    failed.heal_button(1).wait_for()


COUNT_REDRAWN = """() => {
  window.redrawn = 0;
  const isOffer = node => node instanceof Element && (node.matches(OFFER) || node.querySelector(OFFER));
  new MutationObserver(changes => changes.forEach(change => { window.redrawn += [...change.removedNodes].filter(isOffer).length; }))
    .observe(document.body, { childList: true, subtree: true });
}""".replace("OFFER", repr('.jupyter-selfheal[data-phase="proposed"]'))
"""Count the cards with a fix that go from now on."""


@pytest.mark.slow
def test_what_is_shown_is_what_apply_and_run_gives(page: Any, server: Server) -> None:
    """What the cell did before it failed is done twice, and "After" shows it so. Once its buttons are there, the card is not drawn anew."""
    half_way = "seen.append('x')\nfor i in range(len(vals)):\n    step = vals[i + 1] - vals[i]\nprint(step, seen)"
    lab = Lab(page, server, server.notebook("shown.ipynb", ["seen, vals = [], [1, 4, 9]", half_way]))
    lab.ready()
    lab.finish(1)
    page.evaluate(COUNT_REDRAWN)
    lab.run(2)
    card = lab.card(2)
    lab.status("fix ready")  # told after the card and its text
    assert page.evaluate("() => window.redrawn") == 0
    assert "After\n5 ['x', 'x']" in card.inner_text()
    lab.press(card, "run")
    lab.cell(2).locator(".jp-SelfHeal-healed").wait_for()
    assert lab.own_outputs(2).all_inner_texts() == ["5 ['x', 'x']\n"]


@pytest.mark.slow
def test_commands_in_another_cell_change_the_cell_that_failed(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("commands.ipynb", [TYPO, "%heal approve", "%heal undo"]))
    lab.ready()
    lab.run(1)
    lab.card(1)
    lab.finish(2)
    lab.expect_output(1, "there are 3")
    assert [lab.source(1), lab.source(2)] == [FIXED, "%heal approve"]
    lab.cell(1).locator(".jp-SelfHeal-healed", has_text="Healed:").wait_for()
    lab.finish(3)
    lab.expect_source(1, TYPO)
    assert lab.source(3) == "%heal undo"
    line = lab.cell(1).locator(".jp-SelfHeal-healed", has_text="Undone: the old source is back.")
    line.wait_for()
    assert line.get_by_role("button", name="Undo").count() == 0


@pytest.mark.slow
def test_undo_by_the_editor_brings_the_old_source_back(failed: Lab) -> None:
    failed.press(failed.card(1), "approve")
    failed.card(1, "applied")
    assert failed.source(1) == FIXED
    failed.click(1)
    failed.page.keyboard.press("Control+z")
    failed.expect_source(1, TYPO)


@pytest.mark.slow
def test_undo_by_the_editor_is_told_below_the_cell(failed: Lab) -> None:
    failed.press(failed.card(1), "run")
    line = failed.cell(1).locator(".jp-SelfHeal-healed")
    line.get_by_text("Healed:").wait_for()
    failed.click(1)
    failed.page.keyboard.press("Control+z")
    failed.expect_source(1, TYPO)
    line.get_by_text("Undone: the old source is back.").wait_for()
    failed.expect_output(1, "object has no attribute 'appendd'")
    assert line.get_by_role("button", name="Undo").count() == 0
    failed.page.keyboard.press("Control+Shift+z")
    failed.expect_source(1, FIXED)


@pytest.mark.slow
def test_undo_button_refuses_over_later_edits(failed: Lab) -> None:
    failed.press(failed.card(1), "approve")
    card = failed.card(1, "applied")
    failed.type_at_end(1, "  # mine")
    failed.press(card, "undo")
    card.get_by_text("edited after the fix").wait_for()
    assert failed.source(1) == FIXED + "  # mine"


def test_undo_button_restores_the_source(failed: Lab) -> None:
    failed.press(failed.card(1), "approve")
    failed.press(failed.card(1, "applied"), "undo")
    failed.expect_source(1, TYPO)
    failed.card(1, "applied").get_by_text("the old source is back").wait_for()


def test_edited_cell_is_refused(failed: Lab) -> None:
    card = failed.card(1)
    failed.type_at_end(1, "\nmore = 1")
    failed.press(card, "run")
    card.get_by_text("edited since it failed").wait_for()
    assert failed.source(1) == TYPO + "\nmore = 1"


DEFINE = "def total(rows):\n    found = []\n    for row in rows:\n        found.appendd(row)\n    return sum(found)"


def elsewhere(page: Any, server: Server, name: str) -> Lab:
    """A notebook whose third cell failed for a fault in the second."""
    lab = Lab(page, server, server.notebook(name, [DEFINE, "print('total', total([1, 2]))"]))
    lab.ready()
    lab.run(1)
    lab.idle()
    lab.run(2)
    lab.card(2)
    return lab


@pytest.mark.slow
def test_deleted_cell_is_refused(page: Any, server: Server) -> None:
    lab = elsewhere(page, server, "deleted.ipynb")
    lab.click(1)
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.keyboard.press("d")
    card = lab.card(1)
    lab.press(card, "run")
    card.get_by_text("no longer in the notebook").wait_for()
    assert lab.source(1) == "print('total', total([1, 2]))"
    assert lab.own_outputs(1).count() == 1, "the error alone: nothing was run"


@pytest.mark.slow
def test_notebook_that_may_not_be_written_is_refused(page: Any, server: Server) -> None:
    name = server.notebook("locked.ipynb", [TYPO])

    def locked(route: Any) -> None:
        """What the server says of a file that its user may not write; the tests' user may be root, who may."""
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "writable": False})

    page.route(re.compile(r"/api/contents/locked\.ipynb\?"), locked)
    lab = Lab(page, server, name)
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    lab.press(card, "run")
    card.get_by_text("The notebook is read-only").wait_for()
    assert lab.source(1) == TYPO
    assert lab.own_outputs(1).count() == 1, "the error alone: nothing was run"


@pytest.mark.slow
def test_untrusted_notebook_is_healed_all_the_same(page: Any, server: Server) -> None:
    """Its stored outputs are not trusted, and so no widget is drawn from them; those of this session are."""
    text = "Self-heal: AttributeError: fixed earlier"
    stored = {"output_type": "display_data", "metadata": {},
              "data": {"text/plain": text, "application/vnd.jupyter.widget-view+json": {"model_id": "gone"}}}  # fmt: skip
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": source, "outputs": outputs, "execution_count": 1}
        for n, (source, outputs) in enumerate([("%load_ext jupyter_selfheal", []), (TYPO, [stored]), (TYPO, [])])
    ]
    lab = Lab(page, server, server.write("untrusted.ipynb", cells))
    assert not page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets[1].model.trusted")
    lab.cell(1).get_by_text(text).first.wait_for()
    assert lab.cell(1).locator("button:visible", has_text="Undo").count() == 0
    lab.ready()
    lab.run(2)
    lab.press(lab.card(2), "run")
    lab.expect_output(2, "there are 3")
    assert lab.source(2) == FIXED


@pytest.mark.slow
def test_approve_while_the_kernel_is_busy(page: Any, server: Server) -> None:
    slow = "import time\nopen('go', 'w').close()\nwhile __import__('os').path.exists('go'):\n    time.sleep(0.05)\nprint('done')"
    lab = Lab(page, server, server.notebook("busy.ipynb", [TYPO, slow]))
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    lab.run(2)
    assert wait_until((server.folder / "go").exists), "it runs"
    lab.press(card, "run")
    lab.expect_source(1, FIXED)
    assert lab.prompt(2).strip() == "[*]:", "still busy"
    (server.folder / "go").unlink()
    lab.expect_output(1, "there are 3")


@pytest.mark.slow
def test_reject_with_a_reason_while_the_kernel_is_busy(page: Any, server: Server) -> None:
    slow = "import time\nopen('go2', 'w').close()\nwhile __import__('os').path.exists('go2'):\n    time.sleep(0.05)"
    lab = Lab(page, server, server.notebook("reject.ipynb", [TYPO, slow]))
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    lab.run(2)
    assert wait_until((server.folder / "go2").exists), "it runs"
    lab.press(card, "reject")
    card.get_by_label("Why? (may be empty)").fill("not this one")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => !document.querySelectorAll('.jp-Cell')[1].querySelector('.jupyter-selfheal[data-phase=\"proposed\"]')"
    )
    (server.folder / "go2").unlink()
    assert lab.source(1) == TYPO


@pytest.mark.slow
def test_fault_in_an_earlier_cell_is_fixed_in_both_unless_that_is_read_only(page: Any, server: Server) -> None:
    lab = elsewhere(page, server, "elsewhere.ipynb")
    editable = "on => window.jupyterapp.shell.currentWidget.content.widgets[1].model.setMetadata('editable', on)"
    page.evaluate(editable, False)
    lab.press(lab.card(2), "run")
    lab.card(2).get_by_text("The cell is read-only").wait_for()
    assert "appendd" in lab.source(1)
    page.evaluate(editable, True)
    lab.card(2).locator("button.sh-cell-link", has_text="cell [2]").click()
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")
    assert lab.card(2).locator("button[data-id]:visible").all_inner_texts() == ["Apply & run", "Edit", "Dismiss"]
    lab.press(lab.card(2), "run")
    lab.expect_output(2, "total 3")
    assert "found.append(row)" in lab.source(1)


@pytest.mark.slow
def test_undo_brings_back_every_cell_that_was_changed(page: Any, server: Server) -> None:
    both = "def total(rows):\n    return sum(row['prise'] for row in rows)"
    lab = Lab(page, server, server.notebook("both.ipynb", [both, "rows = [{'price': 1}]\nprint('total', total(rows))"]))
    lab.ready()
    lab.finish(1)
    lab.run(2)
    lab.press(lab.card(2), "approve")
    card = lab.card(2, "applied")
    lab.expect_source(1, both.replace("prise", "price"))
    lab.press(card, "undo")
    lab.expect_source(1, both)


@pytest.mark.slow
def test_proposal_tells_whether_the_cells_below_still_work(page: Any, server: Server) -> None:
    below = {
        "cell_type": "code",
        "id": "below",
        "metadata": {},
        "source": "print('twice', 2 * len(items))",
        "execution_count": 1,
    }
    below["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "twice 6\n"}]
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for n, source in enumerate(["%load_ext jupyter_selfheal", TYPO])
    ]
    lab = Lab(page, server, server.write("below.ipynb", [*cells, below]))
    lab.ready()
    lab.run(1)
    card = lab.card(1)
    card.locator("summary").first.click()
    reason = card.locator(".sh-reasons li", has_text="below").first
    reason.wait_for()
    assert reason.is_visible()


@pytest.mark.slow
def test_cell_that_was_not_run_is_run_first(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("unrun.ipynb", ["prices = [1, 2, 3]", "print('sum', sum(prices))"]))
    lab.ready()
    lab.run(2)
    lab.press(lab.card(2), "run")
    lab.expect_output(2, "sum 6")


@pytest.mark.slow
def test_resume_runs_only_what_is_left(page: Any, server: Server) -> None:
    first = "calls = []\ndef train():\n    calls.append(1)\n    return [3]"
    lab = Lab(
        page,
        server,
        server.notebook("resume.ipynb", [first, "m = train()\nm.appendd(4)\nprint('calls', len(calls), m)"]),
    )
    lab.ready()
    lab.run(1)
    lab.idle()
    lab.run(2)
    lab.press(lab.card(2), "resume")
    lab.expect_output(2, "calls 1 [3, 4]")
    assert "m.append(4)" in lab.source(2)
    assert "m = train()" in lab.source(2)


@pytest.mark.slow
def test_status_bar_leads_to_the_card_which_the_keyboard_alone_approves(failed: Lab) -> None:
    card = failed.card(1)
    traceback = failed.cell(1).locator('.jp-OutputArea-child:has-text("Traceback")')
    assert card.bounding_box()["y"] < traceback.bounding_box()["y"], "the card stands above the traceback"
    failed.status("fix ready: go to it")
    failed.page.get_by_text("fix ready: go to it").click()
    failed.page.wait_for_function("() => document.activeElement.matches('.jupyter-selfheal')")
    card.locator('[data-id="run"]').focus()
    failed.page.keyboard.press("Enter")
    failed.expect_output(1, "there are 3")


@pytest.mark.slow
def test_status_bar_tells_of_an_earlier_fix_that_still_waits(page: Any, server: Server) -> None:
    lab = Lab(page, server, server.notebook("two.ipynb", [TYPO, "word = 'a'.uper()", "done = 1 / 0"]))
    lab.ready()
    for index in (1, 2):
        lab.finish(index)
        lab.card(index)
    lab.press(lab.card(2), "run")
    lab.cell(2).locator(".jp-SelfHeal-healed").wait_for()
    lab.status("fix ready: go to it")
    lab.finish(3)
    lab.card(3, "closed")
    lab.status("fix ready: go to it")
    page.get_by_text("fix ready: go to it").click()
    page.wait_for_function("() => document.activeElement.matches('.jupyter-selfheal')")
    assert "appendd" in page.evaluate("() => document.activeElement.textContent")
    page.keyboard.press("Alt+Enter")
    lab.expect_output(1, "there are 3")
    lab.status("idle")


TABLE = "import pandas as pd\nframe = pd.DataFrame([[1.5] * 4], columns=[f'column number {n}' for n in range(4)])\nframe.hed()"


@pytest.mark.slow
def test_table_in_the_card_keeps_its_columns(page: Any, server: Server) -> None:
    """Two columns of a page are too narrow for it: it is scrolled sideways. A message of one line is wrapped as ever."""
    page.set_viewport_size({"width": 900, "height": 1000})
    lab = Lab(page, server, server.notebook("table.ipynb", [TABLE]))
    lab.ready()
    lab.run(1)
    shown = lab.card(1).locator(".sh-outputs pre")
    error, table = (
        shown.nth(n).evaluate("p => [p.clientWidth < p.scrollWidth, getComputedStyle(p).whiteSpace]") for n in (0, 1)
    )
    assert error == [False, "pre-wrap"]
    assert table == [True, "pre"]
    assert lab.card(1).evaluate("card => card.scrollWidth <= card.clientWidth"), "the card itself is not widened"
