"""Write the session of ``docs/agents.md``: a real server over its pipes, and what it answers to each call, word for word.

``python docs/agents/record_session.py`` replaces the text below the heading of :data:`HEADING`. ``tests/kernel/test_mcp.py`` makes the same
calls and compares.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTEBOOK = HERE / "sales.ipynb"
PAGE = HERE.parent / "agents.md"
HEADING = "## A session, word for word"
SESSION = re.compile(r"(?<=```text\n)→ .*?(?=```)", re.DOTALL)
"""The text of the session on the page."""


def list_calls() -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls of the session. What was sent back is given to ``apply_fix`` as ``fix_id``."""
    path = {"path": "sales.ipynb"}
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"]}
    yield "check_notebook", path
    yield "diagnose", {**path, "cell_id": "bill"}
    yield "run_in_copy", {**path, "cell_id": "bill", "code": "prices"}
    mended = cells["total"].replace("row['price'] for", "float(row['price']) for")
    for cell, source in (("bill", "bill = 10.75\nbill"), ("total", mended)):
        edits = [{"cell_id": cell, "old_source": cells[cell], "new_source": source}]
        yield "try_patch", {**path, "edits": edits, "expect": "10.75"}
    yield "apply_fix", {"fix_id": ""}
    yield "check_notebook", path


async def record_session(folder: Path) -> str:
    """Every call with its answer, from a server that may see the folder alone."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    shutil.copy(NOTEBOOK, folder)
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(folder / ".data")}
    words = ["-m", "jupyter_selfheal", "mcp", "--root", "."]
    server = StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=str(folder))
    said, fix = [], ""
    async with Client(stdio_client(server)) as client:
        for tool, given in list_calls():
            arguments = {"fix_id": fix} if "fix_id" in given else given
            answer = await client.call_tool(tool, arguments)
            result = answer.structured_content or {"error": answer.content[0].text}
            fix = result.get("fix_id") or fix
            said.append(format_call(tool, arguments, result))
    return "\n".join(said).replace(str(folder.resolve()), "/tmp/sales")


def format_call(tool: str, arguments: dict[str, Any], result: dict[str, Any]) -> str:
    """A call and its answer as they stand on the page."""
    return f"→ {tool} {json.dumps(arguments)}\n{json.dumps(result, indent=1, ensure_ascii=False)}\n"


def read_session() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The calls of the page, with their arguments and answers."""
    return read_calls(SESSION)


def read_calls(pattern: re.Pattern[str]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The calls of a session that stands on the page."""
    session = pattern.search(PAGE.read_text(encoding="utf-8"))
    assert session, f"{PAGE} has no session"
    calls = []
    for part in re.split(r"^→ ", session[0], flags=re.MULTILINE)[1:]:
        first, _, answer = part.partition("\n")
        tool, _, arguments = first.partition(" ")
        calls.append((tool, json.loads(arguments), json.loads(answer)))
    return calls


if __name__ == "__main__":
    import anyio

    with tempfile.TemporaryDirectory() as place:
        session = anyio.run(record_session, Path(place))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SESSION.sub(lambda _: session, page, count=1), encoding="utf-8")
