"""Any server that speaks OpenAI's chat completions (OpenAI, Qwen, DeepSeek, Ollama, vLLM …), by a small client on httpx2."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.model import Cost
from jupyter_selfheal.numbers import read_count
from jupyter_selfheal.ports import ModelReply, ModelRequest
from jupyter_selfheal.providers.partial_reply import PartialReply, find_reply_limit, list_request_texts
from jupyter_selfheal.providers.prices import Prices, estimate_request_tokens
from jupyter_selfheal.providers.provider_errors import build_error, classify_error, read_key
from jupyter_selfheal.providers.retry import Retry, SendingFailed, read_retry_after

if TYPE_CHECKING:
    import httpx2

OWN_URL = "https://api.openai.com/v1"

_STOPS = {"stop": "end", "length": "truncated", "content_filter": "refused", "refusal": "refused"}
_FORMATS = ("json_schema", "json_object", "")
"""Ways to ask for JSON, strictest first; a server that refuses one is asked the next way from then on."""


class OpenAICompatibleProvider:
    """Models behind a chat completions API.

    ``key`` is empty to read ``key_variable`` at the time of the call; a local server needs none. ``base_url`` ends with the
    version (``http://localhost:11434/v1`` for Ollama). Azure's deployments have theirs behind it
    (``https://NAME.openai.azure.com/openai/deployments/MODEL?api-version=2024-10-21``); they take the key under another name.
    """

    libraries = ("httpx2", "genai_prices")
    """What a call stands on, and takes a while to import."""

    def __init__(
        self,
        *,
        name: str = "openai_compatible",
        key: str = "",
        key_variable: str = "OPENAI_API_KEY",
        base_url: str = "",
        prices: Prices | None = None,
        retry: Retry | None = None,
    ) -> None:
        self.name = name
        self._key = key
        self._key_variable = key_variable
        path, _, self._query = (base_url or OWN_URL).partition("?")
        self._url = path.rstrip("/")
        self._prices = prices or Prices(api_url=self._url)
        self._retry = retry or Retry()
        self._format = 0
        self._limit = "max_completion_tokens" if self._is_openai else "max_tokens"

    @property
    def _is_openai(self) -> bool:
        return self._url.startswith(OWN_URL)

    @property
    def address(self) -> str:
        """Where the service is."""
        return self._url

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        tokens = estimate_request_tokens(*list_request_texts(request))
        return self._prices.worst_case(request.model, tokens, request.max_tokens)

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. ``progress`` gets each piece of text as it comes."""
        key = read_key(self.name, self._key, self._key_variable)
        if not key and self._is_openai:
            raise build_error(self.name, "auth", "no key is set", key=self._key_variable)
        is_deployment = "api-version=" in self._query
        headers = ({"api-key": key} if is_deployment else {"Authorization": f"Bearer {key}"}) if key else {}

        def send(seconds: float, billed: Cost) -> ModelReply:
            left = find_reply_limit(self._prices, request, billed)
            return self._send_request(request, left, headers, seconds, progress)

        reply, billed = self._retry.run(send, request.timeout, request.tries)
        return reply if billed == Cost() else replace(reply, cost=billed + reply.cost)

    def _send_request(
        self,
        request: ModelRequest,
        max_tokens: int,
        headers: dict[str, str],
        seconds: float,
        progress: Callable[[str], Any] | None,
    ) -> ModelReply:
        import httpx2

        from jupyter_selfheal.providers.deadline_stream import check_while_reading

        partial = PartialReply(self.name, self._retry.clock() + seconds, self._retry.clock)
        high = estimate_request_tokens(*list_request_texts(request))
        try:
            with httpx2.Client(timeout=seconds, headers=headers) as client:
                while True:
                    body = self._build_body(request, max_tokens)
                    with client.stream("POST", self._completions_url, json=body) as response:
                        check_while_reading(response, partial.check_deadline)
                        if response.status_code == 400 and self._ask_otherwise(request, response):
                            continue
                        self._read_response(response, partial, progress)
                        break
        except httpx2.TimeoutException as error:
            failed = build_error(self.name, "timeout", str(error) or "timed out")
            sent = not isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout)
            raise SendingFailed(failed, billed=self._estimate_bill(request, partial, high) if sent else None) from error
        except httpx2.InvalidURL as error:
            raise SendingFailed(build_error(self.name, "invalid", str(error))) from error
        except httpx2.RequestError as error:
            failed = build_error(self.name, "network", str(error) or type(error).__name__)
            raise SendingFailed(
                failed, billed=self._estimate_bill(request, partial, high) if partial.began else None
            ) from error
        except TimeoutError as error:
            failed = build_error(self.name, "timeout", str(error))
            raise SendingFailed(failed, billed=self._estimate_bill(request, partial, high)) from error
        except SendingFailed as failure:
            failure.billed = self._estimate_bill(request, partial, high) if partial.began else None
            raise
        return partial.to_reply(self._prices, request.model, _STOPS, high)

    def _estimate_bill(self, request: ModelRequest, partial: PartialReply, high: int) -> Cost:
        return self._prices.compute_cost(request.model, partial.estimate_usage(high))

    @property
    def _completions_url(self) -> str:
        return f"{self._url}/chat/completions{'?' if self._query else ''}{self._query}"

    def _ask_otherwise(self, request: ModelRequest, response: httpx2.Response) -> bool:
        """Whether the server refused a way in which we ask, and there is another one: the limit's name, or how we ask for JSON."""
        response.read()
        if self._limit == "max_tokens" and "max_completion_tokens" in response.text:
            self._limit = "max_completion_tokens"  # a gateway to OpenAI's own models
            return True
        return request.schema is not None and self._use_next_format(response)

    def _use_next_format(self, response: httpx2.Response) -> bool:
        if self._format + 1 >= len(_FORMATS) or not any(w in response.text for w in ("response_format", "json_schema")):
            return False
        self._format += 1
        return True

    def _build_body(self, request: ModelRequest, max_tokens: int) -> dict[str, Any]:
        system = request.system
        body: dict[str, Any] = {"model": request.model, "stream": True, "stream_options": {"include_usage": True}}
        body[self._limit] = max_tokens
        if request.effort:
            body["reasoning_effort"] = request.effort
        if request.temperature >= 0:
            body["temperature"] = request.temperature
        if request.schema is not None:
            way = _FORMATS[self._format]
            if way == "json_schema":
                schema = {"name": request.purpose, "schema": request.schema, "strict": True}
                body["response_format"] = {"type": way, "json_schema": schema}
            else:
                system += f"\n\nReply with one JSON object of this schema:\n{json.dumps(request.schema)}"
                body |= {"response_format": {"type": way}} if way else {}
        body["messages"] = [{"role": "system", "content": system}]
        body["messages"] += [{"role": role, "content": text} for role, text in request.messages]
        return body

    def _read_response(
        self, response: httpx2.Response, partial: PartialReply, progress: Callable[[str], Any] | None
    ) -> None:
        partial.request_id = response.headers.get("x-request-id", "")
        if response.status_code != 200:
            response.read()
            raise self._build_failure(response.status_code, _parse_error(response.text), response, partial)
        for chunk in _read_chunks(response):
            if "error" in chunk:
                raise self._build_failure(200, _parse_error(json.dumps(chunk)), response, partial)
            if isinstance(chunk.get("usage"), dict):
                partial.begin(str(chunk.get("model", "")), _read_usage(chunk["usage"]))
            for choice in chunk.get("choices") or ():
                message = choice.get("delta") or choice.get("message") or {}
                partial.add_text(_join_parts(message.get("content")), progress)
                partial.stop = "refusal" if message.get("refusal") else choice.get("finish_reason") or partial.stop

    def _build_failure(
        self, status: int, error: tuple[str, str], response: httpx2.Response, partial: PartialReply
    ) -> SendingFailed:
        kind, message = error
        failed = build_error(
            self.name,
            classify_error(status, kind),
            message,
            key=self._key_variable,
            status=status,
            request_id=partial.request_id,
        )
        return SendingFailed(failed, read_retry_after(response.headers.get("retry-after")))


def _join_parts(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts where thoughts come apart from the text (Mistral)."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _read_chunks(response: httpx2.Response) -> Iterator[dict[str, Any]]:
    """The JSON objects of an event stream, or the one object of a server that does not stream."""
    if "event-stream" not in response.headers.get("content-type", ""):
        response.read()
        yield _parse_object(response.text)
        return
    for line in response.iter_lines():
        data = line[5:].strip() if line.startswith("data:") else ""
        if data and data != "[DONE]":
            yield _parse_object(data)


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return (
        value if isinstance(value, dict) else {"error": {"type": "server_error", "message": "not JSON: " + text[:100]}}
    )


def _parse_error(text: str) -> tuple[str, str]:
    """(type, message) of an error body in any of the forms that servers use."""
    error = _parse_object(text).get("error", text[:200])
    if not isinstance(error, dict):
        return "", str(error)
    kinds = [str(error.get(name) or "") for name in ("code", "type")]
    kind = "insufficient_quota" if "insufficient_quota" in kinds else kinds[1] or kinds[0]
    return kind, str(error.get("message", ""))


def _read_usage(usage: dict[str, Any]) -> dict[str, int]:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return {
        "input": read_count(usage.get("prompt_tokens")) or 0,
        "output": read_count(usage.get("completion_tokens")) or 0,
        "cache_read": read_count(cached) or 0,
    }
