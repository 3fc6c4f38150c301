"""Compare a value with what the user expects, inside the trial kernel.

Sent there as source (see :class:`jupyter_selfheal.model.Probe`): standard library only; NumPy and pandas are used where the
state has already imported them, never imported.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterator, Mapping, Set
from typing import Any

RTOL = 1e-6
ATOL = 1e-9
"""Relative and absolute tolerance for floating-point numbers; integers are exact."""

DEPTH = 40


def probe(shell: Any, last: Any, argument: Any) -> dict[str, Any]:
    """Evaluate ``argument["expect"]`` in the user's namespace and compare the last cell's value with it.

    ``argument["name"]`` is the variable that the cell's last statement assigns: it stands in where the cell displays nothing.
    """
    space = dict(shell.user_ns)
    for name, value in _conveniences():
        space.setdefault(name, value)
    got = last.result
    if got is None and argument.get("name") in shell.user_ns:
        got = shell.user_ns[argument["name"]]
    try:
        want = eval(argument["expect"], space)
    except Exception as error:
        why = f"the expectation cannot be evaluated: {type(error).__name__}: {error}"
        return {"ok": False, "expected": argument["expect"], "got": show(got), "why": why, "covers": 0}
    why = difference(want, got)
    return {"ok": not why, "expected": show(want), "got": show(got), "why": why, "covers": size(want)}


def _conveniences() -> Iterator[tuple[str, Any]]:
    """Names that an expectation may use though the notebook did not import them under that name."""
    yield from (("nan", math.nan), ("inf", math.inf), ("math", math))
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and hasattr(numpy, "ndarray"):
        yield from (("np", numpy), ("numpy", numpy), ("array", numpy.array))
    if pandas is not None and hasattr(pandas, "DataFrame"):
        yield from (("pd", pandas), ("pandas", pandas), ("DataFrame", pandas.DataFrame), ("Series", pandas.Series))


def show(value: Any, limit: int = 400) -> str:
    """A bounded ``repr``."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}: repr raises {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def size(value: Any) -> int:
    """How many single values an expectation pins down."""
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        return 1
    try:
        return max(1, int(getattr(value, "size", 0) or len(value)))
    except TypeError:
        return 1


def difference(want: Any, got: Any, at: str = "", depth: int = 0) -> str:
    """Where and how ``got`` differs from ``want``; empty where it does not."""
    if want is got:
        return ""
    if depth > DEPTH:
        return f"{at or 'the value'} is nested too deeply to compare"
    want, got = _plain(want), _plain(got)
    for compare in (_numbers, _texts, _missing, _pandas, _arrays, _mappings, _sets, _sequences):
        found = compare(want, got, at, depth)
        if found is not None:
            return found
    return _others(want, got, at, depth)


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python number it is; dictionary views and ranges as lists."""
    kind = type(value)
    if kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item() if hasattr(kind, "dtype") and kind.__name__ != "ndarray" else value
    if isinstance(value, range) or kind.__name__ in ("dict_keys", "dict_values", "dict_items"):
        return list(value)
    return value


def _differs(want: Any, got: Any, at: str) -> str:
    return f"{at + ': ' if at else ''}expected {show(want, 160)}, got {show(got, 160)}"


def _numbers(want: Any, got: Any, at: str, depth: int) -> str | None:
    if not isinstance(want, numbers.Number) or not isinstance(got, numbers.Number):
        return None
    if isinstance(want, complex) or isinstance(got, complex):
        a, b = complex(want), complex(got)  # type: ignore[call-overload]
        same = _close(a.real, b.real) and _close(a.imag, b.imag)
    elif isinstance(want, int) and isinstance(got, int):
        same = want == got
    else:
        try:
            same = bool(want == got) or _close(float(want), float(got))  # type: ignore[arg-type]
        except (OverflowError, ValueError):
            same = False
    return "" if same else _differs(want, got, at)


def _close(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL)


def _texts(want: Any, got: Any, at: str, depth: int) -> str | None:
    if isinstance(want, str | bytes) or isinstance(got, str | bytes):
        return "" if type(want) is type(got) and want == got else _differs(want, got, at)
    return None


def _missing(want: Any, got: Any, at: str, depth: int) -> str | None:
    """None, NaT and pandas.NA equal themselves and only what is missing too."""
    marks = [_is_missing(want), _is_missing(got)]
    if not any(marks):
        return None
    return "" if all(marks) and (want is None) == (got is None) else _differs(want, got, at)


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NaTType", "NAType")


def _pandas(want: Any, got: Any, at: str, depth: int) -> str | None:
    pandas = sys.modules.get("pandas")
    if pandas is None or not hasattr(pandas, "DataFrame"):
        return None
    kinds = (pandas.DataFrame, pandas.Series, pandas.Index)
    if not isinstance(got, kinds):
        return _differs(want, got, at) if isinstance(want, kinds) else None
    if isinstance(want, list | tuple):
        return difference(list(want), got.values.tolist(), at, depth + 1)
    if isinstance(want, dict) and not isinstance(got, pandas.Index):
        return difference(want, got.to_dict("list") if got.ndim == 2 else got.to_dict(), at, depth + 1)
    kind = next((k for k in kinds if isinstance(want, k)), None)
    if kind is None or not isinstance(got, kind):
        return f"{at + ': ' if at else ''}expected a {type(want).__name__}, got a {type(got).__name__}"
    if want.shape != got.shape:
        return f"{at + ': ' if at else ''}expected shape {want.shape}, got {got.shape}"
    if kind is pandas.Index:
        return difference(want.tolist(), got.tolist(), at or "index", depth + 1)
    found = difference(want.index.tolist(), got.index.tolist(), f"{at}index", depth + 1)
    if found or kind is pandas.Series:
        return found or difference(want.tolist(), got.tolist(), at or "values", depth + 1)
    found = difference(want.columns.tolist(), got.columns.tolist(), f"{at}columns", depth + 1)
    for n, name in enumerate(want.columns):
        if found:
            break
        found = difference(want.iloc[:, n].tolist(), got.iloc[:, n].tolist(), f"{at}column {name!r}", depth + 1)
    return found


def _arrays(want: Any, got: Any, at: str, depth: int) -> str | None:
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ndarray"):
        return None
    want, got = (v.toarray() if hasattr(v, "toarray") and hasattr(v, "nnz") else v for v in (want, got))
    if isinstance(got, numpy.ndarray) and isinstance(want, list | tuple):
        return difference(list(want), got.tolist(), at, depth + 1)
    if not isinstance(want, numpy.ndarray) and not isinstance(got, numpy.ndarray):
        return None
    if not isinstance(want, numpy.ndarray) or not isinstance(got, numpy.ndarray):
        return _differs(want, got, at)
    if want.shape != got.shape:
        return f"{at + ': ' if at else ''}expected shape {want.shape}, got {got.shape}"
    if _kind(want.dtype.kind) != _kind(got.dtype.kind):
        return f"{at + ': ' if at else ''}expected dtype {want.dtype}, got {got.dtype}"
    if want.dtype.kind in "fc":
        close = numpy.isclose(want, got, rtol=RTOL, atol=ATOL, equal_nan=True)
        if bool(close.all()):
            return ""
        where = numpy.argwhere(~close)[0].tolist() if want.ndim else []
        return _differs(want[tuple(where)], got[tuple(where)], f"{at}{where}")
    return difference(want.tolist(), got.tolist(), at, depth + 1)


def _kind(letter: str) -> str:
    return {"u": "i", "S": "U", "O": "U", "T": "U"}.get(letter, letter)


def _mappings(want: Any, got: Any, at: str, depth: int) -> str | None:
    if not isinstance(want, Mapping) and not isinstance(got, Mapping):
        return None
    if not isinstance(want, Mapping) or not isinstance(got, Mapping):
        return _differs(want, got, at)
    lacking, extra = [k for k in want if k not in got], [k for k in got if k not in want]
    if lacking or extra:
        said = [f"{word} {show(keys[:5], 160)}" for word, keys in (("lacks", lacking), ("has also", extra)) if keys]
        return f"{at + ': ' if at else ''}{' and '.join(said)}"
    found = (difference(want[k], got[k], f"{at}[{show(k, 60)}]", depth + 1) for k in want)
    return next((f for f in found if f), "")


def _sets(want: Any, got: Any, at: str, depth: int) -> str | None:
    if not isinstance(want, Set) and not isinstance(got, Set):
        return None
    if not isinstance(want, Set) or not isinstance(got, Set) or len(want) != len(got):
        return _differs(want, got, at)
    left = list(got)
    for item in want:
        match = next((n for n, other in enumerate(left) if not difference(item, other, "", depth + 1)), -1)
        if match < 0:
            return f"{at + ': ' if at else ''}lacks {show(item, 160)}"
        left.pop(match)
    return ""


def _sequences(want: Any, got: Any, at: str, depth: int) -> str | None:
    for kind in (list, tuple):
        if isinstance(want, kind) or isinstance(got, kind):
            if not (isinstance(want, kind) and isinstance(got, kind)):
                return _differs(want, got, at)
            if len(want) != len(got):
                return f"{_differs(want, got, at)} ({len(want)} items expected, {len(got)} got)"
            found = (difference(a, b, f"{at}[{n}]", depth + 1) for n, (a, b) in enumerate(zip(want, got, strict=True)))
            return next((f for f in found if f), "")
    return None


def _defined(kind: type) -> set[str]:
    return {name for base in kind.__mro__ if base is not object for name in vars(base)}


def _others(want: Any, got: Any, at: str, depth: int) -> str:
    try:
        if bool(want == got):
            return ""
    except Exception as error:
        return f"{at or 'the value'} cannot be compared: {type(error).__name__}: {error}"
    if type(want) is type(got) and "__eq__" not in _defined(type(want)) and getattr(want, "__dict__", None):
        return difference(vars(want), vars(got), at or type(want).__name__, depth + 1)
    return _differs(want, got, at)
