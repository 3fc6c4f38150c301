"""A kernel as VS Code drives it: its messages in their order, no page of ours, a widget with HTML to fall back to."""

from __future__ import annotations

import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

WIDGET = "application/vnd.jupyter.widget-view+json"
TYPO = "items = [1, 2]\nitems.appendd(3)\nprint(len(items))"
URI = "vscode-notebook-cell:/work/sales.ipynb#W2sZmlsZQ%3D%3D"
"""How VS Code names a cell in ``cellId``: by an address that no notebook file holds."""


def test_messages_of_vs_code_give_a_card_and_a_fix(kernel: LiveKernel) -> None:
    """At its start VS Code asks what the kernel is and which comms it has, and sets the kernel up by silent requests; a cell has its
    address in ``cellId``, an idle kernel is asked for completions and for variables."""
    for kind, content in (("kernel_info_request", {}), ("comm_info_request", {"target_name": "jupyter.widget"})):
        kernel.ask(kind, content)
    kernel.run("import os as _VSCODE_os\n_VSCODE_os.getcwd()", silent=True, store_history=False, stop_on_error=False)
    assert kernel.run("%load_ext jupyter_selfheal", f"{URI}0")["status"] == "ok"
    failed = kernel.run(TYPO, f"{URI}1", allow_stdin=True)
    assert failed["status"] == "error"
    kernel.ask("complete_request", {"code": "ite", "cursor_pos": 3})
    kernel.run(
        "",
        silent=True,
        store_history=False,
        user_expressions={"_VSCODE_names": "[n for n in globals() if not n.startswith('_')]"},
    )
    card = kernel.card("fix ready, tested in a copy of your kernel")
    assert "+items.append(3)" in card
    assert "1 cell has run" not in card, "what the editor asks by itself is no cell of the user's"
    shown = [m["content"]["data"] for m in kernel.messages if WIDGET in m["content"].get("data", {})]
    assert shown, "a front end with widgets draws the card"
    assert all("Self-heal" in data["text/html"] and "Self-heal" in data["text/plain"] for data in shown)
    assert "items.append(3)" in shown[-1]["text/html"]
    for kind, command in (("text/html", "<code>%heal approve</code>"), ("text/plain", "`%heal approve`")):
        assert f"or run {command} in a new cell" in shown[-1][kind]
    assert "`%heal show` tells what came of it" in shown[0]["text/plain"], "a console prints this text alone"
    approved = kernel.run("%heal approve", f"{URI}2")
    assert approved["text"].startswith("3\n")
    payload = next(p for p in approved["payload"] if p["source"] == "set_next_input")
    assert payload["text"] == TYPO.replace("appendd", "append")
    assert kernel.value("items") == "[1, 2, 3]"
    kernel.wait_for(lambda: "fixed" in kernel.card().splitlines()[0], "the end of the card")
    last = [
        m["content"]["data"]
        for m in kernel.messages
        if "Self-heal" in m["content"].get("data", {}).get("text/html", "")
    ][-1]
    assert "%heal approve" not in last["text/html"]
