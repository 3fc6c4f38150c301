"""A place that is asked for by the value that stands there: `xs.index(xs[-1])` is the last place but where that value stands twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.compare_behaviour import Input, collect_behaviours
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.source_text import Source

STEPS = 1_000_000
"""Steps for comparing what the two give."""
WAYS = ("list", "tuple")
ONCE = ("dict.fromkeys(", "set(")
"""What keeps each item once."""

Arguments = tuple[Any, ...]


def replace_places(text: str) -> tuple[str, str]:
    """The text with the last place where the place of the last, or greatest, value is asked for, and what asked for it; empty where nothing does."""
    source = Source(text)
    found = list(_list_places(source))
    if not found:
        return "", ""
    return splice(text, tuple(source.replace_node(node, new) for node, new in found)), source.text_of(found[0][0])


def describe_place_of_value(
    runner: Runner,
    codes: Mapping[int, CodeType],
    other: Mapping[int, CodeType],
    function: str,
    checked: Sequence[Arguments],
) -> str:
    """A call with an item twice for which the last place gives another value (in the ``other`` code), with what each gives; empty where none does."""
    given = list(_list_doubled(checked))
    shown = collect_behaviours(runner, [dict(codes), dict(other)], function, given, STEPS)
    for arguments, mine, theirs in zip(given, *shown, strict=False):
        if mine != theirs and "!" not in (mine[:1], theirs[:1]):
            return f"`{Input(function, arguments).text}` gives {mine} with it, not {theirs}"
    return ""


def _list_places(source: Source) -> Iterator[tuple[ast.expr, str]]:
    """Calls of `index` for the last or the greatest item of the same list, and comparisons of an item with the last one, each with what asks for
    the place itself."""
    for node in source.order:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "index":
            items = _read_name(node.func.value)
            if len(node.args) == 1 and items and _is_last(node.args[0], items):
                yield node, f"len({items}) - 1"
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            item, last = node.left, node.comparators[0]
            items = _read_name(item.value) if isinstance(item, ast.Subscript) else ""
            if items and isinstance(item, ast.Subscript) and isinstance(item.slice, ast.Name) and _is_last(last, items):
                yield node, f"{item.slice.id} == len({items}) - 1"


def _is_last(value: ast.expr, items: str) -> bool:
    """Whether a value is the last or the greatest item of a list."""
    if isinstance(value, ast.Subscript):
        return ast.unparse(value.slice) in ("-1", f"len({items}) - 1") and _read_name(value.value) == items
    is_call = isinstance(value, ast.Call) and ast.unparse(value.func) == "max" and not value.keywords
    return is_call and isinstance(value, ast.Call) and len(value.args) == 1 and _read_name(value.args[0]) == items


def _read_name(node: ast.expr) -> str:
    """The name of a list, or of what a copy is made of; else empty."""
    node = _drop_copy(node)
    return node.id if isinstance(node, ast.Name) else ""


def _drop_copy(node: ast.expr) -> ast.expr:
    """What a copy is made of: `xs` of `list(xs)`."""
    is_copy = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WAYS and len(node.args) == 1
    )
    return node.args[0] if is_copy and isinstance(node, ast.Call) else node


def _list_doubled(checked: Sequence[Arguments]) -> Iterator[Arguments]:
    """The checked calls with the last item of each list twice."""
    for arguments in checked:
        for n, value in enumerate(arguments):
            if isinstance(value, list | tuple) and value:
                doubled = type(value)([*value, value[-1]])
                yield tuple(copy_plain_data(doubled if k == n else other) for k, other in enumerate(arguments))


def describe_dropped_twice(old: str, new: str, checked: Sequence[Arguments]) -> str:
    """The doubt about a patch that keeps each item once, where no checked call has one twice: whatever it mends, that is not what it is for."""
    added = next((way for way in ONCE if new.count(way) > old.count(way)), "")
    items = [value for arguments in checked for value in arguments if isinstance(value, list | tuple | str)]
    is_told = any(len(set(map(repr, value))) < len(value) for value in items)
    return f"`{added}` keeps each item once, and no check has one twice" if added and items and not is_told else ""
