"""What expressions of a cell are: their kinds, and whether they are a copy of a part of a table."""

from __future__ import annotations

import sys
import types
from typing import Any

from jupyter_selfheal.inside.probes.review_state import answer, find_value, is_small_enough, name_kind, question

probe = answer

REDUCING = {"min": 2, "max": 2, "amin": 2, "amax": 2, "mean": 2, "sum": 3, "std": 3, "var": 3, "prod": 3}
"""Functions of NumPy that make one number of a table, each since which release of pandas."""
COUNTING = frozenset({"countplot"})
"""Functions of seaborn that count a column, which they took for a table since seaborn 0.12."""


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
def list_read_otherwise(namespace: dict[str, Any], pairs: list[list[str]]) -> list[str]:
    """For each [function, argument]: ``table`` where one number is made of a table, ``column`` where a column is drawn row by row; else empty."""
    return [_name_other_reading(find_value(namespace, f), find_value(namespace, given)) for f, given in pairs]


def _name_other_reading(function: Any, given: Any) -> str:
    library, name = str(getattr(function, "__module__", "")).partition(".")[0], getattr(function, "__name__", "")
    kind = name_kind(given)
    if kind == "DataFrame" and library == "numpy" and name in REDUCING and given.shape[1] > 1:
        return "table" if _read_release("pandas") >= (REDUCING[name], 0) else ""
    if kind != "Series" or library != "seaborn" or name not in COUNTING or _read_release("seaborn") < (0, 12):
        return ""
    repeats = getattr(given.dtype, "kind", "O") in "iufb" and is_small_enough(given) and given.nunique() < len(given)
    return "column" if repeats and type(given.index).__name__ == "RangeIndex" else ""


def _read_release(library: str) -> tuple[int, ...]:
    parts = str(getattr(sys.modules.get(library), "__version__", "0")).split(".")[:2]
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


@question
def is_numpy_function(namespace: dict[str, Any], name: str) -> bool:
    """Whether a name is bound to a function of NumPy."""
    value = namespace.get(name)
    return callable(value) and str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"
