"""Does a patch compute something and throw it away?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.scoring.deletion import walk_trees

_PURE = frozenset(
    {"abs", "all", "any", "bool", "bytes", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int", "len", "list", "map",
     "max", "min", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)  # fmt: skip
"""Builtins that do nothing but give a value (and use up an iterator)."""


def find_discarded_values(before: Iterable[str], new: Iterable[ast.Module]) -> Iterator[str]:
    """Say so where a new statement only gives a value that nothing takes: ``z.sort()`` → ``sorted(z)``.

    The last statement of a cell shows its value, so it is not meant. ``before`` are the sources before the patch; of one that does not
    parse its lines are read one by one.
    """
    known = {src.dump_tree(n) for n in walk_trees(_parse_readable(before)) if isinstance(n, ast.Expr)}
    trees = list(new)
    last = {id(tree.body[-1]) for tree in trees if tree.body}
    for node in walk_trees(trees):
        if (
            isinstance(node, ast.Expr)
            and id(node) not in last
            and src.dump_tree(node) not in known
            and _only_computes(node.value)
        ):
            yield f"throws away what `{ast.unparse(node)[:60]}` gives"
            return


def _parse_readable(sources: Iterable[str]) -> Iterator[ast.Module]:
    for source in sources:
        parts = [source] if src.parse(source) is not None else map(str.strip, source.splitlines())
        yield from (tree for part in parts if (tree := src.parse(part)) is not None)


def _only_computes(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _PURE
    return isinstance(value, ast.BinOp | ast.Compare | ast.BoolOp | ast.Subscript | ast.Name)
