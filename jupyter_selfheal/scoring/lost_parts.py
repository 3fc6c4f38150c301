"""What of the code that did not fail does a patch throw away?

A mend keeps the loop, the calls and the inputs that were right, and replaces what failed. A program that was written anew to give the values
that are asked for keeps little: `xs[1] - xs[0]` for the largest gap is without its loop, its `zip` and its `max`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, FailureKind, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.source import BUILTINS

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.Delete, ast.Yield)
_ONE_TOO_MANY = re.compile(r"not callable|argument|positional|keyword|unpack|unexpected|not subscriptable|not iterable")
"""Messages that say themselves that something is too much."""


def count_lost_parts(case: Case, patch: Patch) -> int:
    """How many parts are gone for which nothing came: calls, loops and inputs, or whole statements if these are more."""
    cells = list_patched_cells(case, patch)
    was, now = ([tree for cell in cells if (tree := src.parse(cell[n])) is not None] for n in (1, 2))
    parts = sum(max(0, _count(was, kind) - _count(now, kind)) for kind in (ast.Call, _LOOPS))
    unread = {name for name in _list_inputs(was) - _list_names(now) if name not in case.failure.evalue}
    return max(parts + len(unread), _count(was, _SIMPLE) - _count(now, _SIMPLE))


def find_left_out(case: Case, patch: Patch) -> str:
    """What failed and is gone, with nothing in its place: ``out.extend(flaten(x))`` → ``out.extend(x)``; empty where there is none.

    Not meant is what the failure itself calls too much (an argument that is not known, a value that is called).
    """
    failure = case.failure
    if (
        failure.kind is not FailureKind.RAISED
        or failure.ename == "AssertionError"
        or _ONE_TOO_MANY.search(failure.evalue)
    ):
        return ""
    cells = list_patched_cells(case, patch)
    was, now = (Counter(part for cell in cells for part in _list_parts(cell[n])) for n in (1, 2))
    gone = [part for part in was - now if part.isidentifier() and part in failure.evalue]
    return gone[0] if gone and not now - was else ""


def _count(trees: Iterable[ast.AST], kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> int:
    return sum(isinstance(node, kind) for tree in trees for node in ast.walk(tree))


def _list_names(trees: Iterable[ast.AST]) -> set[str]:
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _list_inputs(trees: Iterable[ast.AST]) -> set[str]:
    """Parameters that are read, and names written in capitals: what a function is given, and what a notebook sets once."""
    trees = list(trees)
    given = {node.arg for tree in trees for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {name for name in _list_names(trees) - BUILTINS if name in given or name.isupper()}


def _list_parts(source: str) -> Iterator[str]:
    """Names, attributes, options and constants, as texts."""
    for node in src.walk(source):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword):
            yield f"{node.arg}="
        elif isinstance(node, ast.Constant):
            yield repr(node.value)
