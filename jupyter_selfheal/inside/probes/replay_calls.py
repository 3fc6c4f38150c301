"""Make calls that were noted in earlier cells again, as the functions are now, and say which give something else.

Sent as the source of a probe, before the failing cell of a trial: what that cell changes cannot mix with what the patch does. It all
happens in a fork of the trial, which the calls leave as it is.
"""

from __future__ import annotations

import inspect
from typing import Any

from jupyter_selfheal.inside.probes import seen_calls
from jupyter_selfheal.inside.search.confined_forks import run_in_fork

WAIT = 20.0
"""Seconds on the clock in which all calls must have been made; the CPU time of each is limited."""


def probe(shell: Any, last: Any, argument: Any) -> list[dict[str, Any]] | None:
    """``argument["calls"]`` are calls as :mod:`.record_calls` describes them; those with instances of the classes in
    ``argument["reshaped"]`` are left out. For each that can be compared: what was called, where, how it changed, and of which packages
    what is given and what it gave are."""
    if not argument["calls"]:
        return []
    results = run_in_fork(lambda: _replay_each(shell.user_ns, argument["calls"], set(argument["reshaped"])), WAIT)
    return results if isinstance(results, list) else None


def _replay_each(space: dict[str, Any], calls: list[dict[str, Any]], reshaped: set[str]) -> list[dict[str, Any]]:
    results = []
    for number, seen in enumerate(calls):
        if not reshaped.isdisjoint(seen["classes"]):
            continue
        found = _find_change(
            space, seen["name"], seen_calls.from_text(seen["given"]), seen_calls.from_text(seen["gave"])
        )
        if found is not None:
            results.append(
                {"call": seen["text"], "name": seen["name"], "cell": seen["cell"], "gave": seen["shown"], "change": found[0],
                 "packages": found[1], "number": number}
            )  # fmt: skip
    return results


def _find_change(space: dict[str, Any], name: str, given: bytes, gave: bytes) -> tuple[str, list[str]] | None:
    """What a call gave and gives now, in words (empty where that is the same), and the packages; None where the two cannot be compared."""
    function = seen_calls.find_callable(space, name)
    try:
        arguments, named, *_ = seen_calls.unpack(given, space)
        before = seen_calls.unpack_outcome(gave, space)
        if function is None:
            return None
        inspect.signature(function).bind(*arguments, **named)
    except Exception:  # it takes other arguments now, or they can no longer be made
        return None
    now = seen_calls.call(space, name, given, seen_calls.PATIENCE * seen_calls.SECONDS)
    if now.kind not in (seen_calls.VALUE, seen_calls.ERROR):
        return None
    parts = before.value if isinstance(before.value, tuple | list) else (before.value,)
    packages = {type(v).__module__.partition(".")[0] for v in (*parts, *arguments, *named.values())}
    return before.find_change(now), sorted(packages)
