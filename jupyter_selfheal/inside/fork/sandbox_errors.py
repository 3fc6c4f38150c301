"""What of the sandbox an error of the user's code comes from: such a trial is inconclusive, not failed.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import os
import re
from typing import Any

from jupyter_selfheal.inside.fork import sockets

_NETWORK = (
    "network is unreachable", "temporary failure in name resolution", "name or service not known",
    "no address associated with", "nodename nor servname", "getaddrinfo failed", "connection refused",
    "failed to establish a new connection", "max retries exceeded", "cannot connect to host",
    "name has no usable address", "could not resolve host", "all connection attempts failed", "no route to host",
    "nameresolutionerror", "cannot assign requested address",
)  # fmt: skip
"""Each in small letters, as are those below: making patterns of them would cost a kernel's first copy a millisecond."""
_NETWORK_NAMES = frozenset({"gaierror", "NameResolutionError", "NewConnectionError", "MaxRetryError", "ConnectTimeout"})
_WRITE = (
    "read-only file system", "[errno 30]", "readonly database", "read-only database", "no space left on device",
    "file too large", "[errno 27]", "[errno 75]", "invalid cross-device link",
)  # fmt: skip
_PATH = re.compile(r"['\"](/[^'\"]*|[^'\"]+)['\"]\s*$")
_PROCESS = ("resource temporarily unavailable", "can't start new thread")


def find_cause(ename: str, message: str, plan: dict[str, Any]) -> str | None:
    """What of the sandbox an error of the user's code comes from ("network: …", "write: …"); None where it comes from the code.

    Called in the trial, where a path can still be asked whether the user could have written it without us.
    """
    first = (message.strip().splitlines() or [""])[0][:200]
    if plan.get("writes", "discard") != "allow":
        if _mentions_phrase(message, _WRITE):
            return f"write: {first}"
        if ename == "PermissionError" and _could_write(message):
            return f"write: {first}"
        if "unable to open database file" in message or "No usable temporary directory" in message:
            return f"write: {first}"
    if not plan.get("network", False):
        if ename in _NETWORK_NAMES or _mentions_phrase(message, _NETWORK):
            return f"network: {first}"
        if ename == "KeyError" and message.strip("'\"") in sockets.VARIABLES:
            return f"network: {first}"
        if ename == "PermissionError" and not _PATH.search(message):
            return f"network: {first}"
    if ename in ("BlockingIOError", "RuntimeError") and _mentions_phrase(message, _PROCESS):
        return f"processes: {first}"
    return None


def _mentions_phrase(message: str, phrases: tuple[str, ...]) -> bool:
    small = message.lower()
    return any(phrase in small for phrase in phrases)


def _could_write(message: str) -> bool:
    """True where the refused path is one that this user may write to: then Landlock refused it, not its mode."""
    match = _PATH.search(message)
    if not match:
        return False
    path = match[1]
    return os.access(path if os.path.exists(path) else os.path.dirname(path) or ".", os.W_OK)
