"""Whether a value is the one that was wanted: the one equality of expectations, of the search and of benchmarks.

Floats are equal within a tolerance, integers exactly, NaN equals NaN; ``True`` is 1, as in Python; lists and tuples differ;
arrays are compared by shape and kind, tables by index and columns. Runs inside a kernel: standard library only; NumPy and
pandas are used where the state has already imported them, never imported.
"""

from __future__ import annotations

import ast
import math
import numbers
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from jupyter_selfheal.inside.difference import SHOWN, Different, fail, show_value

RTOL = 1e-6
ATOL = 1e-9
"""Relative and absolute tolerance for floating-point numbers; integers are exact."""
STEPS = 1_000_000
"""Values that one comparison looks at, so that a structure of any size is compared in bounded time."""

_EXACT = frozenset({int, str, bytes, bool, type(None)})
"""Types whose own equality says it all; most values that candidates of a search give are of these."""
_SINGLE = _EXACT | {float, complex}
_NO_NUMBERS = frozenset({str, bytes, type(None)})
_BIG = 10**300
"""Integers beyond it are no floats."""


def is_equal(want: Any, got: Any) -> bool:
    """True where ``got`` is the value that was wanted."""
    try:
        is_plainly = _compare_plain(want, got)
        if is_plainly is None:
            _Comparison().compare(want, got, "")
    except Exception:
        return False
    return is_plainly is not False


def find_difference(want: Any, got: Any, where: str = "") -> str | None:
    """Where and how ``got`` differs from ``want``, in words; None where it does not."""
    try:
        _Comparison().compare(want, got, where)
    except Different as difference:
        return difference.format_reason()
    except Exception as error:
        return f"{where or 'the value'} cannot be compared: {type(error).__name__}: {error}"
    return None


def is_equal_text(want: str, got: str) -> bool:
    """True where two texts are literals of equal values: ``"21"`` and ``'21'``, ``{1, 2}`` and ``{2, 1}``."""
    try:
        return is_equal(ast.literal_eval(want.strip()), ast.literal_eval(got.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False


class _Comparison:
    """One comparison: the pairs that are left to look at, and how many were."""

    def __init__(self) -> None:
        self.pending: list[tuple[Iterator[tuple[Any, Any, str]], str]] = []
        self.active: set[tuple[int, int]] = set()
        self.kept: list[Any] = []
        self.steps = 0

    def compare(self, want: Any, got: Any, where: str) -> None:
        """Raise Different where the values differ. Depth is no limit: what is inside waits in a list."""
        self._compare_pair(want, got, where)
        while self.pending:
            pairs, outer = self.pending[-1]
            pair = next(pairs, None)
            if pair is None:
                self.pending.pop()
            else:
                self._compare_pair(pair[0], pair[1], outer + pair[2])

    def _compare_pair(self, want: Any, got: Any, where: str) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise Different("", f"{where or 'the value'} is too big to compare")
        is_plainly = want is got or _compare_plain(want, got)
        if is_plainly:
            return
        if is_plainly is False and not isinstance(want, list | tuple):  # of those it is said which item differs
            fail(want, got, where)
        want, got = _to_plain(want), _to_plain(got)
        for compare in (_compare_numbers, _compare_texts, _compare_missing):
            if compare(want, got, where):
                return
        if (id(want), id(got)) in self.active:  # met again: equal if the rest is
            return
        self.active.add((id(want), id(got)))
        self.kept += (want, got)  # alive, so that no other object gets its id
        for begin in (_begin_pandas, _begin_arrays, _begin_mappings, _begin_sets, _begin_sequences, _begin_objects):
            pairs = begin(want, got, where)
            if pairs is not None:
                self.pending.append((pairs, where))
                return


def _compare_plain(want: Any, got: Any) -> bool | None:
    """Whether built-in values without depth are equal; None where that takes a closer look. Most values of a search end here."""
    kind, other = type(want), type(got)
    if kind is not other:
        if (kind is int or kind is float) and (other is int or other is float):
            return bool(want == got) or (_is_close(want, got) if -_BIG < want < _BIG and -_BIG < got < _BIG else None)
        is_decided = kind in _SINGLE and other in _SINGLE and (kind in _NO_NUMBERS or other in _NO_NUMBERS)
        return False if is_decided else None
    if kind in _EXACT:
        return bool(want == got)
    if kind is float:
        return bool(want == got) or _is_close(want, got)
    if kind is list or kind is tuple:
        if len(want) == len(got) and _SINGLE.issuperset(map(type, want)):
            return bool(want == got) or (False if _EXACT.issuperset(map(type, (*want, *got))) else None)
    elif kind is dict and _SINGLE.issuperset(map(type, want.values())):
        return bool(want == got) or None
    return None


def _to_plain(value: Any) -> Any:
    """A NumPy scalar as the Python number it is; ranges and views of a dictionary's values as lists."""
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ != "ndarray" and hasattr(kind, "dtype"):
        return value.item() if getattr(value, "shape", None) == () else value
    if kind is range or kind.__name__ == "dict_values":
        return _Items(value)
    if hasattr(kind, "toarray") and hasattr(kind, "nnz"):
        return value.toarray()
    return value


class _Items(list[Any]):
    """The items of a range or of a view, not more than are looked at."""

    def __init__(self, items: Any) -> None:
        super().__init__(islice(items, STEPS + 1))


# --- single values: True where both are of that kind and equal, False where neither is ---


def _compare_numbers(want: Any, got: Any, where: str) -> bool:
    if not isinstance(want, numbers.Number) or not isinstance(got, numbers.Number):
        return False
    if not _is_same_number(want, got):
        fail(want, got, where)
    return True


def _is_same_number(want: Any, got: Any) -> bool:
    try:
        if isinstance(want, complex) or isinstance(got, complex):
            a, b = complex(want), complex(got)
            return _is_close(a.real, b.real) and _is_close(a.imag, b.imag)
        if isinstance(want, int) and isinstance(got, int):
            return want == got
        return bool(want == got) or _is_close(float(want), float(got))
    except (ArithmeticError, ValueError, TypeError):  # no float is that big; a signalling NaN
        return False


def _is_close(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL)


def _compare_texts(want: Any, got: Any, where: str) -> bool:
    if not isinstance(want, str | bytes) and not isinstance(got, str | bytes):
        return False
    if not (isinstance(want, str) is isinstance(got, str) and want == got):
        fail(want, got, where)
    return True


def _compare_missing(want: Any, got: Any, where: str) -> bool:
    """None, NaT and pandas.NA equal themselves and only what is missing too."""
    marks = [_is_missing(want), _is_missing(got)]
    if not any(marks):
        return False
    if not all(marks) or (want is None) != (got is None):
        fail(want, got, where)
    return True


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NaTType", "NAType")


# --- values that hold others: the pairs that are to be equal, None where neither is of that kind ---

Pairs = Iterator[tuple[Any, Any, str]]


def _pair_values(want: Any, got: Any, where: str = "") -> Pairs:
    return iter([(want, got, where)])


def _begin_pandas(want: Any, got: Any, where: str) -> Pairs | None:
    pandas: Any = sys.modules.get("pandas")
    kinds: tuple[Any, ...] = ()
    if hasattr(pandas, "DataFrame"):
        kinds = (pandas.DataFrame, pandas.Series, pandas.Index)
    if not isinstance(got, kinds):
        return fail(want, got, where) if isinstance(want, kinds) else None
    if isinstance(want, list | tuple):
        return _pair_values(list(want), got.values.tolist())
    if isinstance(want, dict) and got.ndim == 2:
        return _pair_values(want, got.to_dict("list"))
    if isinstance(want, dict) and hasattr(got, "to_dict"):
        return _pair_values(want, got.to_dict())
    kind = next((k for k in kinds if isinstance(want, k)), None)
    if kind is None or not isinstance(got, kind):
        raise Different(where, f"expected a {type(want).__name__}, got a {type(got).__name__}")
    if want.shape != got.shape:
        raise Different(where, f"expected shape {want.shape}, got {got.shape}")
    return _pair_table(want, got)


def _pair_table(want: Any, got: Any) -> Pairs:
    """The parts of two tables, columns, or indexes."""
    if not hasattr(want, "index"):
        yield _to_column(want), _to_column(got), ""
    elif want.ndim == 1:
        yield _to_column(want.index), _to_column(got.index), "index"
        yield _to_column(want), _to_column(got), "values"
    else:
        yield _to_column(want.index), _to_column(got.index), "index"
        yield _to_column(want.columns), _to_column(got.columns), "columns"
        for n, name in enumerate(want.columns):
            yield _to_column(want.iloc[:, n]), _to_column(got.iloc[:, n]), f"column {name!r}"


def _to_column(values: Any) -> Any:
    """A column of floats as an array, which is compared at once; any other as a list (5 is 5.0 there)."""
    kind = getattr(values.dtype, "kind", "O")
    return values.to_numpy(dtype=float) if kind in "f" and hasattr(values, "to_numpy") else _Items(values.tolist())


def _begin_arrays(want: Any, got: Any, where: str) -> Pairs | None:
    numpy: Any = sys.modules.get("numpy")
    kind: Any = getattr(numpy, "ndarray", ())
    if isinstance(got, kind) and isinstance(want, list | tuple):
        return _pair_values(list(want), got.tolist())
    if isinstance(want, kind) and isinstance(got, _Items):
        return _pair_values(_Items(want.tolist()), got)
    if not isinstance(want, kind) and not isinstance(got, kind):
        return None
    if not isinstance(want, kind) or not isinstance(got, kind):
        return fail(want, got, where)
    if want.shape != got.shape:
        raise Different(where, f"expected shape {want.shape}, got {got.shape}")
    if _find_kind_of_dtype(want) != _find_kind_of_dtype(got):
        raise Different(where, f"expected dtype {want.dtype}, got {got.dtype}")
    if want.dtype.kind not in "fciub":
        return _pair_values(want.tolist(), got.tolist())
    is_float = want.dtype.kind in "fc"
    equal = numpy.isclose(got, want, rtol=RTOL, atol=ATOL, equal_nan=True) if is_float else want == got
    if not bool(equal.all()):
        at = numpy.argwhere(~equal)[0].tolist() if want.ndim else []
        fail(want[tuple(at)], got[tuple(at)], f"{where}{at}")
    return iter(())


def _find_kind_of_dtype(array: Any) -> str:
    letter: str = array.dtype.kind
    return {"u": "i", "S": "U", "O": "U", "T": "U"}.get(letter, letter)


def _begin_mappings(want: Any, got: Any, where: str) -> Pairs | None:
    if not isinstance(want, Mapping) and not isinstance(got, Mapping):
        return None
    if not isinstance(want, Mapping) or not isinstance(got, Mapping):
        return fail(want, got, where)
    lacking, extra = [k for k in want if k not in got], [k for k in got if k not in want]
    if lacking or extra:
        keys_by_word = (("lacks", lacking), ("has also", extra))
        parts = [f"{word} {show_value(keys[:5], SHOWN)}" for word, keys in keys_by_word if keys]
        raise Different(where, " and ".join(parts))
    return ((want[key], got[key], f"[{show_value(key, 60)}]") for key in want)


def _begin_sets(want: Any, got: Any, where: str) -> Pairs | None:
    """Sets and views of keys. An item may stand for another within the tolerance, so what is not found is looked for."""
    if not isinstance(want, Set) and not isinstance(got, Set):
        return None
    if not isinstance(got, Set) or not isinstance(want, Set):
        view, other = (want, got) if isinstance(want, Set) else (got, want)
        if isinstance(view, set | frozenset) or not isinstance(other, list | tuple):
            return fail(want, got, where)
        return _pair_values(_Items(want), _Items(got))
    if len(want) != len(got):
        return fail(want, got, where)
    _match_items([v for v in want if v not in got], [v for v in got if v not in want], where)
    return iter(())


def _match_items(left: list[Any], right: list[Any], where: str) -> None:
    """Raise Different unless each item has its own partner; in as many steps as there are for a comparison."""
    if all(isinstance(v, int | float) for v in (*left, *right)):
        left, right = sorted(left, key=_sort_key), sorted(right, key=_sort_key)
    steps = 0
    for item in left:
        for n, other in enumerate(right):
            steps += 1
            if is_equal(item, other):
                right.pop(n)
                break
            if steps > STEPS // 100:
                raise Different("", f"{where or 'the value'} is too big to compare")
        else:
            raise Different(where, f"lacks {show_value(item, SHOWN)}")


def _sort_key(number: float) -> tuple[bool, float]:
    return number != number, number


def _begin_sequences(want: Any, got: Any, where: str) -> Pairs | None:
    kinds: tuple[type[Sequence[Any]], ...] = (list, tuple)
    for kind in kinds:
        if isinstance(want, kind) or isinstance(got, kind):
            if not (isinstance(want, kind) and isinstance(got, kind)):
                return fail(want, got, where)
            if len(want) != len(got):
                fail(want, got, where, f" ({len(want)} items expected, {len(got)} got)")
            return ((a, b, f"[{n}]") for n, (a, b) in enumerate(zip(want, got, strict=True)))
    return None


def _begin_objects(want: Any, got: Any, where: str) -> Pairs:
    """Anything else by its own equality; objects of a class that defines none, or that was defined anew, by attributes."""
    try:
        if bool(want == got):
            return iter(())
    except Exception as error:
        reason = f"{where or 'the value'} cannot be compared: {type(error).__name__}: {error}"
        raise Different("", reason) from None
    one, two = type(want), type(got)
    has_own_equality = one is two and any("__eq__" in vars(base) for base in one.__mro__[:-1])
    is_same_class = one is two or (one.__module__, one.__qualname__) == (two.__module__, two.__qualname__)
    if is_same_class and not has_own_equality and getattr(want, "__dict__", None):
        return _pair_values(vars(want), vars(got), "" if where else one.__name__)
    return fail(want, got, where)
