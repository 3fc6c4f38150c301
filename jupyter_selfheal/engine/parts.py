"""Parts are imported when they are configured, and not before: a heal by rules alone never loads a provider."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_part(module: str, name: str) -> Any:
    """What a module of this package calls by that name; the module is given by its dotted path below the package."""
    return getattr(import_module(f"jupyter_selfheal.{module}"), name)
