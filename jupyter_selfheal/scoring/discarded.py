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

    The last statement of a cell shows its value, so it is not meant, nor is what stands where an attribute alone stood
    (``search.grid_scores_``). ``before`` are the sources before the patch; of one that does not parse its lines are read one by one.
    """
    old = list(_parse_readable(before))
    known = {src.dump_tree(n) for n in walk_trees(old) if isinstance(n, ast.Expr)}
    trees = list(new)
    last = {id(tree.body[-1]) for tree in (*old, *trees) if tree.body}
    left = {src.dump_tree(n) for n in walk_trees(trees) if isinstance(n, ast.Expr)}
    shown = [n for n in walk_trees(old) if isinstance(n, ast.Expr) and id(n) not in last and _names_attribute(n.value)]
    spared = sum(src.dump_tree(n) not in left for n in shown)
    for node in walk_trees(trees):
        if (
            isinstance(node, ast.Expr)
            and id(node) not in last
            and src.dump_tree(node) not in known
            and _only_computes(node.value)
        ):
            spared -= 1
            if spared >= 0:
                continue
            yield f"throws away what `{ast.unparse(node)[:60]}` gives"
            return


def _names_attribute(value: ast.expr) -> bool:
    """True for ``model.scores_``, not for ``z.sort``: a method that was not called was meant to do something."""
    return isinstance(value, ast.Attribute) and not any(hasattr(kind, value.attr) for kind in (list, dict, set, str))


def _parse_readable(sources: Iterable[str]) -> Iterator[ast.Module]:
    for source in sources:
        parts = [source] if src.parse(source) is not None else map(str.strip, source.splitlines())
        yield from (tree for part in parts if (tree := src.parse(part)) is not None)


def _only_computes(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _PURE
    return isinstance(value, ast.BinOp | ast.Compare | ast.BoolOp | ast.Subscript | ast.Name)
