"""A language model server on a socket of this machine, for tests and demonstrations: no model behind it, only a script.

It speaks Anthropic's messages (``/v1/messages``) and OpenAI's chat completions (``/v1/chat/completions``), as JSON and as event
streams, Anthropic's message batches too, and misbehaves on demand::

    with FakeModelServer([Says('{"x": 1}'), Fails(529, "overloaded_error"), Says("cut", stop="max_tokens")]) as server:
        client = anthropic.Anthropic(base_url=server.url, api_key="any")

Event and error forms follow the real APIs: https://docs.claude.com/en/api/messages-streaming,
https://docs.claude.com/en/api/errors, https://platform.openai.com/docs/api-reference/chat.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

_OPENAI_STOPS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "refusal": "content_filter"}


@dataclass(frozen=True, slots=True)
class Says:
    """A reply. ``stop`` is Anthropic's stop reason (translated for OpenAI); tokens are what the usage reports.

    ``breaks`` cuts a streamed reply half-way: ``overloaded`` sends an error event, ``hangs up`` closes the connection,
    ``silent end`` ends the stream without a stop reason, ``only pings`` sends nothing else for three seconds, ``no JSON`` sends
    a web page for its second half; in a batch ``expires`` and ``overloaded`` end it without a reply. ``delay`` is seconds before the reply begins, ``drip`` seconds between
    its pieces. ``usage`` False leaves the usage out, as some local servers do.
    """

    text: str
    stop: str = "end_turn"
    input_tokens: int = 1000
    output_tokens: int = 200
    cache_read: int = 0
    cache_write: int = 0
    breaks: str = ""
    delay: float = 0.0
    drip: float = 0.0
    usage: bool = True


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP error. ``retry_after`` is that header, in seconds, empty for none."""

    status: int
    type: str = "api_error"
    message: str = "it went wrong"
    retry_after: str = ""
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class HangsUp:
    """The connection is closed without a word."""


Line = Says | Fails | HangsUp
Script = Iterable[Line | Callable[["Received"], Line]]


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass
class FakeModelServer:
    """Serves the lines of a script, one a request; a line may be a function of the request. A context manager.

    ``requests`` keeps everything received. Past the end of the script every request is a 500 that says so.
    """

    script: Script
    requests: list[Received] = field(default_factory=list)
    batches: dict[str, tuple[int, list[tuple[str, Says]]]] = field(default_factory=dict)
    """By the id of a batch, how often it was looked at, and its lines."""
    cancelled: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines: Iterator[Line | Callable[[Received], Line]] = iter(self.script)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL for Anthropic's SDK; with ``/v1`` added, for OpenAI-compatible clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FakeModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def take_next_line(self, received: Received) -> Line:
        """What the script says to this request."""
        with self._lock:
            self.requests.append(received)
            line = next(self._lines, Fails(500, "api_error", "the script of the fake server has no further line"))
        return line(received) if callable(line) else line


def _make_handler(server: FakeModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        fake = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    fake: FakeModelServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        _, _, where = self.path.partition("/v1/messages/batches/")
        name, _, results = where.partition("/")
        looks, lines = self.fake.batches.get(name, (0, []))
        if not lines:
            self._send_failure(Fails(404, "not_found_error", "no such batch"), False)
        elif results:
            data = "".join(json.dumps(_build_batch_result(n, line)) + "\n" for n, line in lines)
            self._send_json(200, data)
        else:
            self.fake.batches[name] = (looks + 1, lines)
            self._send_json(200, _build_batch(self.fake.url, name, ended=looks > 0))

    def _make_batch(self, received: Received) -> None:
        """A batch that is ended when it is looked at for the second time; the first failure of its lines is that of the request."""
        asked = [(r["custom_id"], replace(received, body=r["params"])) for r in received.body["requests"]]
        lines = [(name, self.fake.take_next_line(one)) for name, one in asked]
        if any(isinstance(line, HangsUp) for _, line in lines):
            self.close_connection = True
            return
        failure = next((line for _, line in lines if isinstance(line, Fails)), None)
        if failure is not None:
            self._send_failure(failure, False)
            return
        name = f"msgbatch_{len(self.fake.batches):04d}"
        self.fake.batches[name] = (0, [(n, line) for n, line in lines if isinstance(line, Says)])
        self._send_json(200, _build_batch(self.fake.url, name, ended=False))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        received = Received(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw or b"{}"))
        if self.path.endswith("/cancel"):
            name = self.path.split("/")[-2]
            self.fake.cancelled.append(name)
            self._send_json(200, _build_batch(self.fake.url, name, ended=False))
            return
        if "/messages/batches" in self.path:
            self._make_batch(received)
            return
        line = self.fake.take_next_line(received)
        is_openai = self.path.partition("?")[0].endswith("/chat/completions")
        try:
            if isinstance(line, HangsUp):
                self.close_connection = True
            elif isinstance(line, Fails):
                self._send_failure(line, is_openai)
            elif received.body.get("stream"):
                self._stream_reply(
                    line, _build_openai_events(line) if is_openai else _build_anthropic_events(line), is_openai
                )
            else:
                time.sleep(line.delay)
                self._send_json(200, _build_openai_reply(line) if is_openai else _build_anthropic_reply(line))
        except (BrokenPipeError, ConnectionResetError):  # the client gave up waiting: that is what a slow line is for
            self.close_connection = True

    def _send_failure(self, line: Fails, is_openai: bool) -> None:
        time.sleep(line.delay)
        error = {"type": line.type, "message": line.message}
        body: dict[str, Any] = (
            {"error": {**error, "code": line.type}} if is_openai else {"type": "error", "error": error}
        )
        self._send_json(line.status, body, {"retry-after": line.retry_after} if line.retry_after else {})

    def _send_json(self, status: int, body: Mapping[str, Any] | str, headers: Mapping[str, str] | None = None) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        common = {"content-type": "application/json", "content-length": str(len(data))}
        for name, value in {**common, **self._build_id_headers(), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _build_id_headers(self) -> dict[str, str]:
        number = f"req_{len(self.fake.requests):04d}"
        return {"request-id": number, "x-request-id": number}

    def _stream_reply(self, line: Says, events: list[tuple[str, dict[str, Any]]], is_openai: bool) -> None:
        time.sleep(line.delay)
        self.send_response(200)
        for name, value in {
            "content-type": "text/event-stream",
            "connection": "close",
            **self._build_id_headers(),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        half = len(events) // 2
        for n, (name, data) in enumerate(events):
            if line.breaks == "only pings" or (line.breaks and n == half):
                return self._break_stream(line.breaks, is_openai)
            self._write_event(name, data)
            time.sleep(line.drip)
        if is_openai:
            self.wfile.write(b"data: [DONE]\n\n")
        return None

    def _break_stream(self, how: str, is_openai: bool) -> None:
        if how == "overloaded":
            error = {"type": "overloaded_error", "message": "Overloaded"}
            self._write_event(
                "" if is_openai else "error", {"error": error} if is_openai else {"type": "error", "error": error}
            )
        elif how == "only pings":
            for _ in range(30):
                self.wfile.write(b": ping\n\n" if is_openai else b'event: ping\ndata: {"type": "ping"}\n\n')
                self.wfile.flush()
                time.sleep(0.1)
        elif how == "no JSON":
            self.wfile.write(b"event: content_block_delta\ndata: <html>\n\n")
        elif how == "hangs up":
            import socket
            import struct

            self.wfile.flush()  # a reset, not an orderly end: the client sees a broken connection
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def _write_event(self, name: str, data: Mapping[str, Any]) -> None:
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: tests and demonstrations print enough."""


def _split_text(text: str) -> list[str]:
    """The text in about six pieces, as a model writes it."""
    size = max(1, len(text) // 6)
    return [text[n : n + size] for n in range(0, len(text), size)] or [""]


def _build_anthropic_usage(line: Says, output: int) -> dict[str, Any]:
    return {
        "input_tokens": line.input_tokens,
        "cache_creation_input_tokens": line.cache_write,
        "cache_read_input_tokens": line.cache_read,
        "output_tokens": output,
    }


def _build_anthropic_reply(line: Says) -> dict[str, Any]:
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": [{"type": "text", "text": line.text}],
        "stop_reason": line.stop,
        "stop_sequence": None,
        "usage": _build_anthropic_usage(line, line.output_tokens),
    }


def _build_batch(url: str, name: str, *, ended: bool) -> dict[str, Any]:
    counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
    now = "2026-11-23T00:00:00Z"
    return {
        "id": name, "type": "message_batch", "processing_status": "ended" if ended else "in_progress", "request_counts": counts,
        "created_at": now, "expires_at": now, "ended_at": now if ended else None, "archived_at": None, "cancel_initiated_at": None,
        "results_url": f"{url}/v1/messages/batches/{name}/results" if ended else None,
    }  # fmt: skip


def _build_batch_result(name: str, line: Says) -> dict[str, Any]:
    if line.breaks == "expires":
        return {"custom_id": name, "result": {"type": "expired"}}
    if line.breaks == "overloaded":
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        return {"custom_id": name, "result": {"type": "errored", "error": error}}
    return {"custom_id": name, "result": {"type": "succeeded", "message": _build_anthropic_reply(line)}}


def _build_anthropic_events(line: Says) -> list[tuple[str, dict[str, Any]]]:
    start = {
        **_build_anthropic_reply(line),
        "content": [],
        "stop_reason": None,
        "usage": _build_anthropic_usage(line, 1),
    }
    block = {"index": 0, "content_block": {"type": "text", "text": ""}}
    end = {"delta": {"stop_reason": line.stop, "stop_sequence": None}, "usage": {"output_tokens": line.output_tokens}}
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": start}),
        ("content_block_start", block),
        *(
            ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}})
            for piece in _split_text(line.text)
        ),
        ("content_block_stop", {"index": 0}),
        ("message_delta", end),
        ("message_stop", {}),
    ]
    return [(name, {"type": name, **data}) for name, data in events]


def _build_openai_usage(line: Says) -> dict[str, Any]:
    return {
        "prompt_tokens": line.input_tokens + line.cache_read + line.cache_write,
        "completion_tokens": line.output_tokens,
        "total_tokens": line.input_tokens + line.cache_read + line.cache_write + line.output_tokens,
        "prompt_tokens_details": {"cached_tokens": line.cache_read},
    }


def _build_openai_reply(line: Says) -> dict[str, Any]:
    message = {"role": "assistant", "content": line.text}
    choice = {"index": 0, "message": message, "finish_reason": _OPENAI_STOPS.get(line.stop, line.stop)}
    usage = {"usage": _build_openai_usage(line)} if line.usage else {}
    return {"id": "chatcmpl-fake", "object": "chat.completion", "model": "fake", "choices": [choice], **usage}


def _build_openai_events(line: Says) -> list[tuple[str, dict[str, Any]]]:
    def build_chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "model": "fake", "choices": [choice]}

    events = [build_chunk({"role": "assistant", "content": ""})]
    events += [build_chunk({"content": piece}) for piece in _split_text(line.text)]
    events.append(build_chunk({}, _OPENAI_STOPS.get(line.stop, line.stop)))
    if line.usage:
        events.append({**build_chunk({}), "choices": [], "usage": _build_openai_usage(line)})
    return [("", event) for event in events]
