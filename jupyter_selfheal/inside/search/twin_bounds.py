"""Of the two bounds of one value, both open or both closed, a patch changes one, and the checks would hold with the other one changed, too.

Who writes ``first < day and day < last`` for days of which the first counts has mostly the last one wrong as well; where no check comes to that,
nothing tells. An end by a length is open on purpose: ``0 <= i < len(xs)``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from types import CodeType

from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.tree_names import read_called_name

EACH = 25_000
"""Steps for the checks with both changed."""
_OTHER: dict[type[ast.cmpop], ast.cmpop] = {ast.Lt: ast.LtE(), ast.LtE: ast.Lt(), ast.Gt: ast.GtE(), ast.GtE: ast.Gt()}
_CLOSED = (ast.LtE, ast.GtE)
_FALLING = (ast.Gt, ast.GtE)
Bound = tuple[ast.Compare, int]
"""A comparison, and which of its signs."""


def describe_twin_bound(
    runner: Runner,
    compile_text: Callable[[int, str], CodeType | None],
    before: Mapping[int, str],
    texts: Mapping[int, str],
    codes: Mapping[int, CodeType],
) -> str:
    """The doubt about a patch that changes one of two like bounds; empty where it changes none so, or a check tells. ``before`` are all texts as
    they were; ``compile_text`` gives the code of a unit with another text."""
    for unit, text in texts.items():
        tree = ast.parse(text)
        for old, new in zip(_list_twins(ast.parse(before[unit])), _list_twins(tree), strict=False):
            was, now = [_is_closed(b) for b in old], [_is_closed(b) for b in new]
            if was[0] != was[1] or now[0] == now[1]:
                continue
            node, at = new[0 if now[0] == was[0] else 1]
            said = ast.unparse(node)
            node.ops[at] = _OTHER[type(node.ops[at])]
            code = compile_text(unit, ast.unparse(tree))
            if code is not None and runner.run({**codes, unit: code}, EACH, 1).plausible:
                return f"`{said}` may be `{ast.unparse(node)}`, as the bound beside it is changed, and the checks would hold"
            node.ops[at] = _OTHER[type(node.ops[at])]
    return ""


def _list_twins(tree: ast.AST) -> Iterator[tuple[Bound, Bound]]:
    """The two bounds of one value: ``a < x < b``, ``a < x and x < b``, ``x < a or x > b``."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(_, [one, other], [_, end]) if type(one) in _OTHER and type(other) in _OTHER:
                if isinstance(one, _FALLING) == isinstance(other, _FALLING) and read_called_name(end) != "len":
                    yield (node, 0), (node, 1)
            case ast.BoolOp(_, [ast.Compare(_, [one], [_]) as left, ast.Compare(_, [other], [_]) as right]):
                if type(one) in _OTHER and type(other) in _OTHER and _are_of_one(left, right):
                    yield (left, 0), (right, 0)


def _are_of_one(left: ast.Compare, right: ast.Compare) -> bool:
    """Whether two comparisons bound one value from either side, neither by a length."""
    for one, is_first in ((left.left, True), (left.comparators[0], False)):
        for other, is_second in ((right.left, True), (right.comparators[0], False)):
            if ast.dump(one) == ast.dump(other):
                falls = [isinstance(c.ops[0], _FALLING) == first for c, first in ((left, is_first), (right, is_second))]
                ends = (
                    left.comparators[0] if is_first else left.left,
                    right.comparators[0] if is_second else right.left,
                )
                return falls[0] != falls[1] and not any(read_called_name(end) == "len" for end in ends)
    return False


def _is_closed(bound: Bound) -> bool:
    node, at = bound
    return isinstance(node.ops[at], _CLOSED)
