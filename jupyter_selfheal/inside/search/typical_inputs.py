"""Inputs that no check has: from type hints, and from what an empty value may hold. From ``[]`` alone nothing grows but ``[]``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

FILLED: dict[type, tuple[Any, ...]] = {
    list: ([1], [2, 1, 3], ["b", "a"], [1.5, 2.5]),
    tuple: ((1,), (2, 1, 3), ("b", "a")),
    dict: ({"a": 1}, {"b": 2, "a": 1}),
    set: ({1}, {3, 1, 2}),
    str: ("a", "ba c"),
}
"""What stands in for an empty value of a type."""

SEEN = 3
"""Calls that typical ones are made from."""

ITEMS: dict[str, tuple[Any, ...]] = {
    "int": (3, 1, 2, 0, -4),
    "float": (2.5, 1.0, 3.0, -0.5),
    "str": ("b", "a c", "", "Ab"),
    "bool": (True, False),
    "bytes": (b"ab", b""),
}
"""Values of the plain types that a hint names."""

_WRAPPERS = frozenset({"Optional", "Union", "Annotated", "Final"})
_SEQUENCES = frozenset({"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "Iterator"})
_SETS = frozenset({"set", "Set", "frozenset", "FrozenSet"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict"})


def list_typical_calls(calls: Sequence[tuple[Any, ...]], hints: Sequence[str] = ()) -> list[tuple[Any, ...]]:
    """Argument lists beside those seen: each seen one with an argument that its hint, or its emptiness, lets vary; where none
    was seen, one from the hints alone.

    ``hints`` are the texts of the parameters' annotations, in order, empty where there is none.
    """
    hinted = [list(list_typical_values(hint)) for hint in hints]
    calls = list(calls) or ([tuple(values[0] for values in hinted)] if hinted and all(hinted) else [])
    return [
        (*call[:n], value, *call[n + 1 :])
        for call in calls[:SEEN]
        for n, given in enumerate(call)
        for value in ((n < len(hinted) and hinted[n]) or ([] if given else FILLED.get(type(given), ())))
    ]


def list_typical_values(hint: str) -> Iterator[Any]:
    """A few values of the type that an annotation names; none where it names no plain one."""
    try:
        node = ast.parse(hint, mode="eval").body if hint else None
    except SyntaxError:
        return
    if node is not None:
        yield from _list_values(node)


def _list_values(node: ast.expr) -> Iterator[Any]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from list_typical_values(node.value)
    elif isinstance(node, ast.BinOp):
        yield from (*_list_values(node.left), *_list_values(node.right))
    elif isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        yield from _fill(_read_name(node.value), [list(_list_values(part)) for part in parts])
    elif (name := _read_name(node)) in ITEMS:
        yield from ITEMS[name]
    elif name:
        yield from _fill(name, [])


def _fill(name: str, parts: Sequence[Sequence[Any]]) -> Iterator[Any]:
    items = list(parts[0]) if parts else []
    if name in _WRAPPERS:
        yield from (value for part in parts for value in part)
    elif name in _SEQUENCES:
        yield from (items[:1], items[:3], items) if items else FILLED[list]
    elif name in _SETS:
        yield from ({i for i in items[:3] if i.__hash__},) if items else FILLED[set]
    elif name in _MAPPINGS and len(parts) == 2 and all(parts):
        yield dict(zip((k for k in parts[0] if k.__hash__), parts[1], strict=False))
    elif name in _MAPPINGS:
        yield from FILLED[dict]
    elif name in ("tuple", "Tuple") and parts and all(parts):
        yield tuple(part[0] for part in parts)
        yield tuple(part[-1] for part in parts)


def _read_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
