"""A coding agent as it meets the server: the SDK's own client, over the pipes of a real process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'jupyter-selfheal[mcp]'")

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


class Refused(Exception):
    """The server answered with an error; its text."""


class Agent:
    """One client of one server."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool. Raises :class:`Refused`."""
        return self.portal.call(self._call, tool, arguments)

    def call_at_once(self, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """The results of several calls, all under way before one is waited for."""
        under_way = [self.portal.start_task_soon(self._call, tool, arguments) for tool, arguments in calls]
        return [one.result() for one in under_way]

    async def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error:
            raise Refused(answer.content[0].text)
        result: dict[str, Any] = answer.structured_content
        return result

    def refusal(self, tool: str, **arguments: Any) -> str:
        """Why the tool will not."""
        with pytest.raises(Refused) as caught:
            self.call(tool, **arguments)
        return str(caught.value)


@contextmanager
def connect(root: Path, data: Path, *more: str) -> Iterator[tuple[Agent, psutil.Process]]:
    """A server over a folder, with a client, and the server's process. It ends with the client."""
    env = {**os.environ, "JUPYTER_DATA_DIR": str(data)}
    words = ["-m", "jupyter_selfheal", "mcp", "--root", str(root), *more]
    server = StdioServerParameters(command=sys.executable, args=words, env=env, cwd=str(root))
    before = {p.pid for p in psutil.Process().children()}
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server))) as client,
    ):
        started = next(p for p in psutil.Process().children() if p.pid not in before)
        yield Agent(portal, client), started
