"""Names that only one branch of a condition binds, and that are read behind it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Set

from jupyter_selfheal import source as src

_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def list_one_branch_names(tree: ast.Module, known: Set[str]) -> set[str]:
    """Names that one branch of an ``if`` with an ``else`` binds, no other one that goes on does, nothing above does, and that is read
    behind it: the line that reads it belongs into the branch. ``known`` are the names of the notebook.

    An ``elif`` is a branch of the same condition, and is gone through once; blocks are gone through once for each block around them.
    """
    names: set[str] = set()
    try:
        _read_block(tree.body, set(known), names)
    except RecursionError:  # what is nested that deep was not written by somebody who forgot a few blanks
        return set()
    return names


def _read_block(block: list[ast.stmt], bound: set[str], names: set[str]) -> None:
    """Add to ``names`` those of a block and of all in it. ``bound`` are the names that something above binds; it is left as it was."""
    added: set[str] = set()
    one_only: set[str] = set()
    for node in block:
        branches, header = _split_branches(node)
        used = [src.collect_names(b) for b in ([*branches, header] if branches else [[node]])]
        binds = {name for u in used for name in u.binds}
        names |= one_only & {name for u in used for name in u.uses}
        inside = _list_header_names(node) - bound
        bound |= inside
        for inner, start in _list_inner_blocks(node, branches, bound):
            _read_block(inner, start, names)
        opened = _list_of_one(branches, [u.binds for u in used[: len(branches)]]) - bound
        one_only = (one_only - binds) | opened
        new = binds - opened - bound
        bound |= new
        added |= new | inside
    bound -= added


def _split_branches(node: ast.stmt) -> tuple[list[list[ast.stmt]], list[ast.stmt]]:
    """The branches of an ``if`` with all its ``elif`` (the last one empty where it has no ``else``), and its conditions."""
    branches: list[list[ast.stmt]] = []
    header: list[ast.stmt] = []
    while isinstance(node, ast.If):
        branches.append(node.body)
        header.append(ast.Expr(node.test))
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            branches.append(node.orelse)
            break
        node = node.orelse[0]
    return branches, header


def _list_inner_blocks(
    node: ast.stmt, branches: list[list[ast.stmt]], bound: set[str]
) -> Iterator[tuple[list[ast.stmt], set[str]]]:
    """The blocks of a statement, each with what is bound where it begins: a function's names are its own."""
    if branches:
        yield from ((branch, bound) for branch in branches)
        return
    if isinstance(node, _FUNCTIONS):
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        own |= {name for n in ast.walk(node) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
        yield node.body, own
        return
    for field in _BLOCKS:
        block = getattr(node, field, [])
        if field in ("handlers", "cases"):
            yield from ((part.body, bound) for part in block)
        elif block:
            yield block, bound


def _list_header_names(node: ast.stmt) -> set[str]:
    """What a loop, a ``with``, a handler or a pattern binds before its block begins."""
    if isinstance(node, _FUNCTIONS) or not hasattr(node, "body"):
        return set()
    holders = [node, *getattr(node, "handlers", []), *getattr(node, "cases", [])]
    values = [v for holder in holders for field, v in ast.iter_fields(holder) if field not in _BLOCKS]
    parts = [part for v in values for part in (v if isinstance(v, list) else [v])]
    names = {part for part in parts if isinstance(part, str)}
    for n in (n for part in parts if isinstance(part, ast.AST) for n in ast.walk(part)):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            names.add(n.id)
        elif isinstance(n, ast.MatchAs | ast.MatchStar) and n.name:
            names.add(n.name)
    return names


def _list_of_one(branches: list[list[ast.stmt]], binds: list[frozenset[str]]) -> set[str]:
    """The names that one branch of those that go on binds. Without an ``else`` the condition is there to leave something as it was."""
    if not branches or not branches[-1]:
        return set()
    lasting = [names for branch, names in zip(branches, binds, strict=True) if not _leaves_block(branch)]
    counted = Counter(name for names in lasting for name in names)
    return {name for name, count in counted.items() if count == 1} if len(lasting) > 1 else set()


def _leaves_block(block: list[ast.stmt]) -> bool:
    """Whether nothing behind the block runs after it."""
    last = block[-1]
    if isinstance(last, ast.If):
        branches, _ = _split_branches(last)
        return bool(branches[-1]) and all(_leaves_block(branch) for branch in branches)
    if isinstance(last, ast.With | ast.AsyncWith):
        return _leaves_block(last.body)
    is_exit = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and ast.unparse(last.value.func) in _EXITS
    return is_exit or isinstance(last, _ENDS)
