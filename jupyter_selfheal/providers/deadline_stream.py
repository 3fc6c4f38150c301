"""A response's bytes with a deadline. Imported with the first call only, as httpx2 is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx2


class DeadlineStream(httpx2.SyncByteStream):
    """``check`` is called for all that comes, pings and comments too: they reset a read timeout, and no event tells of them."""

    def __init__(self, stream: httpx2.SyncByteStream, check: Callable[[], None]) -> None:
        self._stream = stream
        self._check = check

    def __iter__(self) -> Iterator[bytes]:
        for data in self._stream:
            self._check()
            yield data

    def close(self) -> None:
        self._stream.close()


def check_while_reading(response: httpx2.Response, check: Callable[[], None]) -> None:
    """Let ``check`` raise while the body of a response comes in."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = DeadlineStream(response.stream, check)
