"""Sources that are sent to a trial kernel: standard library only, each defines ``probe(shell, last, argument)``."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=None)
def source_of(name: str) -> str:
    """The text of the probe module ``name`` (``expected``, ``doctests``)."""
    return resources.files(__name__).joinpath(f"{name}.py").read_text("utf-8")
