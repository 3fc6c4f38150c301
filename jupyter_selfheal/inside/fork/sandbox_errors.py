"""What of the sandbox an error of the user's code comes from: such a trial is inconclusive, not failed.

Standard library only, with the modules beside it: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import os
import re
from typing import Any

from jupyter_selfheal.inside.fork import sockets

_NETWORK = re.compile(
    r"Network is unreachable|Temporary failure in name resolution|Name or service not known|No address associated with"
    r"|nodename nor servname|getaddrinfo failed|Connection refused|Failed to establish a new connection"
    r"|Max retries exceeded|Cannot connect to host|Name has no usable address|Could not resolve host"
    r"|All connection attempts failed|No route to host|NameResolutionError|Cannot assign requested address",
    re.IGNORECASE,
)
_NETWORK_NAMES = frozenset({"gaierror", "NameResolutionError", "NewConnectionError", "MaxRetryError", "ConnectTimeout"})
_WRITE = re.compile(
    r"Read-only file system|\[Errno 30\]|readonly database|read-only database|No space left on device"
    r"|File too large|\[Errno 27\]|\[Errno 75\]|Invalid cross-device link",
    re.IGNORECASE,
)
_PATH = re.compile(r"['\"](/[^'\"]*|[^'\"]+)['\"]\s*$")
_PROCESS = re.compile(r"Resource temporarily unavailable|can't start new thread", re.IGNORECASE)


def find_cause(ename: str, message: str, plan: dict[str, Any]) -> str | None:
    """What of the sandbox an error of the user's code comes from ("network: …", "write: …"); None where it comes from the code.

    Called in the trial, where a path can still be asked whether the user could have written it without us.
    """
    first = (message.strip().splitlines() or [""])[0][:200]
    if plan.get("writes", "discard") != "allow":
        if _WRITE.search(message):
            return f"write: {first}"
        if ename == "PermissionError" and _could_write(message):
            return f"write: {first}"
        if "unable to open database file" in message or "No usable temporary directory" in message:
            return f"write: {first}"
    if not plan.get("network", False):
        if ename in _NETWORK_NAMES or _NETWORK.search(message):
            return f"network: {first}"
        if ename == "KeyError" and message.strip("'\"") in sockets.VARIABLES:
            return f"network: {first}"
        if ename == "PermissionError" and not _PATH.search(message):
            return f"network: {first}"
    if ename in ("BlockingIOError", "RuntimeError") and _PROCESS.search(message):
        return f"processes: {first}"
    return None


def _could_write(message: str) -> bool:
    """True where the refused path is one that this user may write to: then Landlock refused it, not its mode."""
    match = _PATH.search(message)
    if not match:
        return False
    path = match[1]
    return os.access(path if os.path.exists(path) else os.path.dirname(path) or ".", os.W_OK)
