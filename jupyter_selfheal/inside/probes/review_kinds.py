"""What expressions of a cell are: their kinds, and whether they are a copy of a part of a table."""

from __future__ import annotations

import sys
import types
from typing import Any

from jupyter_selfheal.inside.probes.review_state import answer, find_value, name_kind, question

probe = answer


@question
def list_kinds(namespace: dict[str, Any], texts: list[str]) -> dict[str, str]:
    """The kind of each expression; ``method`` for a bound method of an object that is neither a module nor a class."""
    kinds = {}
    for text in texts:
        value = find_value(namespace, text)
        owner = getattr(value, "__self__", None)
        is_method = isinstance(value, (types.MethodType, types.BuiltinMethodType)) and owner is not None
        if is_method and not isinstance(owner, (types.ModuleType, type)):
            kinds[text] = "method"
        else:
            kinds[text] = name_kind(value)
    return kinds


@question
def list_copies(namespace: dict[str, Any], pairs: list[list[str]]) -> list[bool]:
    """For each [part, whole]: whether the part is a copy, so that changing it leaves the whole as it is."""
    return [_is_copy(namespace, part, whole) for part, whole in pairs]


def _is_copy(namespace: dict[str, Any], part: str, whole: str) -> bool:
    if name_kind(find_value(namespace, whole)) not in ("DataFrame", "Series"):
        return False
    kind = name_kind(find_value(namespace, part))
    if kind not in ("DataFrame", "Series"):
        return False
    return _copies_on_write() or kind == "DataFrame"


def _copies_on_write() -> bool:
    """pandas 3 always; pandas 2 where it was switched on. Before, a column was a view of its table."""
    pandas = sys.modules.get("pandas")
    version = str(getattr(pandas, "__version__", "0")).partition(".")[0]
    if version.isdigit() and int(version) >= 3:
        return True
    try:
        return pandas.options.mode.copy_on_write is True  # type: ignore[union-attr]
    except Exception:
        return False


@question
def is_numpy_function(namespace: dict[str, Any], name: str) -> bool:
    """Whether a name is bound to a function of NumPy."""
    value = namespace.get(name)
    return callable(value) and str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"
