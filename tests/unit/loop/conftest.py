from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from jupyter_selfheal.model import Oracle
from tests.stages import NO_ORACLE, Stage, staged


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    """Makes stages, and closes their states."""
    with contextlib.ExitStack() as stack:

        def make(*sources: str, oracle: Oracle = NO_ORACLE) -> Stage:
            made = staged(*sources, oracle=oracle)
            for kernel in (*made.starts.before, *made.starts.after):
                stack.callback(kernel.close)
            return made

        yield make
