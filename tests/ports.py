"""Ports that nobody else is given while a test runs."""

from __future__ import annotations

import itertools
import os
import socket

PORTS = itertools.count(20_000 + 3_000 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))
"""Below those that the system hands out, and others for each worker: two kernels that start at once must not be given the same one,
and what still looks for a kernel that has ended must not meet another program's."""


def choose_port() -> int:
    """The next port that nobody listens on."""
    for port in PORTS:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("no port is left")
