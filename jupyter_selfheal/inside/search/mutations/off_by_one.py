"""Mutation operators for what is one too many or one too few: an index, a bound, a size, a number that is returned or passed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import NUMBER, Change, Scope, cache_on_scope
from jupyter_selfheal.inside.tree_names import is_name

FRACTION = 0.2
"""What remains of the weight of ``+ 1`` on a value that comes of a division."""
WHOLE = 0.5
"""The weight of one place less than all there are, in a loop that reads no place beside its own."""
FIRST_INDEX = 0.5
"""The weight of the same on what an index begins with."""


def propose_off_by_one(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``+ 1`` or ``- 1`` on an index, a bound, a size, a returned or passed number."""
    if not isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.BinOp | ast.Subscript) or not s.is_read(node):
        return
    if not s.may_be(node, NUMBER) or _is_unfit_for_number(s, node):
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.right, ast.Constant):
        return  # the constant itself is changed
    parent = s.parents[node]
    prior = _rate_place(s, parent) * (FRACTION if _is_fraction(s, node) else 1.0)
    prior = max(prior, FIRST_INDEX) if _begins_index(s, node) else prior
    line = node.lineno
    for sign in "-+":
        text = f"{s.parenthesize(node)} {sign} 1"
        weight = min(prior, WHOLE) if sign == "-" and _goes_through_all(s, node) else prior
        words = f"`{s.text_of(node)}` should be `{s.text_of(node)} {sign} 1`"
        yield Change((s.replace_node(node, text),), weight, line, words)


def _goes_through_all(s: Scope, node: ast.AST) -> bool:
    """Whether it is the ``len(xs)`` of ``for i in range(len(xs))``, in whose loop no place beside ``i`` is read."""
    call = s.parents[node]
    match s.parents.get(call), node:
        case ast.For(ast.Name(name), iter, body), ast.Call(ast.Name("len"), [_]) if iter is call:
            places = [n.slice for stmt in body for n in ast.walk(stmt) if isinstance(n, ast.Subscript)]
            beside = (n for n in places if isinstance(n, ast.BinOp | ast.Slice))
            return not any(is_name(part, name) for n in beside for part in ast.walk(n))
    return False


def _begins_index(s: Scope, node: ast.AST) -> bool:
    """Whether a value is what a name is set to by which something is indexed: ``low, high = 0, len(xs)`` above ``xs[high]``."""
    parent = s.parents[node]
    assignment = s.parents.get(parent) if isinstance(parent, ast.Tuple) else parent
    if not isinstance(assignment, ast.Assign):
        return False
    target: ast.AST = assignment.targets[0]
    if isinstance(parent, ast.Tuple):
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(parent.elts):
            return False
        target = target.elts[parent.elts.index(node)]  # type: ignore[arg-type]
    return isinstance(target, ast.Name) and target.id in _list_indices(s)


@cache_on_scope
def _list_indices(s: Scope) -> frozenset[str]:
    """The names by which something is indexed."""
    slices = (n.slice for n in s.order if isinstance(n, ast.Subscript))
    return frozenset(n.id for n in slices if isinstance(n, ast.Name))


def _is_fraction(s: Scope, node: ast.AST) -> bool:
    """Whether a value comes of a division: a mean, a share, a rate is not off by one."""
    if isinstance(node, ast.Name):
        values = [
            n.value
            for n in s.order
            if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in n.targets)
        ]
        return bool(values) and all(not isinstance(value, ast.Name) and _is_fraction(s, value) for value in values)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def _is_unfit_for_number(s: Scope, node: ast.AST) -> bool:
    parent = s.parents.get(node)
    if isinstance(parent, ast.Call) and node is parent.func:
        return True
    if isinstance(parent, ast.Attribute | ast.For | ast.comprehension | ast.Starred | ast.Expr | ast.keyword):
        return not (isinstance(parent, ast.keyword))
    if isinstance(parent, ast.Subscript) and node is parent.value:
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in (
        "range", "list", "sorted", "set", "dict", "str", "enumerate", "zip", "map", "filter", "isinstance", "print", "any", "all",
    )  # fmt: skip


def _rate_place(s: Scope, parent: ast.AST) -> float:
    if isinstance(parent, ast.Call):
        name = parent.func.id if isinstance(parent.func, ast.Name) else ""
        return 0.75 if name == "range" else 0.55 if name in s.functions else 0.35
    if isinstance(parent, ast.Slice):
        return 0.7
    if isinstance(parent, ast.Subscript):
        return 0.65
    if isinstance(parent, ast.Tuple) and isinstance(s.parents.get(parent), ast.Subscript):
        return 0.6
    if isinstance(parent, ast.Return | ast.Compare):
        return 0.45
    return 0.7 if _moves_loop(s, parent) else 0.25


def _moves_loop(s: Scope, node: ast.AST) -> bool:
    """Whether an assignment sets the name that a ``while`` around it waits for: ``lo = mid``, which ends only as ``lo = mid + 1``."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name, around = node.targets[0].id, s.parents.get(node)
    while around is not None and not isinstance(around, ast.FunctionDef):
        if isinstance(around, ast.While):
            return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(around.test))
        around = s.parents.get(around)
    return False
