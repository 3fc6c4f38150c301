"""Does code depend on the order of a set, or on a hash? Both differ from process to process where texts are hashed.

A set that is only asked (``x in s``, ``len(s)``, ``sorted(s)``, set operations) has no order that matters; whatever else is done
with it may depend on it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from jupyter_selfheal.inside.tree_names import read_called_name

_ASKS = frozenset(
    {"len", "sorted", "min", "max", "any", "all", "sum", "bool", "set", "frozenset", "isinstance", "type"}
)
"""Functions whose result does not hang on the order of what they are given (with a ``key``, ties do)."""

_METHODS = frozenset({
    "add", "discard", "remove", "update", "clear", "issubset", "issuperset", "isdisjoint", "intersection_update",
    "difference_update", "symmetric_difference_update",
})  # fmt: skip
_MAKES_SET = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_HOLDS = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return, ast.Expr, ast.If, ast.While, ast.IfExp, ast.BoolOp,
          ast.UnaryOp, ast.Compare, ast.Tuple, ast.List, ast.Dict, ast.Assert, ast.Lambda, ast.Delete)  # fmt: skip
"""What only hands a set on, asks whether it is empty, or compares it."""


def depends_on_set_order(nodes: Sequence[ast.AST]) -> bool:
    """True where the order of a set, or a hash, may decide what the code does."""
    return next(find_order_uses(nodes), None) is not None


def find_order_uses(nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """The sets whose order is used, and the calls of ``hash``."""
    parents = {child: node for top in nodes for node in ast.walk(top) for child in ast.iter_child_nodes(node)}
    names = _collect_set_names(nodes)
    for top in nodes:
        for node in ast.walk(top):
            if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash") or (
                isinstance(node, ast.expr) and _is_set(node, names) and not _is_harmless(node, parents)
            ):
                yield node


def _collect_set_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names (of variables, attributes, functions) that stand for sets, or give one."""
    names: frozenset[str] = frozenset()
    while True:
        more = names | frozenset(_iterate_set_names(nodes, names))
        if more == names:
            return names
        names = more


def _iterate_set_names(nodes: Iterable[ast.AST], names: frozenset[str]) -> Iterator[str]:
    for node in (n for top in nodes for n in ast.walk(top)):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value and _is_set(node.value, names):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (
                t.id if isinstance(t, ast.Name) else t.attr for t in targets if isinstance(t, ast.Name | ast.Attribute)
            )
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returned = (n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value)
            if any(_is_set(value, names) for value in returned):
                yield node.name


def _is_set(node: ast.expr, names: frozenset[str]) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and node.id in names
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Load) and node.attr in names
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor) and (
            _is_set(node.left, names) or _is_set(node.right, names)
        )
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name):
            return function.id in ("set", "frozenset") or function.id in names
        if isinstance(function, ast.Attribute):
            return (function.attr in _MAKES_SET and _is_set(function.value, names)) or function.attr in names
    return False


def _is_harmless(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether what is done with a set hangs on nothing but what is in it."""
    parent = parents.get(node)
    if isinstance(parent, ast.Call):
        return parent.func is node or _is_asked(parent)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _METHODS | _MAKES_SET or not hasattr(set, parent.attr)  # what fails in any order
    if isinstance(parent, ast.comprehension):
        return _is_unordered(parents.get(parent), parents)
    if isinstance(parent, ast.Assign):
        return not any(isinstance(t, ast.Tuple | ast.List) for t in parent.targets)  # ``x, *rest = words``
    if isinstance(parent, ast.Subscript):
        return True  # a set has no items to take, whatever its order
    if isinstance(parent, ast.AugAssign):
        return isinstance(parent.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor)
    return isinstance(parent, _HOLDS) or (isinstance(parent, ast.BinOp) and not isinstance(parent.op, ast.Mod))


def _is_asked(call: ast.Call) -> bool:
    name = read_called_name(call)
    if isinstance(call.func, ast.Attribute):
        return name in _METHODS | _MAKES_SET
    return name in _ASKS and not any(k.arg == "key" for k in call.keywords)


def _is_unordered(comprehension: ast.AST | None, parents: dict[ast.AST, ast.AST]) -> bool:
    """A set made of a set, or ``sum(… for x in s)``."""
    if isinstance(comprehension, ast.SetComp):
        return True
    around = parents.get(comprehension) if comprehension is not None else None
    return (
        isinstance(comprehension, ast.GeneratorExp | ast.ListComp)
        and isinstance(around, ast.Call)
        and _is_asked(around)
    )
