"""The text of an output as the value that it shows, where it is one: what decides whether two texts differ in form only.

``array([1, 2])`` and ``array([1, 2], dtype=int64)``, ``{2, 1}`` and ``set([1, 2])``, ``OrderedDict([('a', 1)])`` and
``OrderedDict({'a': 1})``, ``LogisticRegression(C=1.0, dual=False)`` and ``LogisticRegression()`` show one value; ``[1, 2]`` and
``[2, 1]`` do not.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.scoring.output_text import is_same_token

LONGEST = 100_000
"""Characters of a text that is read as a value."""

MOST_PARTNERS = 300
"""Items of a set up to which each is looked for among all others; larger ones are compared in the order of their texts."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is printed."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequenced:
    """Items in an order: a list, a tuple, an array, a view of a dictionary."""

    kind: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Unordered:
    """The items of a set."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """The pairs of a dictionary."""

    pairs: tuple[tuple[Value, Value], ...]


@dataclass(frozen=True, slots=True)
class Called:
    """An object that shows itself as the call that makes it; ``options`` are the named ones."""

    name: str
    items: tuple[Value, ...]
    options: tuple[tuple[str, Value], ...]


Value: TypeAlias = "Number | Sequenced | Unordered | Mapped | Called | str | bytes | bool | None"

_SCALARS = re.compile(r"(?:float|int|uint|complex|str|bytes|bool|longdouble|object)\d*_?")
_SETS = frozenset({"set", "frozenset"})
_MAPPINGS = frozenset({"OrderedDict", "Counter", "defaultdict", "dict", "mappingproxy"})
_LISTS = frozenset({"array", "matrix", "dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items", "list"})  # fmt: skip
_KEYS = frozenset({"dict_keys", "dict_items"})
"""Views of a dictionary that are sets: until Python 3.6 they came in any order."""
_INDEXES = frozenset({"Index", "Int64Index", "Float64Index", "UInt64Index", "NumericIndex"})
_FREE_OPTIONS = frozenset({"dtype", "freq", "length", "copy"})
"""Named options of arrays, indexes and times that a release prints and the next does not."""
_SPANS = frozenset({"TimedeltaIndex", "Timedelta"})
_MISSING = frozenset({"nan", "NaN", "NaT", "NA", "None"})
_FREQUENCIES = {"H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns", "A": "Y"}
"""Frequencies of periods by their names until pandas 2.2, and since."""
_UNSET = ("warn", "deprecated", "auto", "raise", "raise-deprecating", "auto_deprecated", "legacy")
"""What scikit-learn has held options at that nobody gave."""


class _NotAValueError(Exception):
    """The text shows no value that can be read."""


def parse_value(text: str) -> tuple[Value] | None:
    """The value that a text shows, alone in a tuple; None where it shows none that can be read."""
    if len(text) > LONGEST:
        return None
    plain = re.sub(r"<(?:class|type) '([\w.]+)'>", lambda m: m[1].rpartition(".")[2], text.strip())
    plain = re.sub(r"<([\w.]+)[^<>]*? at 0x[0-9a-fA-F]+>", r"'\1'", plain)
    plain = re.sub(r"\b(\d+)L\b", r"\1", plain).replace("<NA>", "NA")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is read is no code of anybody's
            node = parse_expression(plain)
        return (_Reader(plain).read(node),)
    except (_NotAValueError, SyntaxError, ValueError, MemoryError, RecursionError):
        return None


class _Reader:
    """Reads the tree of a text as a value."""

    def __init__(self, text: str) -> None:
        self._lines = [line.encode() for line in text.split("\n")]  # columns of a tree are counted in bytes

    def read(self, node: ast.expr) -> Value:
        """The value that a node shows. Raises :class:`_NotAValueError`."""
        if isinstance(node, ast.Constant):
            return self._read_constant(node)
        if isinstance(node, ast.UnaryOp | ast.BinOp):
            return self._read_number(node)
        if isinstance(node, ast.List | ast.Tuple):
            return Sequenced("list" if isinstance(node, ast.List) else "tuple", self._read_all(node.elts))
        if isinstance(node, ast.Set):
            return Unordered(self._read_all(node.elts))
        if isinstance(node, ast.Dict):
            keys = [k for k in node.keys if k is not None]
            values = map(_read_labels, self._read_all(node.values))
            return Mapped(tuple(zip(self._read_all(keys), values, strict=True)))
        if isinstance(node, ast.Name | ast.Attribute):
            return _read_name(node.attr if isinstance(node, ast.Attribute) else node.id)
        if isinstance(node, ast.Call):
            return self._read_call(node)
        raise _NotAValueError

    def _read_all(self, nodes: Iterable[ast.expr]) -> tuple[Value, ...]:
        return tuple(map(self.read, nodes))

    def _read_constant(self, node: ast.Constant) -> Value:
        value = node.value
        if value is None or isinstance(value, bool | str | bytes):
            return value
        return "..." if value is ... else Number(self._cut_node(node))

    def _read_number(self, node: ast.UnaryOp | ast.BinOp) -> Value:
        """``-1`` or ``(1+2j)``. Nothing else is written with an operator in an output."""
        parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        inner = [p.operand if isinstance(p, ast.UnaryOp) else p for p in parts]
        if isinstance(node, ast.UnaryOp) and isinstance(inner[0], ast.Name):
            return _read_name(f"-{inner[0].id}")
        if not all(isinstance(p, ast.Constant) and isinstance(p.value, int | float | complex) for p in inner):
            raise _NotAValueError
        return Number(self._cut_node(node))

    def _cut_node(self, node: ast.expr) -> str:
        """What stands in the text for a node of one line."""
        return self._lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()

    def _read_call(self, node: ast.Call) -> Value:
        name = read_called_name(node)
        items = self._read_all(node.args)
        options = tuple((k.arg, self.read(k.value)) for k in node.keywords if k.arg)
        first = items[0] if items else None
        if isinstance(node.func, ast.Attribute) and _SCALARS.fullmatch(name) and len(items) == 1:
            return first
        if name in _SETS and (not items or isinstance(first, Sequenced | Unordered)):
            return Unordered(first.items if isinstance(first, Sequenced | Unordered) else ())
        if name in _MAPPINGS:
            return _read_mapping(items)
        if name in _LISTS and isinstance(first, Sequenced | Unordered):
            return Sequenced("keys" if name in _KEYS else "array", first.items)
        if name == "dtype" and isinstance(first, str):
            return _read_name("object" if first == "O" else first)
        if name in _SPANS:
            return Called(name, tuple(map(_spell_spans, items)), options)
        if name == "Period" and len(items) == 2 and isinstance(items[1], str):
            return Called(name, (items[0], _spell_frequency(items[1])), options)
        if name == "MultiIndex" and not items:
            return _read_levels(dict(options))
        return Called("Index" if name in _INDEXES else name, items, options)


def _read_name(name: str) -> Value:
    if name in ("True_", "False_"):
        return name == "True_"
    return None if name == "None" else Called("nan" if name in _MISSING else name, (), ())


def _read_labels(value: Value) -> Value:
    """The labels of a group as a list, as they are shown since pandas 1.0; they were an index."""
    if (
        isinstance(value, Called)
        and value.name == "Index"
        and len(value.items) == 1
        and isinstance(value.items[0], Sequenced)
    ):
        return Sequenced("list", value.items[0].items)
    return value


def _spell_spans(value: Value) -> Value:
    """Spans of time in one spelling: ``'01:00:00'`` is ``'0 days 01:00:00'``, ``'1 days'`` is ``'1 days 00:00:00'``."""
    if isinstance(value, Sequenced):
        return Sequenced(value.kind, tuple(map(_spell_spans, value.items)))
    if not isinstance(value, str) or not re.fullmatch(r"(?:-?\d+ days? ?)?(?:[+-]?\d\d:\d\d:[\d.]+)?", value):
        return value
    days, _, time = value.rpartition("day") if "day" in value else ("0 ", "", f" {value}")
    return f"{days.strip()} {time.lstrip('s').strip().removeprefix('+') or '00:00:00'}"


def _spell_frequency(text: str) -> str:
    """``3h`` for `3H`, ``Y-DEC`` for `A-DEC`."""
    return re.sub(r"^(\d*)([A-Z])(?=-|$)", lambda m: m[1] + _FREQUENCIES.get(m[2], m[2]), text)


def _read_levels(options: dict[str, Value]) -> Value:
    """``MultiIndex(levels=[['a', 'b'], [1, 2]], labels=[[0, 1], [0, 0]])`` as what is printed since pandas 1.0: ``MultiIndex([('a', 1), ('b', 1)])``."""
    levels, codes = options.pop("levels", None), options.pop("labels", options.pop("codes", None))
    lists: list[tuple[Value, ...]] = []
    if isinstance(levels, Sequenced) and isinstance(codes, Sequenced) and len(levels.items) == len(codes.items):
        for level, code in zip(levels.items, codes.items, strict=True):
            if not isinstance(level, Sequenced) or not isinstance(code, Sequenced):
                raise _NotAValueError
            lists.append(tuple(_take_label(level.items, at) for at in code.items))
    if not lists or len({len(items) for items in lists}) != 1:
        raise _NotAValueError
    entries = tuple(Sequenced("tuple", entry) for entry in zip(*lists, strict=True))
    return Called("MultiIndex", (Sequenced("list", entries),), tuple(options.items()))


def _take_label(level: Sequence[Value], code: Value) -> Value:
    """The label that a code stands for: -1 is a missing one."""
    at = int(code.text) if isinstance(code, Number) and re.fullmatch(r"-?\d+", code.text) else len(level)
    if at == -1:
        return Called("nan", (), ())
    if not 0 <= at < len(level):
        raise _NotAValueError
    return level[at]


def _read_mapping(items: Sequence[Value]) -> Value:
    last = items[-1] if items else Mapped(())
    if isinstance(last, Mapped):
        return last
    if isinstance(last, Sequenced) and all(isinstance(p, Sequenced) and len(p.items) == 2 for p in last.items):
        return Mapped(tuple((p.items[0], p.items[1]) for p in last.items if isinstance(p, Sequenced)))
    raise _NotAValueError


def are_equal_values(wanted: Value, got: Value) -> bool:
    """Whether two outputs show one value, numbers as far as they are printed."""
    if isinstance(wanted, Number) and isinstance(got, Number):
        return is_same_token(wanted.text, got.text)
    if isinstance(wanted, Sequenced) and isinstance(got, Sequenced):
        if wanted.kind == got.kind == "keys":
            return _have_partners(wanted.items, got.items)
        mixed = {wanted.kind, got.kind} == {"list", "tuple"}
        return not mixed and _are_equal_in_order(wanted.items, got.items)
    if isinstance(wanted, Unordered) and isinstance(got, Unordered):
        return _have_partners(wanted.items, got.items)
    if isinstance(wanted, Mapped) and isinstance(got, Mapped):
        pairs = (tuple(Sequenced("tuple", pair) for pair in mapped.pairs) for mapped in (wanted, got))
        return _have_partners(*pairs)
    if isinstance(wanted, Called) and isinstance(got, Called):
        return _are_equal_calls(wanted, got)
    if isinstance(wanted, Called) and isinstance(got, Sequenced):
        wanted, got = got, wanted
    if isinstance(wanted, Sequenced) and isinstance(got, Called) and wanted.kind == "list":
        numbers = _count_up(got)  # a range was a list in Python 2
        return numbers is not None and wanted.items == tuple(Number(str(n)) for n in numbers)
    return type(wanted) is type(got) and wanted == got


def _count_up(value: Called) -> range | None:
    """The numbers of a range; None for any other call, and for a range that no text of that length lists."""
    limits = [int(i.text) for i in value.items if isinstance(i, Number) and re.fullmatch(r"-?\d{1,9}", i.text)]
    if (
        value.name != "range"
        or value.options
        or len(limits) != len(value.items)
        or not 1 <= len(limits) <= 3
        or 0 in limits[2:]
    ):
        return None
    numbers = range(*limits)
    return numbers if len(numbers) <= LONGEST else None


def _are_equal_in_order(wanted: Sequence[Value], got: Sequence[Value]) -> bool:
    return len(wanted) == len(got) and all(map(are_equal_values, wanted, got))


def _have_partners(wanted: Sequence[Value], got: Sequence[Value]) -> bool:
    """Whether each item has its equal, in whatever order."""
    if len(wanted) != len(got):
        return False
    if _are_equal_in_order(sorted(wanted, key=repr), sorted(got, key=repr)):
        return True
    if len(wanted) > MOST_PARTNERS:
        return False
    left = list(got)
    for item in wanted:
        partner = next((n for n, other in enumerate(left) if are_equal_values(item, other)), -1)
        if partner < 0:
            return False
        del left[partner]
    return True


def _are_equal_calls(wanted: Called, got: Called) -> bool:
    """Options that only one of them shows are a library's wording; those that both show must be equal."""
    if wanted.name != got.name or not _are_equal_in_order(wanted.items, got.items):
        return False
    shown = dict(got.options)
    both = [(value, shown[name]) for name, value in wanted.options if name in shown and name not in _FREE_OPTIONS]
    return all(one in _UNSET or other in _UNSET or are_equal_values(one, other) for one, other in both)


def order_sets(text: str) -> str:
    """A text in which the items of every set and dictionary stand in one order."""
    parts, at = [], 0
    for start, end in _list_braces(text):
        value = parse_value(text[start:end])
        if value is not None:
            parts += [text[at:start], _format_value(value[0])]
            at = end
    return "".join([*parts, text[at:]])


def _list_braces(text: str) -> Iterator[tuple[int, int]]:
    """The places of the outermost braces of a text."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        if sign == "{":
            depth, start = depth + 1, start if depth else at
        elif sign == "}" and depth:
            depth -= 1
            if not depth:
                yield start, at + 1


def _format_value(value: Value) -> str:
    """A value as a text with everything in one order."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Sequenced):
        return f"[{', '.join(map(_format_value, value.items))}]"
    if isinstance(value, Unordered):
        return f"{{{', '.join(sorted(map(_format_value, value.items)))}}}"
    if isinstance(value, Mapped):
        return f"{{{', '.join(sorted(f'{_format_value(k)}: {_format_value(v)}' for k, v in value.pairs))}}}"
    if isinstance(value, Called):
        options = [f"{name}={_format_value(v)}" for name, v in value.options]
        return f"{value.name}({', '.join([*map(_format_value, value.items), *options])})"
    return repr(value)
