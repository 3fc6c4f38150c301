"""See docs/architecture.md."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """A module of ours that is imported when something of it is first used: loading the extension makes no class that only
    a failure needs."""

    def __init__(self, name: str) -> None:
        self._name = f"jupyter_selfheal.{name}"

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
