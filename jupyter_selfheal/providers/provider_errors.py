"""What an error of a provider means, and what the user can do about it."""

from __future__ import annotations

import os

from jupyter_selfheal.errors import ProviderError

_BY_TYPE = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "billing_error": "quota",
    "insufficient_quota": "quota",
    "rate_limit_error": "rate_limited",
    "rate_limit_exceeded": "rate_limited",
    "overloaded_error": "overloaded",
    "api_error": "server",
    "server_error": "server",
    "timeout_error": "timeout",
    "invalid_request_error": "invalid",
    "not_found_error": "invalid",
    "request_too_large": "invalid",
}
_BY_STATUS = {
    401: "auth",
    403: "auth",
    402: "quota",
    408: "timeout",
    429: "rate_limited",
    503: "overloaded",
    529: "overloaded",
}

_ADVICE = {
    "auth": "the key is not accepted: check {key}",
    "quota": "the account has no credit left: add credit or use another provider",
    "rate_limited": "too many requests: wait a moment, then try again",
    "overloaded": "it is overloaded: wait a moment, then try again",
    "server": "it had an internal error: try again",
    "timeout": "no full answer came in time: raise the timeout or try again",
    "network": "it cannot be reached: check the connection and the base URL",
    "invalid": "it does not accept the request: check the model's name and the base URL",
}


_NO_CREDIT = "credit balance is too low"
"""What Anthropic says where the account has no credit left: as an invalid request with status 400, seen in public threads."""


def classify_error(status: int, error_type: str = "", message: str = "") -> str:
    """The kind of :class:`ProviderError` for an HTTP status, the error type in the body, and what it says.

    The type goes first: an overload in the middle of a stream comes with status 200.
    """
    if status == 400 and _NO_CREDIT in message.lower():
        return "quota"
    if status in (401, 402, 403):
        return _BY_STATUS[status]
    if error_type in _BY_TYPE:
        return _BY_TYPE[error_type]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "server" if status >= 500 or status == 200 else "invalid"


def read_key(name: str, key: str, variable: str) -> str:
    """The key, or what the environment variable holds, without the space around it. Raises :class:`ProviderError` where it cannot stand in a header, and does not
    show it: a client's own complaint would."""
    key = (key or os.environ.get(variable, "")).strip()
    if not (key.isascii() and key.isprintable()):
        raise build_error(name, "auth", "it has characters that no key has", key=variable)
    return key


def build_error(
    name: str, kind: str, detail: str, *, key: str = "the key", status: int = 0, request_id: str = ""
) -> ProviderError:
    """The error, in one line that says what happened and what to do."""
    reason = " ".join(detail.split())[:200]
    message = f"{name}: {_ADVICE[kind].format(key=key)}" + (
        f" ({f'{status}: ' if status else ''}{reason})" if reason else ""
    )
    return ProviderError(message, kind=kind, status=status, request_id=request_id)
