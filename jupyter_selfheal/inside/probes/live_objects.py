"""Questions of rules about live objects: what is known where a cell failed, what an expression is, and what it holds.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only, and syntax that every
supported kernel reads.
"""

from __future__ import annotations

import inspect
from typing import Any

from jupyter_selfheal.inside.probes.failure_state import (
    LIMIT,
    FailureState,
    answer,
    build_dotted_path,
    describe_object,
    question,
)

probe = answer

TABLE_COLUMNS = 500
DOCUMENTATION = 20_000


@question
def survey(state: FailureState, bound: list[str]) -> Any:
    """The live names with their types, the failing instruction's position, and what the exception itself holds.

    A name that IPython hides is there only if it is among ``bound``, the names that cells of the notebook bind.
    """
    names = {
        k: [type(v).__name__, callable(v)]
        for k, v in list(state.globals.items())
        if isinstance(k, str) and not k.startswith("_") and (k not in state.hidden or k in bound)
    }
    name = getattr(state.error, "name", None)
    arguments = getattr(state.error, "args", ())
    return {
        "names": names,
        "locals": {k: [type(v).__name__, callable(v)] for k, v in state.locals.items()},
        "position": state.position,
        "function": state.frame.f_code.co_name if state.frame is not None else "",
        "attribute": name if isinstance(name, str) else "",
        "arguments": [a if isinstance(a, (str, int, float, bool)) else repr(a)[:200] for a in arguments],
        "owner": _describe_owner(state.error),
    }


def _describe_owner(error: Any) -> Any:
    """The object that lacks the attribute of an AttributeError; None for any other error."""
    if not isinstance(error, AttributeError):
        return None
    if "NoneType" in str(error):
        return describe_object(None)
    owner = getattr(error, "obj", None)
    return None if owner is None else describe_object(owner)


@question
def describe(state: FailureState, expressions: list[str], calls: bool) -> Any:
    """What each expression is; None where it cannot be evaluated."""
    descriptions: list[Any] = []
    for text in expressions:
        try:
            descriptions.append(describe_object(state.evaluate(text, calls)))
        except Exception:
            descriptions.append(None)
    return descriptions


@question
def keys(state: FailureState, expressions: list[str], calls: bool = False) -> Any:
    """What each expression can be subscripted with; None where it cannot be evaluated."""
    found: list[Any] = []
    for text in expressions:
        try:
            found.append(_read_keys(state.evaluate(text, calls)))
        except Exception:
            found.append(None)
    return found


def _read_keys(obj: Any) -> dict[str, Any]:
    """A mapping's keys, a table's columns and index, a sequence's length."""
    known: dict[str, Any] = {"type": type(obj).__name__, "keys": [], "columns": [], "index": [], "index_names": []}
    if hasattr(obj, "groups") and hasattr(obj, "obj"):
        obj = obj.obj
    if hasattr(obj, "columns") and hasattr(obj, "index"):
        known["columns"] = _list_plain(obj.columns)
        known["index"] = _list_plain(list(obj.index[:LIMIT]))
        known["index_names"] = [n for n in obj.index.names if isinstance(n, str)]
    elif hasattr(obj, "index") and hasattr(obj, "iloc"):
        known["index"] = _list_plain(list(obj.index[:LIMIT]))
        known["index_names"] = [n for n in obj.index.names if isinstance(n, str)]
    elif hasattr(obj, "keys"):
        known["keys"] = _list_plain(list(obj.keys())[:LIMIT])
    known["length"] = len(obj) if hasattr(obj, "__len__") else -1
    return known


def _list_plain(values: Any) -> list[Any]:
    """Those of the values that are texts, numbers, None, or tuples of them (as lists)."""
    plain: list[Any] = []
    for value in values:
        if isinstance(value, (str, int, float, bool)) or value is None:
            plain.append(value)
        elif isinstance(value, tuple) and all(isinstance(v, (str, int, float, bool)) for v in value):
            plain.append(list(value))
        elif hasattr(value, "item"):
            try:
                plain.append(value.item())
            except (ValueError, TypeError, AttributeError):
                continue
        if len(plain) >= LIMIT:
            break
    return [v for v in plain if isinstance(v, (str, int, float, bool, list)) or v is None]


@question
def table(state: FailureState, expression: str) -> Any:
    """The columns and the index of a table or series: names, dtypes, kind of index; None where the value is neither."""
    obj = state.evaluate(expression, True)
    index = getattr(obj, "index", None)
    if index is None or not hasattr(obj, "iloc"):
        return None
    columns = list(obj.columns[:TABLE_COLUMNS]) if hasattr(obj, "columns") else []
    return {
        "index_type": build_dotted_path(type(index)),
        "index_dtype": str(getattr(index, "dtype", "")),
        "length": len(obj),
        "columns": [c if isinstance(c, (str, int)) else repr(c) for c in columns],
        "dtypes": [str(d) for d in list(obj.dtypes)[:TABLE_COLUMNS]] if columns else [],
    }


@question
def signature(state: FailureState, expression: str, calls: bool) -> Any:
    """Parameters of a callable: [name, kind, default as text, has a default]; for a class those of its constructor."""
    obj = state.evaluate(expression, calls)
    parameters = [
        [p.name, p.kind.name, "" if p.default is p.empty else repr(p.default)[:60], p.default is not p.empty]
        for p in inspect.signature(obj).parameters.values()
    ]
    return {
        "parameters": parameters,
        "is_class": isinstance(obj, type),
        "documentation": (obj.__doc__ or "")[:DOCUMENTATION],
    }


@question
def show_values(state: FailureState, expressions: list[str]) -> Any:
    """Short texts of expressions: [[type, repr capped at 200, number or None], …]; None where one cannot be evaluated."""
    values: list[Any] = []
    for text in expressions:
        try:
            value = state.evaluate(text)
            number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
            values.append([type(value).__name__, repr(value)[:200], number])
        except Exception:
            values.append(None)
    return values


@question
def number(state: FailureState, expression: str) -> Any:
    """The number that an expression is; None where it is none."""
    value = state.evaluate(expression, True)
    if isinstance(value, (bool, str)) or (hasattr(value, "ndim") and value.ndim):
        return None
    return value if isinstance(value, (int, float)) else float(value)


@question
def are_true(state: FailureState, conditions: list[str]) -> Any:
    """Whether each condition holds; false where it cannot be evaluated."""
    found: list[bool] = []
    for text in conditions:
        try:
            found.append(bool(state.evaluate("bool(" + text + ")", True)))
        except Exception:
            found.append(False)
    return found
