"""Which tests need a library, told without importing it: what is imported while tests are collected stays in every worker.

A worker that holds scipy, pandas and the SDKs takes 26 ms for a fork where a lean one takes 8, and the search forks thousands of times.
"""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec

import pytest

__all__ = ["needs"]


def needs(*modules: str, least: int = 0, reason: str = "") -> pytest.MarkDecorator:
    """Skips a test where one of these modules is not installed, or the last of them in a release before ``least`` (its first number)."""
    missing = [name for name in modules if find_spec(name) is None]
    old = not missing and least and int(metadata.version(modules[-1]).partition(".")[0]) < least
    missing = [modules[-1]] if old else missing
    return pytest.mark.skipif(bool(missing), reason=reason or f"could not import '{(missing or modules)[0]}'")
