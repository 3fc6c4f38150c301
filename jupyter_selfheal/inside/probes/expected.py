"""Compare a value with what the user expects, inside the trial kernel.

Sent there as source (see :class:`jupyter_selfheal.model.Probe`), with the comparator: standard library only.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

from jupyter_selfheal.inside.comparator import find_difference
from jupyter_selfheal.inside.difference import show_value


def probe(shell: Any, last: Any, argument: Any) -> dict[str, Any]:
    """Evaluate ``argument["expect"]`` in the user's namespace and compare the last cell's value with it.

    ``argument["name"]`` is the variable that the cell's last statement assigns: it stands in where the cell displays nothing.
    """
    space = dict(shell.user_ns)
    for name, value in list_conveniences():
        space.setdefault(name, value)
    got = last.result
    if got is None and argument.get("name") in shell.user_ns:
        got = shell.user_ns[argument["name"]]
    try:
        want = eval(argument["expect"], space)
    except Exception as error:
        why = f"the expectation cannot be evaluated: {type(error).__name__}: {error}"
        return {"ok": False, "expected": argument["expect"], "got": show_value(got), "why": why, "covers": 0}
    difference = find_difference(want, got)
    return {
        "ok": difference is None, "expected": show_value(want), "got": show_value(got), "why": difference or "", "covers": count_values(want),
    }  # fmt: skip


def list_conveniences() -> Iterator[tuple[str, Any]]:
    """Names that an expectation may use though the notebook did not import them under that name."""
    yield from (("nan", math.nan), ("inf", math.inf), ("math", math))
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and hasattr(numpy, "ndarray"):
        yield from (("np", numpy), ("numpy", numpy), ("array", numpy.array))
    if pandas is not None and hasattr(pandas, "DataFrame"):
        yield from (
            ("pd", pandas),
            ("pandas", pandas),
            ("DataFrame", pandas.DataFrame),
            ("Series", pandas.Series),
            ("Timestamp", pandas.Timestamp),
            ("Timedelta", pandas.Timedelta),
        )


def count_values(value: Any) -> int:
    """How many single values an expectation pins down."""
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        return 1
    try:
        return max(1, int(getattr(value, "size", 0) or len(value)))
    except TypeError:
        return 1
