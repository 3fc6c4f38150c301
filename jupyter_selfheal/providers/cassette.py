"""Recorded models: every request with its reply in a folder, and the same replies again without a key or a network.

A file is one request: ``HASH.json``, named by the content that the reply depends on, with the replies that it got, oldest first::

    {"version": 1, "written_by": "model", "request": {"purpose": "fix", "model": …, "system": …, "messages": [[role, text], …], …},
     "replies": [{"text": …, "stop": "end", "model": …, "usage": {…}, "cost": {"usd": …, "input_tokens": …, …}}]}

A reply that a person wrote says ``"written_by": "hand"``, and may answer by what a request holds in place of its hash::

    {"version": 1, "written_by": "hand", "answers": {"purpose": "fix", "contains": ["prices['aple']"]}, "replies": […]}

It is never to be called a model's. :class:`RecordingProvider` writes such files, :class:`ReplayingProvider` reads them.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import ConfigError, ProviderError
from jupyter_selfheal.model import JSON, Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest, Provider

VERSION = 1

NOT_RECORDED = "not_recorded"
"""The kind of error of a request that is not in a recording."""


def build_request_key(request: ModelRequest) -> dict[str, Any]:
    """What a reply depends on, as JSON: everything but how long it is waited for."""
    warmth = {"temperature": request.temperature} if request.temperature >= 0 else {}
    return {
        **warmth,
        "purpose": request.purpose,
        "model": request.model,
        "max_tokens": request.max_tokens,
        "effort": request.effort,
        "system": request.system,
        "messages": [list(message) for message in request.messages],
        "schema": request.schema,
    }


def hash_request(request: ModelRequest) -> str:
    """Sixteen hexadecimal digits of a request's content."""
    text = json.dumps(build_request_key(request), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class RecordingProvider:
    """Asks ``inner``, and keeps every request and reply in ``folder``. ``redact`` takes secrets out of what is kept (requests come
    without them; a model may invent one)."""

    def __init__(self, inner: Provider, folder: Path, redact: Callable[[JSON], JSON] = lambda value: value) -> None:
        self.name = inner.name
        self._inner = inner
        self._folder = folder
        self._redact = redact
        self._lock = threading.Lock()

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return self._inner.worst_case(request)

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. What failed is not kept."""
        reply = self._inner.complete(request, progress)
        with self._lock:
            self._keep_reply(request, reply)
        return reply

    def _keep_reply(self, request: ModelRequest, reply: ModelReply) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{hash_request(request)}.json"
        known = json.loads(path.read_text(encoding="utf-8"))["replies"] if path.exists() else []
        kept = self._redact({
            "version": VERSION,
            "written_by": "model",
            "provider": self.name,
            "request": build_request_key(request),
            "replies": [*known, asdict(reply)],
        })  # fmt: skip
        _write_file(path, json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def _write_file(path: Path, text: str) -> None:
    """All of it or nothing, readable by its owner alone: several processes may record into one folder."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
    os.replace(name, path)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One file of a recording."""

    key: str
    """The hash of its request; empty where it answers by what a request holds."""
    replies: tuple[ModelReply, ...]
    purpose: str = ""
    contains: tuple[str, ...] = ()
    by_hand: bool = False

    def answers(self, request: ModelRequest) -> bool:
        """Whether it is a reply to such a request."""
        if self.key:
            return self.key == hash_request(request)
        text = "\n".join(said for _, said in request.messages)
        return request.purpose == self.purpose and all(part in text for part in self.contains)


def read_recording(folder: Path) -> tuple[Recorded, ...]:
    """Every file of a recording; those that name a request go first. Raises :class:`ConfigError` in one line."""
    if not folder.is_dir():
        raise ConfigError(f"there is no recording in {folder}: make one with --record {folder}")
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append(_parse_file(path))
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{path}: this reply of the recording cannot be read ({type(error).__name__}: {error}): remove it, and record it anew with --record {folder}"
            ) from error
    return tuple(sorted(found, key=lambda r: (not r.key, -len(r.contains))))


def _parse_file(path: Path) -> Recorded:
    raw: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if raw["version"] != VERSION:
        raise ValueError(f"{path.name} is of version {raw['version']!r}, not {VERSION}")
    by_hand = raw["written_by"] == "hand"
    replies = tuple(_parse_reply(reply) for reply in raw["replies"])
    if "answers" not in raw:
        return Recorded(path.stem, replies, by_hand=by_hand)
    answers = raw["answers"]
    return Recorded("", replies, answers["purpose"], tuple(answers["contains"]), by_hand)


def _parse_reply(raw: Mapping[str, Any]) -> ModelReply:
    text = raw["text"] if isinstance(raw["text"], str) else json.dumps(raw["text"], ensure_ascii=False)
    return ModelReply(
        text=text,
        stop=raw.get("stop", "end"),
        cost=Cost(**raw.get("cost", {"calls": 1})),
        model=raw.get("model", ""),
        request_id=raw.get("request_id", ""),
        usage=dict(raw.get("usage", {})),
    )


@dataclass
class ReplayingProvider:
    """Says again what was recorded. ``inner`` is only asked what a call could cost, so that limits hold as they did.

    The same request gets its replies in their order, and then the last one again. ``missing`` keeps the requests that the
    recording does not hold.
    """

    inner: Provider
    folder: Path
    missing: list[ModelRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.name = self.inner.name
        self._recording = read_recording(self.folder)
        self._said: Counter[int] = Counter()
        self._lock = threading.Lock()

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return self.inner.worst_case(request)

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """The recorded reply. Raises :class:`ProviderError` that names the request which is new."""
        with self._lock:
            at = next((n for n, r in enumerate(self._recording) if r.answers(request) and r.replies), None)
            if at is None:
                self.missing.append(request)
                raise _build_missing_error(self.folder, request)
            replies = self._recording[at].replies
            reply = replies[min(self._said[at], len(replies) - 1)]
            self._said[at] += 1
        if progress is not None and reply.text:
            progress(reply.text)
        return reply


def _build_missing_error(folder: Path, request: ModelRequest) -> ProviderError:
    first = next((line for _, text in request.messages for line in text.splitlines() if line.strip("# ")), "")
    what = f"a new {request.purpose} request to {request.model} ({hash_request(request)}: {first[:60]!r})"
    return ProviderError(f"{folder} holds no reply to {what}: record it with --record {folder}", kind=NOT_RECORDED)
