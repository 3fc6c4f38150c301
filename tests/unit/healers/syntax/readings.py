"""Readings of a cell, run against what it is expected to print."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from jupyter_selfheal.inside.search import try_readings


def run(
    readings: list[str],
    stdout: str,
    *,
    used: tuple[str, ...] = (),
    given: str = "",
    cpu: float = 9.0,
    asserts: tuple[str, ...] = (),
    **ns: Any,
) -> Any:
    """The reply. ``given`` is the cell that did not parse; without it all of a reading is taken for changed. ``cpu`` are the seconds for it,
    ``asserts`` what stands below the cell."""
    unit = {
        "text": readings[0],
        "role": "cell",
        "mutable": True,
        "cell": "c",
        "start": 0,
        "tests": False,
        "query": False,
    }
    checks = [{"text": text, "role": "check"} for text in asserts]
    program = {"units": [unit, *checks], "stdout": stdout, "copied": sorted(ns)}
    argument = {
        "program": program,
        "unit": 0,
        "known": sorted(ns),
        "used": list(used),
        "given": given,
        "cpu": cpu,
        "readings": [{"text": text, "cost": float(n)} for n, text in enumerate(readings, 1)],
    }
    return try_readings.probe(SimpleNamespace(user_ns=dict(ns)), None, argument)
