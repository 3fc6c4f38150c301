"""What a person does in JupyterLab, as functions."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import TOKEN, Server


class Lab:
    """A notebook open in a page."""

    def __init__(self, page: Any, server: Server, name: str, *, app: str = "lab/tree") -> None:
        self.page = page
        self.server = server
        page.goto(f"{server.url}/{app}/{name}?token={TOKEN}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function("() => !document.querySelector('.jp-Notebook-ExecutionIndicator[data-status=\"starting\"]')")
        page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', state="attached")

    def cell(self, index: int) -> Any:
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def source(self, index: int) -> str:
        lines = self.cell(index).locator(".jp-InputArea-editor .cm-line").all_inner_texts()
        return "\n".join(line.rstrip("\n\u200b") for line in lines)

    def run(self, index: int) -> None:
        """Click into the cell and press Ctrl+Enter; again where the page had no kernel yet and dropped it."""
        for _ in range(20):
            self.dismiss()
            before = self.prompt(index)
            self.cell(index).locator(".cm-content").first.click()
            self.page.keyboard.press("Control+Enter")
            try:
                self.page.wait_for_function(
                    "([n, before]) => document.querySelectorAll('.jp-Notebook .jp-Cell')[n]"
                    ".querySelector('.jp-InputPrompt').textContent !== before",
                    arg=[index, before], timeout=3000,
                )  # fmt: skip
            except Exception:
                continue
            return
        raise AssertionError(f"cell {index} does not run")

    def dismiss(self) -> None:
        """Accept a dialog of JupyterLab's own (which kernel to use, say) that is in the way."""
        accept = self.page.locator(".jp-Dialog .jp-mod-accept")
        if accept.count():
            accept.first.click()

    def prompt(self, index: int) -> str:
        return str(self.cell(index).locator(".jp-InputPrompt").first.text_content())

    def idle(self) -> None:
        self.page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', state="attached")

    def ready(self, index: int = 0) -> None:
        """Run the cell that loads the extension, and wait until the page knows it."""
        self.run(index)
        self.page.wait_for_function(
            "() => { const item = document.querySelector('.jp-SelfHeal-status');"
            " return !item || !item.textContent.includes('not loaded'); }"
        )

    def card(self, index: int, phase: str = "proposed") -> Any:
        found = self.cell(index).locator(f'.jupyter-selfheal[data-phase="{phase}"]')
        found.wait_for()
        return found

    def press(self, card: Any, button: str) -> None:
        card.locator(f'[data-id="{button}"]').click()

    def output(self, index: int) -> str:
        return self.cell(index).locator(".jp-OutputArea").inner_text()

    def wait_for_output(self, index: int, text: str) -> None:
        self.cell(index).locator(".jp-OutputArea-output", has_text=text).first.wait_for()
