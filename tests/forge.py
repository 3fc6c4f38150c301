"""A stand-in for GitHub's and GitLab's REST API on this machine: it keeps what it is sent, and answers as they do."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghp_" + "t" * 36


@dataclass
class StandIn:
    """The threads that were opened (by kind: pulls, issues, merge_requests), and each request as (method, path, body)."""

    api: str = ""
    threads: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    refused: dict[tuple[str, str], int] = field(default_factory=dict)
    """(method, end of the path) → the status that is answered."""

    @property
    def changes(self) -> list[str]:
        """What was written, in order: method and kind."""
        return [
            f"{method} {path.split('/')[-1 if method == 'POST' else -2]}"
            for method, path, _ in self.requests
            if method != "GET"
        ]

    def answer(self, method: str, target: str, headers: Any, sent: Any) -> tuple[int, Any]:
        parts = urlsplit(target)
        self.requests.append((method, parts.path, sent))
        if TOKEN not in (headers.get("PRIVATE-TOKEN") or headers.get("Authorization") or ""):
            return 401, {"message": "Bad credentials"}
        for (refused, end), status in self.refused.items():
            if method == refused and parts.path.endswith(end):
                return status, {"message": "Resource not accessible by integration"}
        return self._keep(method, parts.path.strip("/").split("/"), parse_qs(parts.query), sent)

    def _keep(self, method: str, words: list[str], asked: dict[str, list[str]], sent: Any) -> tuple[int, Any]:
        gitlab = words[0] == "projects"
        rest = words[2:] if gitlab else words[3:]
        if not rest:
            return 200, {"name": "course"}
        threads = self.threads.setdefault(rest[0], [])
        if method == "GET":
            state = asked["state"][0]
            return 200, [t for t in reversed(threads) if state in ("all", t["state"])]
        if method == "POST":
            number = len(threads) + 1
            threads.append({"number": number, "iid": number, "state": "opened" if gitlab else "open"})
            threads[-1]["html_url"] = threads[-1]["web_url"] = f"https://forge.example/{rest[0]}/{number}"
        thread = threads[-1] if method == "POST" else threads[int(rest[1]) - 1]
        thread |= sent
        if sent.get("state_event") == "close":
            thread["state"] = "closed"
        return (201 if method == "POST" else 200), thread


@contextlib.contextmanager
def stand_in() -> Iterator[StandIn]:
    """A stand-in that listens as long as the block runs."""
    there = StandIn()

    class Answer(BaseHTTPRequestHandler):
        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            sent = json.loads(self.rfile.read(length)) if length else None
            status, said = there.answer(self.command, self.path, self.headers, sent)
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_PUT = _do

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    there.api = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield there
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
