"""Changes that two items cannot tell from others: of two items, whatever order is not this one is the other.

``max`` for ``min``, ``reverse=True``, another ``key=``: with a collection of two items each of them gives what the other gives, and a
check of such a collection says nothing of which is meant.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import list_names, read_called_name, walk

TWO = 2
DOUBT = "two items do not tell one order from another"
TIES = "only items that are equal in their order change places"
RANKED = "items are compared whose places may be meant: every list that is checked is in order"
OTHER_END = "one item does not tell which way round they are sorted"
OTHER_ITEM = "one item does not tell which end of an order is meant"
ONE_VALUE = frozenset({"int", "float", "bool", "NoneType"})
_ENDS = frozenset({"idxmax", "idxmin", "argmax", "argmin"})
"""What gives the place of the greatest or smallest value: of few places each is met by chance."""
_ORDERING = frozenset({"sorted", "reversed", "min", "max", "sort", "reverse", "nlargest", "nsmallest", "sort_values"})
_COUNTED = frozenset({"array", "builtins", "collections", "numpy", "pandas", "__main__"})
"""Where the types come from whose length costs nothing; of the notebook's own classes it is their author's word."""
_HOW = frozenset({"key", "reverse", "ascending", "by"})


def describe_doubt_of_order(old: str, new: str, checked: Iterable[tuple[Any, ...]], space: Mapping[str, Any]) -> str:
    """The doubt about a changed statement that orders otherwise, or takes the other end of an order, where no collection that a check
    gives it, and none in ``space`` that it reads, has more than two items, or that turns round what is ordered by a key; empty where one has, none is known, or checks give two items
    in both orders."""
    before, after = parse_once(old), parse_once(new)
    if _list_ranked_pairs(after) - _list_ranked_pairs(before) and all(map(_rises, _list_lists(checked))):
        return RANKED
    if Counter(_list_turned_by_key(after)) - Counter(_list_turned_by_key(before)):
        return TIES
    if Counter(_list_orderings(before)) == Counter(_list_orderings(after)):
        return ""
    read = list_names(after)
    given = [value for arguments in checked for value in arguments] + [space[n] for n in sorted(read & space.keys())]
    if max(map(count_items, given), default=0) != TWO or _has_both_orders(given):
        return ""
    return DOUBT


def describe_doubt_of_end(old: str, new: str, types: frozenset[str]) -> str:
    """The doubt about a changed statement that sorts the other way round, or takes the place of another end, where the one check that failed expects a
    number, or a label: any item of three is by one chance of three where it should be. Empty where it expects what shows the order."""
    ways = [
        [w for w in _list_orderings(parse_once(text)) if w.startswith(("reverse=", "ascending="))]
        for text in (old, new)
    ]
    if ways[0] != ways[1] and types and types <= ONE_VALUE:
        return OTHER_END
    one, two = (_list_ends(parse_once(text)) for text in (old, new))
    return OTHER_ITEM if one != two and (types <= ONE_VALUE | {"str"}) else ""


def _list_ends(tree: ast.AST) -> list[str]:
    """The ends that a statement takes, whether it calls them, or forgets to: ``df.loc[df.a.idxmax, "b"]``."""
    names = (n.attr if isinstance(n, ast.Attribute) else n.id if isinstance(n, ast.Name) else "" for n in walk(tree))
    return [name for name in names if name in _ENDS]


def _list_ranked_pairs(tree: ast.AST) -> set[str]:
    """The ``a < b`` of each ``for a in xs for b in xs``: which comes first in ``xs`` may be meant, not which is smaller."""
    loops = [n for n in walk(tree) if isinstance(n, ast.For | ast.comprehension) and isinstance(n.target, ast.Name)]
    whole = {n.target.id: ast.unparse(n.iter) for n in loops if isinstance(n.target, ast.Name)}
    found = set()
    for node in walk(tree):
        match node:
            case ast.Compare(ast.Name(a), [ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()], [ast.Name(b)]) if a != b:
                if a in whole and whole[a] == whole.get(b) and not whole[a].startswith("range("):
                    found.add(ast.unparse(node))
    return found


def _list_lists(checked: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    return (value for arguments in checked for value in arguments if isinstance(value, list | tuple | str))


def _rises(items: Any) -> bool:
    try:
        return all(a <= b for a, b in itertools.pairwise(items))
    except TypeError:  # items that cannot be compared
        return False


def _has_both_orders(given: Iterable[Any]) -> bool:
    """Whether one of the lists rises and another falls: what turns every list round gives one of them another result than what sorts it."""
    orders = set()
    for value in given:
        with contextlib.suppress(Exception):  # items that cannot be compared
            first, second = value
            orders |= {"rises"} if first < second else {"falls"} if second < first else set()
    return len(orders) == TWO


def _list_turned_by_key(tree: ast.AST) -> Iterator[str]:
    """``sorted(xs[::-1], key=…)``: what is turned round before it is ordered by a part of each item."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and node.args and any(k.arg == "key" for k in node.keywords):
            turned = set(_list_orderings(node.args[0])) & {"[::-1]", "reversed"}
            if read_called_name(node) in _ORDERING and turned:
                yield ast.unparse(node.args[0])


def _list_orderings(tree: ast.AST) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Call):
            name = read_called_name(node)
            if name in _ORDERING:
                yield name
                yield from (f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords if k.arg in _HOW)
        elif isinstance(node, ast.Slice) and node.step is not None and ast.unparse(node.step).startswith("-"):
            yield "[::-1]"


def count_items(value: Any) -> int:
    """How many items a collection has; of a text its words, or the letters of its only one; 0 for anything else.

    Only of kinds whose length is known: a lazy table would be computed for it.
    """
    if isinstance(value, str):
        words = value.split()
        return len(words) if len(words) > 1 else len(value)
    if type(value).__module__.partition(".")[0] not in _COUNTED:
        return 0
    try:
        return len(value) if not callable(value) else 0
    except Exception:  # an array without axes
        return 0
