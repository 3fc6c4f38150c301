"""The smallest parts in which two trees differ, each with what it stands in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from jupyter_selfheal.inside.parsing import dump_tree


class Part(NamedTuple):
    """What stood there and what stands there now, and the nodes around it, the outermost first. Two blocks of statements of which one is longer
    stand as modules."""

    before: ast.AST
    after: ast.AST
    parents: tuple[ast.AST, ...]


def list_changed_parts(before: ast.AST, after: ast.AST) -> list[Part]:
    """The differing parts, in the order of the source; none where the trees are the same."""
    return list(_list_parts(before, after, ()))


def _list_parts(before: ast.AST, after: ast.AST, parents: tuple[ast.AST, ...]) -> Iterator[Part]:
    if dump_tree(before) == dump_tree(after):
        return
    if type(before) is not type(after):
        yield Part(before, after, parents)
        return
    inner: list[Part] = []
    around = (*parents, before)
    for field in before._fields:
        ours, theirs = getattr(before, field, None), getattr(after, field, None)
        if isinstance(ours, ast.AST) and isinstance(theirs, ast.AST):
            inner.extend(_list_parts(ours, theirs, around))
        elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
            pairs = [
                (a, b) for a, b in zip(ours, theirs, strict=True) if isinstance(a, ast.AST) and isinstance(b, ast.AST)
            ]
            inner.extend(p for a, b in pairs for p in _list_parts(a, b, around))
        elif isinstance(ours, list) and isinstance(theirs, list) and _is_block([*ours, *theirs]):
            inner.append(Part(ast.Module(ours, []), ast.Module(theirs, []), around))
        elif ours != theirs:
            inner = []
            break
    if inner:
        yield from inner
    else:
        yield Part(before, after, parents)


def _is_block(items: list[object]) -> bool:
    """Whether a field holds statements, now or before: the ``else`` of an ``if`` may have none yet."""
    return all(isinstance(item, ast.stmt) for item in items)
