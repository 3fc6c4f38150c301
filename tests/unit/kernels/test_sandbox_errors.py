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
        ("OSError", "[Errno 101] Network is unreachable", {**SHUT, "network": True}, None),
        ("OSError", "[Errno 30] Read-only file system: '/data/out.csv'", SHUT, "write"),
        ("OSError", "[Errno 30] Read-only file system: '/data/out.csv'", {**SHUT, "writes": "allow"}, None),
        ("OSError", "[Errno 18] Invalid cross-device link: 'a' -> 'b'", SHUT, "write"),
        ("OperationalError", "attempt to write a readonly database", SHUT, "write"),
        ("RuntimeError", "can't start new thread", SHUT, "processes"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'", SHUT, None),
        ("PermissionError", "[Errno 13] Permission denied: '/proc/1/no-such/file'", SHUT, None),
        ("ConnectionError", "the model has no connection between layers", SHUT, None),
        ("ValueError", "cannot write a network", SHUT, None),
        ("KeyError", "'network'", SHUT, None),
        ("KeyError", "'DOCKER_HOST'", SHUT, "network"),
        ("KeyError", "'DOCKER_HOST'", {**SHUT, "network": True}, None),
        ("NameError", "name 'x' is not defined", SHUT, None),
    ],
)
def test_errors_are_laid_to_the_sandbox_only_where_it_caused_them(
    ename: str, message: str, plan: dict[str, Any], kind: str | None
) -> None:
    cause = sandbox_errors.find_cause(ename, message, plan)
    assert (cause.partition(":")[0] if cause else None) == kind
