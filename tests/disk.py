"""A disk without room, for what this process writes."""

from __future__ import annotations

import contextlib
import resource
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def no_room() -> Iterator[None]:
    """No file may grow: files are made, and stay empty (Python ignores SIGXFSZ, so that a write is an OSError)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    writes_byte_code, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python would leave some that is cut off
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        sys.dont_write_bytecode = writes_byte_code
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
