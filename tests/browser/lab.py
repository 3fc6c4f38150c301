"""What a person does in JupyterLab, as functions."""

from __future__ import annotations

import time
from typing import Any

from tests.browser.server import TOKEN, Server
from tests.waiting import PATIENCE, wait_until

TYPO = "items = [1, 2]\nitems.appendd(3)\nprint('there are', len(items))"
FIXED = TYPO.replace("appendd", "append")
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
READY = """() => {
  const panel = window.jupyterapp?.shell.currentWidget;
  return panel?.sessionContext?.isReady && panel.sessionContext.session?.kernel?.status === 'idle';
}"""


NOTE_STATUS = """() => {
  const item = document.querySelector('.jp-SelfHeal-status');
  window.statuses = [];
  const note = () => window.statuses.push(item.textContent);
  new MutationObserver(note).observe(item, { childList: true, characterData: true, subtree: true });
}"""


class Lab:
    """A notebook open in a page."""

    def __init__(self, page: Any, server: Server, name: str, *, app: str = "lab/tree") -> None:
        self.page = page
        self.server = server
        if app.startswith("lab") and page.url.startswith(f"{server.url}/lab"):
            self.open(name)
            return
        server.start_session(name)
        page.goto(f"{server.url}/{app}/{name}?token={TOKEN}" + ("&reset" if app.startswith("lab") else ""))
        self.opened()

    def opened(self) -> None:
        """Wait until the page shows the notebook, and its kernel is ready."""
        self.page.wait_for_selector(f"{PANEL} .jp-Cell")
        self.page.wait_for_function(READY)

    def open(self, name: str) -> None:
        """Open another notebook in the same page, in front."""
        self.server.start_session(name)
        self.command("docmanager:open", path=name)
        self.page.locator(f"{PANEL}[aria-labelledby]").first.wait_for()
        self.page.wait_for_function("name => window.jupyterapp.shell.currentWidget?.context?.path === name", arg=name)
        self.opened()

    def command(self, name: str, **args: object) -> None:
        """A command of JupyterLab's, not waited for."""
        self.page.evaluate("([name, args]) => void window.jupyterapp.commands.execute(name, args)", [name, args])

    def theme(self, name: str) -> None:
        """Light or Dark; it stays for later tests of the same server, which change it back."""
        self.command("apputils:change-theme", theme=f"JupyterLab {name}")
        light = "true" if name == "Light" else "false"
        self.page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)

    def palette(self, label: str) -> None:
        """Choose an entry of the command palette."""
        self.page.keyboard.press("Control+Shift+c")
        self.page.locator(".lm-CommandPalette-input:visible").fill(label)
        # marked, as what was found is: before that the same node of the list may become another entry under the click
        self.page.locator(".lm-CommandPalette-item:visible:has(mark)", has_text=label).first.click()

    def cell(self, index: int) -> Any:
        return self.page.locator(f"{PANEL} .jp-Notebook .jp-Cell").nth(index)

    def source(self, index: int) -> str:
        lines = self.cell(index).locator(".jp-InputArea-editor .cm-line").all_inner_texts()
        return "\n".join(line.rstrip("\n\u200b") for line in lines)

    def click(self, index: int) -> None:
        """Click into the cell's editor."""
        self.cell(index).locator(".jp-InputArea-editor .cm-content").first.click()

    def type_at_end(self, index: int, text: str) -> None:
        self.click(index)
        self.page.keyboard.press("Control+End")
        self.page.keyboard.insert_text(text)

    def run(self, index: int) -> None:
        """Click into the cell and press Ctrl+Enter; again where the page dropped it (a dialog of JupyterLab's, say)."""
        before = self.prompt(index)
        pressed = 0.0

        def started() -> bool:
            nonlocal pressed
            if self.prompt(index) != before:
                return True
            if time.monotonic() - pressed > PATIENCE / 3:
                self.dismiss()
                self.click(index)
                self.page.keyboard.press("Control+Enter")
                pressed = time.monotonic()
            return False

        assert wait_until(started), f"cell {index} did not run"

    def finish(self, index: int) -> None:
        """Run a cell, and wait until it has ended."""
        self.run(index)
        self.page.wait_for_function(
            "n => { const model = window.jupyterapp.shell.currentWidget.content.widgets[n].model;"
            " return model.executionState === 'idle' && model.executionCount; }", arg=index,
        )  # fmt: skip

    def dismiss(self) -> None:
        """Accept a dialog of JupyterLab's own (which kernel to use, say) that is in the way."""
        accept = self.page.locator(".jp-Dialog .jp-mod-accept")
        if accept.count():
            accept.first.click()

    def prompt(self, index: int) -> str:
        return str(self.cell(index).locator(".jp-InputPrompt").first.text_content())

    def idle(self) -> None:
        self.page.wait_for_function(READY)

    def status(self, words: str) -> None:
        """Wait until the status bar says so."""
        self.page.locator(".jp-SelfHeal-status", has_text=words).wait_for()

    def watch_status(self) -> None:
        """From now on note every word of the status bar, for :meth:`expect_said`."""
        self.page.evaluate(NOTE_STATUS)

    def expect_said(self, words: str) -> None:
        """Wait until the status bar has said so since :meth:`watch_status`, were it only for a moment."""
        self.page.wait_for_function("words => window.statuses.some(said => said.includes(words))", arg=words)

    def save(self) -> None:
        """Save the notebook, and wait until it is."""
        self.command("docmanager:save")
        self.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")

    def ready(self, index: int = 0) -> None:
        """Run the cell that loads the extension, and wait until the page knows it."""
        self.finish(index)
        self.page.wait_for_function(
            "() => { const item = document.querySelector('.jp-SelfHeal-status');"
            " return !item || !item.textContent.includes('not loaded'); }"
        )
        self.idle()

    def card(self, index: int, phase: str = "proposed") -> Any:
        """Wait for the cell's card in that phase; a heal that ended without a fix is told at once."""
        found = self.cell(index).locator(f'.jupyter-selfheal[data-phase="{phase}"]')
        ended = self.cell(index).locator('.jupyter-selfheal[data-phase="closed"]')
        found.or_(ended).first.wait_for()
        if not found.count():
            assert phase == "closed" or not ended.count(), ended.first.inner_text()
            found.wait_for()  # its output is being drawn anew
        return found

    def press(self, card: Any, button: str) -> None:
        self.show_button(card, button).click()

    def show_button(self, card: Any, button: str) -> Any:
        """The button; what is seldom wanted is unfolded first. The page does that itself: it may be busy drawing the card anew."""
        found = card.locator(f'[data-id="{button}"]')

        def shown() -> bool:
            found.evaluate("b => { const more = b.closest('details'); if (more) more.open = true; }")
            return bool(found.is_visible())

        assert wait_until(shown), f"{button!r} did not come into view"
        return found

    def heal_button(self, index: int) -> Any:
        """The button below a failing cell that has no card."""
        return self.cell(index).get_by_role("button", name="Heal this cell")

    def output(self, index: int) -> str:
        return str(self.cell(index).locator(".jp-OutputArea").inner_text())

    def own_outputs(self, index: int) -> Any:
        """The outputs that are the cell's own, not a card's."""
        return self.cell(index).locator(".jp-OutputArea-output:not(:has(.jupyter-selfheal))")

    def expect_source(self, index: int, text: str) -> None:
        """Wait until the cell's editor shows that."""
        assert wait_until(lambda: self.source(index) == text), f"{text!r} was to come, not {self.source(index)!r}"

    def expect_output(self, index: int, text: str) -> None:
        """Wait for that text among the cell's own outputs."""
        self.own_outputs(index).filter(has_text=text).first.wait_for()

    def expect_focus(self) -> None:
        """Wait until the focus is on something: it may be nowhere for a moment, while an output is drawn anew or a dialog closes."""
        self.page.wait_for_function("() => document.activeElement && document.activeElement !== document.body")
