"""What a trial's report means: how it ended, how long each phase took, what it was isolated by. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jupyter_selfheal.inside.fork import sandbox
from jupyter_selfheal.kernels.deaths import describe_death
from jupyter_selfheal.kernels.trial_results import ResultReader
from jupyter_selfheal.model import Ending, Isolation, Sandbox
from jupyter_selfheal.numbers import read_number


def find_ending(report: Mapping[str, Any], reading: ResultReader) -> tuple[Ending, str]:
    """How a trial ended, by the guard's report and the trial's own last word; the detail is for a person."""
    word, code = report.get("ending", "finished"), int(report.get("code", 0))
    if word == "cancelled":
        return Ending.CANCELLED, "the state was closed while the trial ran"
    if word == "timed out":
        return Ending.TIMED_OUT, "the time limit was reached"
    if reading.done is not None:
        refused = reading.done.get("refused")
        return Ending.FINISHED, f"the state could not be kept: {refused}" if refused else ""
    stderr = str(report.get("tail", {}).get("stderr", ""))
    peak_mb = read_number(report.get("peak_mb"), 0) or 0.0
    return describe_death(code, peak_mb, oom=bool(report.get("oom")), stderr=stderr)


def measure_phases(began: float, now: float, marks: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds by phase; the marks are of the system's one monotonic clock.

    ``ahead``, which is no part of the sum, is what forking the processes took before they were asked for.
    """
    phases, before = {}, began
    if "ahead" in marks:
        phases["ahead"] = round(marks["ahead"] * 1e3, 2)
    for name, at in [*((k, at) for k, at in marks.items() if k != "ahead"), ("reported", now)]:
        phases[name] = round((at - before) * 1e3, 2)
        before = at
    return phases


def describe_isolation(limits: Sandbox, probed: Mapping[str, str | None], on: tuple[str, ...]) -> Isolation:
    """What a trial within such limits is isolated by: the layers that were ``on``, else those that would be."""
    if not is_sandboxed(limits):
        return Isolation("forked")
    wanted_layers = sandbox.list_wanted_layers(limits.network, limits.writes)
    layers = on or tuple(layer for layer in [*wanted_layers, sandbox.LIMITS] if not probed.get(layer, "not probed"))
    missing = tuple(f"{layer}: {probed.get(layer) or 'not on'}" for layer in wanted_layers if layer not in layers)
    return Isolation("forked", tuple(layers), missing)


def is_sandboxed(limits: Sandbox) -> bool:
    """Whether anything at all is kept from the trial."""
    return not (limits.network and limits.lets_write and not limits.memory_mb)
