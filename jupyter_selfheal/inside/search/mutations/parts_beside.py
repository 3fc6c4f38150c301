"""Mutation operators for what the parts beside a place tell: the pair that a condition leaves out, the item that its place stands for, the place
beside which another one is taken, the value that a recursion ends with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import is_call_of

MOST_NAMES = 4
"""Names of which a condition may compare all pairs."""


def propose_missing_pair(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a == b or b == c or a == c`` where one of the pairs of three names is not compared."""
    if not isinstance(node, ast.BoolOp) or len(node.values) < 2:
        return
    pairs, operators = [], set()
    for value in node.values:
        match value:
            case ast.Compare(left=ast.Name(one), ops=[operator], comparators=[ast.Name(other)]):
                pairs.append(frozenset({one, other}))
                operators.add(type(operator))
            case _:
                return
    names = sorted(frozenset().union(*pairs))
    if len(operators) != 1 or not operators <= {ast.Eq, ast.NotEq} or not 2 < len(names) <= MOST_NAMES:
        return
    sign = "==" if operators == {ast.Eq} else "!="
    missing = [pair for pair in combinations(names, 2) if frozenset(pair) not in pairs]
    if len(missing) == 1:
        ((one, other),) = missing
        text = f"{one} {sign} {other}"
        joint = "or" if isinstance(node.op, ast.Or) else "and"
        words = f"`{s.text_of(node)}` lacks `{text}`"
        yield Change((s.replace_node(node, f"{s.text_of(node)} {joint} {text}"),), 0.8, node.lineno, words)


def propose_item_at_place(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs[i] > xs[best]`` for ``xs[i] > best`` where ``best = i``: a place is compared with an item."""
    match node:
        case ast.Compare(
            left=ast.Subscript(ast.Name(items), ast.Name(place)), ops=[_], comparators=[ast.Name() as name]
        ):
            pass
        case ast.Compare(
            left=ast.Name() as name, ops=[_], comparators=[ast.Subscript(ast.Name(items), ast.Name(place))]
        ):
            pass
        case _:
            return
    kept = {
        target.id
        for n in ast.walk(s.find_function(node))
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and n.value.id == place
        for target in n.targets
        if isinstance(target, ast.Name)
    }
    if name.id in kept - {place}:
        words = f"`{name.id}` should be `{items}[{name.id}]`"
        yield Change((s.replace_node(name, f"{items}[{name.id}]"),), 0.85, node.lineno, words)


def propose_same_index(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a[1] - b[1]`` for ``a[1] - b[0]``, where the same statement takes ``a[0] - b[0]``."""
    pair = _read_indices(node)
    if pair is None or pair[2] == pair[3]:
        return
    statement = next((p for p in s.walk_upwards(node) if isinstance(p, ast.stmt)), None)
    beside = [_read_indices(n) for n in (ast.walk(statement) if statement else ())]
    if any(other and other[:2] == pair[:2] and other[2] == other[3] == pair[3] for other in beside):
        assert isinstance(node, ast.BinOp)
        words = f"`{s.text_of(node.right)}` should be `{pair[1]}[{pair[2]}]`"
        yield Change((s.replace_node(node.right, f"{pair[1]}[{pair[2]}]"),), 0.85, node.lineno, words)


def _read_indices(node: ast.AST) -> tuple[str, str, int, int] | None:
    """Two names and the place that is taken of each: ``("a", "b", 1, 0)`` of ``a[1] - b[0]``."""
    match node:
        case ast.BinOp(
            left=ast.Subscript(ast.Name(one), ast.Constant(int(first))),
            right=ast.Subscript(ast.Name(other), ast.Constant(int(second))),
        ) if one != other:
            return one, other, first, second
    return None


def propose_last_value(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return 1`` for ``return b`` where a recursion that multiplies ends, ``return 0`` where it adds."""
    branch = s.parents.get(node)
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Name) or not isinstance(branch, ast.If):
        return
    function = s.find_function(node)
    if not isinstance(function, ast.FunctionDef) or node.value.id not in {a.arg for a in function.args.args}:
        return
    joints = {
        type(n.op)
        for n in ast.walk(function)
        if isinstance(n, ast.BinOp) and any(is_call_of(side, function.name) for side in (n.left, n.right))
    }
    for operator, value in ((ast.Mult, "1"), (ast.Add, "0")):
        if joints == {operator}:
            words = f"`{node.value.id}` should be `{value}`"
            yield Change((s.replace_node(node.value, value),), 0.6, node.lineno, words)


OPERATORS = (propose_missing_pair, propose_item_at_place, propose_same_index, propose_last_value)
