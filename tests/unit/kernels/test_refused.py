"""Which errors are the doing of the sandbox."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.inside.fork import sandbox_errors

SHUT = {"network": False, "writes": "discard"}


@pytest.mark.parametrize(
    ("ename", "message", "plan", "kind"),
    [
        ("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>", SHUT, "network"),
        ("gaierror", "[Errno -2] Name or service not known", SHUT, "network"),
        ("ConnectionRefusedError", "[Errno 111] Connection refused", SHUT, "network"),
        (
            "ConnectionError",
            "HTTPSConnectionPool(host='x', port=443): Max retries exceeded with url: /",
            SHUT,
            "network",
        ),
        ("OSError", "[Errno 101] Network is unreachable", SHUT, "network"),
        ("OSError", "[Errno 101] Network is unreachable", {**SHUT, "network": True}, ""),
        ("OSError", "[Errno 30] Read-only file system: '/data/out.csv'", SHUT, "write"),
        ("OSError", "[Errno 30] Read-only file system: '/data/out.csv'", {**SHUT, "writes": "allow"}, ""),
        ("OSError", "[Errno 18] Invalid cross-device link: 'a' -> 'b'", SHUT, "write"),
        ("OperationalError", "attempt to write a readonly database", SHUT, "write"),
        ("RuntimeError", "can't start new thread", SHUT, "processes"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'", SHUT, ""),
        ("PermissionError", "[Errno 13] Permission denied: '/proc/1/no-such/file'", SHUT, ""),
        ("ConnectionError", "the model has no connection between layers", SHUT, ""),
        ("ValueError", "cannot write a network", SHUT, ""),
        ("KeyError", "'network'", SHUT, ""),
        ("NameError", "name 'x' is not defined", SHUT, ""),
    ],
)
def test_errors_are_laid_to_the_sandbox_only_where_it_caused_them(
    ename: str, message: str, plan: dict[str, Any], kind: str
) -> None:
    assert sandbox_errors.blocked(ename, message, plan).partition(":")[0] == kind
