"""Write the live session of ``docs/agents.md``: a real kernel with the extension, a real server on it, and a user who decides on the card.

``python docs/agents/record_live_session.py`` replaces the text of the session on the page; ``tests/live/test_agents.py`` plays it again and compares.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from record_session import PAGE, format_call, read_calls  # noqa: E402

SESSION = re.compile(r"(?<=```none\n)→ .*?(?=```)", re.DOTALL)
"""The text of the session on the page."""

PRICES = "prices = {'tea': '3.25', 'cake': '4.25'}"
TOTAL = "def total(basket):\n    return sum(prices[item] for item in basket)"
BILL = "bill = total(['tea', 'tea', 'cake'])\nbill"
MENDED = TOTAL.replace("prices[item]", "float(prices[item])")

Call = tuple[str, dict[str, Any], dict[str, Any]]


def run_cells(kernel: Any) -> None:
    """What the user did before: the last cell failed, and its card is there."""
    for cell_id, source in (("", "%load_ext jupyter_selfheal"), ("prices", PRICES), ("total", TOTAL)):
        kernel.run(source, cell_id)
    kernel.run(BILL, "bill", allow_stdin=True)
    kernel.wait_for(lambda: bool(kernel.displays) and "healing…" not in kernel.card(), "a card")


def play_session(kernel: Any, agent: Any) -> list[Call]:
    """What the agent calls and is answered; the user rejects the first edit with a reason, and approves the second."""
    said: list[Call] = []

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        said.append((tool, arguments, agent.call(tool, **arguments)))
        return said[-1][2]

    call("check_notebook")
    call("run_in_copy", code="prices")
    for edit, decision in (
        (("bill", BILL, BILL.replace("total([", "len([")), "%heal reject 3 is no bill: mend the prices"),
        (("total", TOTAL, MENDED), "%heal approve"),
    ):
        edits = [dict(zip(("cell_id", "old_source", "new_source"), edit, strict=True))]
        fix_id = call("try_patch", edits=edits)["fix_id"]
        asked = agent.start("apply_fix", fix_id=fix_id)
        kernel.wait_for(lambda: "fix ready" in kernel.card() and "The agent's edit" in kernel.card(), "its card")
        kernel.run(decision)
        said.append(("apply_fix", {"fix_id": fix_id}, asked.result()))
    call("check_notebook")
    return said


def read_session() -> list[Call]:
    """The calls of the page, with their arguments and answers."""
    return read_calls(SESSION)


def main() -> None:
    """Play it, and write it down."""
    from tests.agent import connect
    from tests.live.conftest import LiveKernel

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        kernel = LiveKernel(folder, folder / "data")
        try:
            run_cells(kernel)
            with connect(folder, folder / "agent", "--kernel", kernel.manager.connection_file) as (agent, _):
                said = play_session(kernel, agent)
        finally:
            kernel.stop()
    text = "\n".join(format_call(*call) for call in said).replace(str(folder.resolve()), "/tmp/work")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SESSION.sub(lambda _: text, page, count=1), encoding="utf-8")
    print(json.dumps([tool for tool, *_ in said]))


if __name__ == "__main__":
    main()
