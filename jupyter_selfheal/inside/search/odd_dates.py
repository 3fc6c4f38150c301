"""Numbers that a patch puts to dates, and that meet a few checks by luck: the same parts of two of them and a number, the year after, another length of
a month."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from jupyter_selfheal.inside.tree_names import walk

_PARTS_OF_DATES = frozenset({"year", "month", "day", "hour", "minute", "second"})
_LENGTHS = (frozenset({28.0, 29.0, 30.0, 31.0}), frozenset({365.0, 366.0}))
"""Days of a month, and of a year."""


def describe_odd_date(before: ast.AST, after: ast.AST) -> str:
    """The doubt about a change of a statement that reckons with dates; empty where there is none."""
    if parts := _find_shifted_parts(before, after):
        return f"`{parts}` leaves out the smaller parts of both, which may be what is missing"
    if part := _find_shifted_part(before, after):
        return f"what is read of the date is `{part}` alone: whether it is another one may hang on the rest of it"
    was, now = (Counter(list_numbers(tree)) for tree in (before, after))
    lost, more = set(was - now), set(now - was)
    if any(lost and more and lost | more <= lengths for lengths in _LENGTHS):
        return "months and years are of several lengths, and a few checks are met by one of them"
    return ""


def _find_shifted_parts(before: ast.AST, after: ast.AST) -> str:
    """The ``today.year - born.year`` of a formula that has a number more, and reads nothing more of the dates. A rest, ``% 24``, may be meant."""
    if _list_read(before) != _list_read(after) or _count_rests(after) > _count_rests(before):
        return ""
    is_shifted = Counter(list_numbers(after)) - Counter(list_numbers(before))
    for node in walk(before) if is_shifted else ():
        match node:
            case ast.BinOp(ast.Attribute(_, one), ast.Sub(), ast.Attribute(_, other)) if (
                one == other in _PARTS_OF_DATES
            ):
                return ast.unparse(node)
    return ""


def _find_shifted_part(before: ast.AST, after: ast.AST) -> str:
    """The ``today.year`` of a ``date(today.year + 1, 3, 1)`` that was ``date(today.year, 3, 1)``, where nothing else of ``today`` is read."""
    known = {ast.unparse(n) for n in walk(before) if isinstance(n, ast.expr)}
    for node in walk(after):
        match node:
            case ast.BinOp(ast.Attribute(ast.Name(name), part) as read, ast.Add() | ast.Sub(), ast.Constant()):
                reads = sum(isinstance(n, ast.Name) and n.id == name for n in walk(after))
                makes = any(isinstance(n, ast.Call) and node in n.args and _is_maker(n.func) for n in walk(after))
                if part in _PARTS_OF_DATES and reads == 1 and makes and ast.unparse(node) not in known:
                    return ast.unparse(read)
    return ""


def _is_maker(function: ast.expr) -> bool:
    """Whether it is ``date`` or ``datetime``, of a module or by itself."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("date", "datetime", "Timestamp")


def _list_read(tree: ast.AST) -> list[str]:
    return sorted(
        n.attr if isinstance(n, ast.Attribute) else n.id for n in walk(tree) if isinstance(n, ast.Attribute | ast.Name)
    )


def _count_rests(tree: ast.AST) -> int:
    return sum(isinstance(n, ast.Mod) for n in walk(tree))


def list_numbers(tree: ast.AST) -> Iterator[float]:
    """The numbers that are written in a tree, each as often as it is."""
    for node in walk(tree):
        match node:
            case ast.Constant(int() | float() as number) if not isinstance(number, bool) and number > 0:
                yield float(number)
