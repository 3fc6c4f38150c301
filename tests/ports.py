"""Ports that nobody else is given while a test runs."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

BLOCKS = range(20_000, 32_000, 100)
"""Where blocks of a hundred ports begin: below those that the system hands out (from 32,768 on, in Linux)."""

HELD = 2
"""Blocks that are kept: what still looks for a kernel that has ended must not meet another program's."""


def _take_block(after: int) -> socket.socket:
    """Bind the first port of a block, which makes the others ours: of this process, whatever else runs tests on this machine.

    The free one that comes next, so that ports of a block that was let go are seldom had again soon.
    """
    for first in sorted(BLOCKS, key=lambda block: (block <= after, block)):
        taken = socket.socket()
        with suppress(OSError):
            taken.bind(("127.0.0.1", first))
            return taken
        taken.close()
    raise AssertionError("no block of ports is left")


def _count_ports() -> Iterator[int]:
    held: list[socket.socket] = []
    first = 0
    while True:
        held.append(_take_block(first))
        first = held[-1].getsockname()[1]
        yield from range(first + 1, first + BLOCKS.step)
        if len(held) > HELD:
            held.pop(0).close()


PORTS = _count_ports()
"""Others for each process: two kernels that start at once must not be given the same one."""


def choose_port() -> int:
    """The next port that nobody listens on."""
    for port in PORTS:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("no port is left")
