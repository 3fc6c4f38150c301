"""How likely each slip is: the table beside this file."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _read_slips() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8"))


@cache
def find_cost(kind: str) -> float:
    """What a slip costs (``insert.comma``), or another number of the table."""
    group, _, name = kind.rpartition(".")
    table = _read_slips()
    return float(table[group][name] if group else table[name])
