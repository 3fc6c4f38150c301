"""What live variables look like, asked inside the state in which the cell failed.

Sent there as source (see :class:`jupyter_selfheal.model.Probe`): standard library only. It never calls what the user made:
types, shapes, column names and lengths are read off known classes; ``repr`` only of plain values, and only where asked for.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

TEXT = 240
"""Characters of one line of the summary."""

LOCALS = 10
"""Local variables that are told of the function in which it failed."""

KEYS = 12
"""Keys of a dictionary that are told."""

RECORD = 30
"""Keys that a dictionary has at most to be a record, whose keys are structure like a table's columns; more are data."""

FIELD = re.compile(r"[^\W\d][\w .\-]{0,39}")
"""What a field of a record is called."""

PLAIN = (bool, int, float, complex, str, bytes, type(None))


def probe(shell: Any, last: Any, argument: Any) -> dict[str, str]:
    """One line for each of ``argument["names"]`` that exists, previews of values only with ``argument["values"]``.

    Of the dictionaries in ``argument["keyed"]``, which the failing statements look something up in, the keys are told like
    the columns of a table. Where the failure came up in a function of the notebook, its local variables follow, as
    ``function.variable``.
    """
    space, values, keyed = shell.user_ns, bool(argument["values"]), set(argument["keyed"])
    lines = {name: summarise_safely(space[name], values, name in keyed) for name in argument["names"] if name in space}
    function, local = find_innermost(getattr(last, "error", None), space)
    for name in list(local)[:LOCALS]:
        lines[f"{function}.{name}"] = summarise_safely(local[name], values, name in keyed)
    return lines


def find_innermost(error: Any, space: Any) -> tuple[str, dict[str, Any]]:
    """The last function of the user's own in the traceback, and its local variables; nothing where the cell itself raised."""
    innermost: tuple[str, dict[str, Any]] = ("", {})
    step = getattr(error, "__traceback__", None)
    while step is not None:
        frame = step.tb_frame
        if frame.f_globals is space and frame.f_locals is not space:
            innermost = (frame.f_code.co_name, dict(frame.f_locals))
        step = step.tb_next
    return innermost


def summarise_safely(value: Any, values: bool, keyed: bool = False) -> str:
    """The summary of one object, bounded; it never raises."""
    try:
        return summarise(value, values, keyed)[:TEXT]
    except Exception as error:
        return f"{type(value).__name__} (cannot be read: {type(error).__name__})"


def summarise(value: Any, values: bool, keyed: bool = False) -> str:
    """The line for one object; of a dictionary that is ``keyed`` with the names of its fields."""
    kind = type(value)
    home = (kind.__module__ or "").split(".")[0]
    if inspect.ismodule(value):
        return f"module {value.__name__} {getattr(value, '__version__', '')}".strip()
    if inspect.isclass(value):
        return f"class {value.__name__}"
    if inspect.isroutine(value):
        return f"function {getattr(value, '__name__', '?')}{_format_signature(value)}"
    if home == "pandas":
        return _summarise_pandas(value, values)
    if home in ("numpy", "torch", "tensorflow", "jax", "polars", "scipy", "xarray") and hasattr(value, "shape"):
        shape, dtype = tuple(value.shape), getattr(value, "dtype", "")
        return (
            f"{home}.{kind.__name__} shape {shape} dtype {dtype}{_format_preview(value, values and _is_small(value))}"
        )
    if isinstance(value, PLAIN):
        length = f" of length {len(value)}" if isinstance(value, str | bytes) else ""
        return f"{kind.__name__}{length}{_format_preview(value, values)}"
    if kind in (list, tuple, set, frozenset):
        return f"{kind.__name__} of {len(value)}: {_list_kinds(value)}{_format_preview(value, values and _is_plain(value))}"
    if kind is dict:
        shows_keys = values or (keyed and is_record(value))
        keys = f", keys {list(value)[:KEYS]!r}" if shows_keys else f", keys: {_list_kinds(value)}"
        return f"dict of {len(value)}{keys}, values: {_list_kinds(value.values())}"
    return f"{kind.__module__}.{kind.__qualname__}"


def is_record(value: Any) -> bool:
    """Whether the keys of a dictionary are the names of fields: few of them, and words. Others may be data of the user's."""
    return len(value) <= RECORD and all(type(key) is str and FIELD.fullmatch(key) for key in value)


def _format_signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"


def _summarise_pandas(value: Any, values: bool) -> str:
    kind = type(value).__name__
    if kind == "DataFrame":
        columns = ", ".join(f"{name!r}: {dtype}" for name, dtype in list(value.dtypes.items())[:30])
        more = f", and {value.shape[1] - 30} more" if value.shape[1] > 30 else ""
        head = f"; first row {list(value.iloc[0])!r}" if values and len(value) else ""
        return f"pandas.DataFrame shape {value.shape}, columns {{{columns}{more}}}, index {value.index.dtype}{head}"
    if kind == "Series":
        head = f"; first {value.head(3).tolist()!r}" if values else ""
        return (
            f"pandas.Series length {len(value)} dtype {value.dtype} name {value.name!r} index {value.index.dtype}{head}"
        )
    return f"pandas.{kind} length {len(value)}" if hasattr(value, "__len__") else f"pandas.{kind}"


def _list_kinds(items: Any) -> str:
    """The types among the first hundred."""
    kinds: list[str] = []
    for n, item in enumerate(items):
        if n == 100:
            break
        if type(item).__name__ not in kinds:
            kinds.append(type(item).__name__)
    return ", ".join(kinds[:5]) or "empty"


def _is_small(value: Any) -> bool:
    size = 1
    for n in value.shape:
        size *= int(n)
    return size <= 50


def _is_plain(items: Any) -> bool:
    return len(items) <= 50 and all(isinstance(item, PLAIN) for item in items)


def _format_preview(value: Any, is_shown: bool) -> str:
    return f" = {repr(value)[:120]}" if is_shown else ""
