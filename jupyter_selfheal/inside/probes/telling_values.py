"""The values of variables whose names say that they are secrets, wherever they came from: they must not be sent.

Sent as the source of a probe to the state in which a cell failed. It calls nothing that the user made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from jupyter_selfheal.inside.telling_names import NAMES, is_likely_secret, is_telling

MOST, LONGEST, SHOWN = 200, 4_000, 100
"""Values that are told, characters that one has at most, and those of a longer one's beginning, which may be shown cut."""
FIELDS = 100
"""Entries of a collection that are looked at."""
DEPTH = 3


def probe(shell: Any, last: Any, argument: Any) -> list[str]:
    """The texts that stand under telling names: in variables, in local ones of what failed, in fields, columns and the environment."""
    found: dict[str, None] = {}
    environment = {name: value for name, value in os.environ.items() if NAMES.search(name)}
    for space in (shell.user_ns, *_list_frames(getattr(last, "error", None)), environment):
        for name in list(space):
            if len(found) < MOST and type(name) is str and not name.startswith("_"):
                try:
                    found.update(dict.fromkeys(_list_texts(name, space[name], is_telling(name), DEPTH)))
                except Exception:  # what cannot be looked at is not shown either
                    continue
    return list(found)[:MOST]


def _list_frames(error: Any) -> Iterator[dict[str, Any]]:
    step = getattr(error, "__traceback__", None)
    while step is not None:
        yield dict(step.tb_frame.f_locals)
        step = step.tb_next


def _list_texts(name: str, value: Any, tells: bool, depth: int) -> Iterator[str]:
    if isinstance(value, bytes) and tells:
        value = value[:LONGEST].decode("latin-1")
    if isinstance(value, str):
        if tells and is_likely_secret(name, value) and len(value) <= LONGEST:
            yield value
            if len(value) > SHOWN:
                yield value[:SHOWN]
        return
    if not depth:
        return
    if type(value) is dict:
        for key, item in list(value.items())[:FIELDS]:
            yield from _list_texts(str(key), item, tells or is_telling(str(key)), depth - 1)
    elif type(value) in (list, tuple, set) and tells:
        for item in list(value)[:FIELDS]:
            yield from _list_texts(name, item, tells, depth - 1)
    elif type(value).__module__.split(".")[0] == "pandas" and hasattr(value, "columns"):
        for column in [c for c in list(value.columns)[:FIELDS] if is_telling(str(c))]:
            yield from _list_texts(str(column), value[column].head(FIELDS).tolist(), True, depth - 1)
    elif type(vars(value) if hasattr(value, "__dict__") else None) is dict and type(value).__module__ == "__main__":
        yield from _list_texts(name, dict(vars(value)), tells, depth - 1)
