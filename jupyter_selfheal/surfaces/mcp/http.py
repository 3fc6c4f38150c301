"""Streamable HTTP on the loopback address, for clients that cannot start a process. Every request needs the token."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.mcp.server import SelfHealServer

HOST = "127.0.0.1"
TOKEN = "SELFHEAL_MCP_TOKEN"
"""The environment variable that holds the token; without it one is made, and printed."""

LEAST_TOKEN = 16
"""Characters that a token has at least."""


class RequireToken:
    """An ASGI application that lets nothing through without ``Authorization: Bearer TOKEN``."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope.get("headers", ()) if name == b"authorization"), b"")
        if scope["type"] == "http" and hmac.compare_digest(given, self._expected):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send(
            {"type": "http.response.body", "body": b"the token is missing or wrong: send Authorization: Bearer TOKEN\n"}
        )


def choose_token() -> tuple[str, bool]:
    """The token, and whether it was made just now. Raises :class:`UsageError` for one that can be guessed."""
    given = os.environ.get(TOKEN, "")
    if given and len(given) < LEAST_TOKEN:
        raise UsageError(
            f"{TOKEN} has fewer than {LEAST_TOKEN} characters: make a longer one, or leave it out to have one made"
        )
    return (given, False) if given else (secrets.token_urlsafe(24), True)


def run_http(server: SelfHealServer, port: int) -> None:
    """Serve until the process is ended. Where it can be reached, and a new token, stand on stderr."""
    import uvicorn

    token, is_new = choose_token()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used ({error.strerror}): choose another, or 0 for a free one"
            ) from error
        listening.listen()  # before it is said: a client may come at once, and waits until the server answers
        print(f"jupyter selfheal mcp: http://{HOST}:{listening.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
        if is_new:
            print(f"token (send it as Authorization: Bearer …): {token}", file=sys.stderr, flush=True)
        app = RequireToken(server.streamable_http_app(host=HOST), token)
        config = uvicorn.Config(app, log_level="critical", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])
