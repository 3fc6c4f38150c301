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
_QUOTED = re.compile(r"'(\w+)'")
_NAMING = ("NameError", "AttributeError")
"""Failures whose message says what is wrong."""
_BY_CUSTOM = frozenset({"self", "cls", "args", "kwargs", "_"})
"""Parameters that nobody needs to read."""
_ONE_TOO_MANY = re.compile(r"not callable|argument|positional|keyword|unpack|unexpected|not subscriptable|not iterable")
"""Messages that say themselves that something is too much."""


def count_lost_parts(case: Case, patch: Patch) -> int:
    """How many parts are gone: loops, parameters and calls for which nothing came, or whole statements if these are more.

    Where the failure names what is wrong (a name, an attribute) everything else was right, and each name that is gone counts.
    """
    cells = list_patched_cells(case, patch)
    was, now = ([tree for cell in cells if (tree := src.parse(cell[n])) is not None] for n in (1, 2))
    said = set(re.findall(r"\w+", case.failure.evalue))
    named = {name.lstrip(".") for name in _list_read(was)} & said
    culprit = said if named and case.failure.ename in _NAMING else set()
    parts = (
        len(_list_gone(was, now, culprit))
        if culprit
        else max(0, _count_nodes(was, ast.Call) - _count_nodes(now, ast.Call))
    )
    parts += max(0, _count_nodes(was, _LOOPS) - _count_nodes(now, _LOOPS)) + len(_list_unread(was, now, said))
    return max(parts, _count_nodes(was, _SIMPLE) - _count_nodes(now, _SIMPLE))


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
    named = set(_QUOTED.findall(failure.evalue))
    gone = [part for part in was - now if part in named]
    return gone[0] if gone and not now - was else ""


def _count_nodes(trees: Iterable[ast.AST], kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> int:
    return sum(isinstance(node, kind) for tree in trees for node in ast.walk(tree))


def _list_names(trees: Iterable[ast.AST]) -> set[str]:
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _list_unread(was: Iterable[ast.AST], now: Iterable[ast.AST], said: set[str]) -> set[str]:
    """What a function is given, and what a notebook sets once (names in capitals), and is no longer read; a parameter also where another name stood
    in its place."""
    was, now = list(was), list(now)
    before, after = _list_names(was) - BUILTINS, _list_names(now)
    capitals = {name for name in before if name.isupper() and name not in said}
    both = set.intersection(
        *({n.arg for tree in trees for n in ast.walk(tree) if isinstance(n, ast.arg)} for trees in (was, now))
    )
    wrong = any(name in said for name in before - after)
    return (capitals | {name for name in both if wrong or name in before}) - after - _BY_CUSTOM


def _list_gone(was: Iterable[ast.AST], now: Iterable[ast.AST], culprit: set[str]) -> set[str]:
    """Names and attributes that are read no more, but for what failed, what it was looked for in, and what the code binds itself."""
    was = list(was)
    own = {n.id for tree in was for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    own |= {n.arg for tree in was for n in ast.walk(tree) if isinstance(n, ast.arg)}
    for node in (n for tree in was for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr in culprit):
        own |= _list_read([node.value])
    return {name for name in _list_read(was) - _list_read(now) - own if name.lstrip(".") not in culprit}


def _list_read(trees: Iterable[ast.AST]) -> set[str]:
    trees = list(trees)
    return _list_names(trees) | {f".{n.attr}" for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Attribute)}


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
