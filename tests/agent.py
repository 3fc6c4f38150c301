"""A coding agent as it meets the server: the SDK's own client, over the pipes of a real process."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'jupyter-selfheal[mcp]'")

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

__all__ = ["Agent", "MCPError", "connect", "connect_by_http", "httpx2"]

T = TypeVar("T")


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

    def start(self, tool: str, **arguments: Any) -> Future[dict[str, Any]]:
        """A call that is under way."""
        return self.portal.start_task_soon(self._call, tool, arguments)

    def give_up_once_it_runs(self, look: Callable[[], T], tool: str, **arguments: Any) -> T:
        """Call a tool, and cancel the call as an agent's user does, as soon as the server says that it goes on.

        Returns what ``look`` gave just before that.
        """
        seen: T = self.portal.call(self._give_up, look, tool, arguments)
        return seen

    async def _give_up(self, look: Callable[[], T], tool: str, arguments: dict[str, Any]) -> T:
        seen = []
        with anyio.CancelScope() as scope:

            async def cancel(progress: float, total: float | None, message: str | None) -> None:
                seen.append(look())
                scope.cancel()

            await self.client.call_tool(tool, arguments, progress_callback=cancel)
        assert scope.cancelled_caught
        return seen[0]

    async def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error:
            raise Refused(answer.content[0].text)
        result: dict[str, Any] = answer.structured_content
        return result

    def read(self, uri: str) -> str:
        """The text of a resource."""
        text: str = self.portal.call(self.client.read_resource, uri).contents[0].text
        return text

    def refusal(self, tool: str, **arguments: Any) -> str:
        """Why the tool will not."""
        with pytest.raises(Refused) as caught:
            self.call(tool, **arguments)
        return str(caught.value)


@contextmanager
def connect(root: Path, data: Path, *more: str) -> Iterator[tuple[Agent, psutil.Process]]:
    """A server over a folder, with a client, and the server's process. It ends with the client."""
    env = {**os.environ, "JUPYTER_DATA_DIR": str(data)}
    place = [] if "--kernel" in more else ["--root", str(root)]
    words = ["-m", "jupyter_selfheal", "mcp", *place, *more]
    server = StdioServerParameters(command=sys.executable, args=words, env=env, cwd=str(root))
    before = {p.pid for p in psutil.Process().children()}
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server))) as client,
    ):
        started = next(p for p in psutil.Process().children() if p.pid not in before)
        yield Agent(portal, client), started
        left = started.children(recursive=True)
    assert not psutil.wait_procs([started, *left], timeout=200)[1], "its client is gone, and it is still there"


@contextmanager
def connect_by_http(url: str, token: str) -> Iterator[Agent]:
    """A client of a server that runs already."""

    @asynccontextmanager
    async def open_client() -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=300, trust_env=False) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(open_client()) as client:
        yield Agent(portal, client)
