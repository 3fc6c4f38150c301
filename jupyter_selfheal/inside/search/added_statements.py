"""Whether a patch puts a statement in."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from jupyter_selfheal.inside.parsing import parse_module


def adds_statement(old: str, new: str) -> bool:
    """Whether a text has a statement more than the old one, and all that this had in the same order."""
    before, after = (list(map(_cut_blocks, _list_statements(text))) for text in (old, new))
    left = iter(after)
    return len(after) > len(before) and all(head in left for head in before)


def _list_statements(text: str) -> Iterator[ast.stmt]:
    def walk(node: ast.AST) -> Iterator[ast.stmt]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield child
            yield from walk(child)

    return walk(parse_module(text))


def _cut_blocks(node: ast.stmt) -> str:
    """A statement without its blocks: its first line."""
    return ast.unparse(node).partition("\n")[0]


def list_added_lines(old: str, new: str) -> list[str]:
    """The lines, without their indentation, of which a text that :func:`adds_statement` has more than the old one."""
    if not adds_statement(old, new):
        return []
    before, after = (Counter(line.strip() for line in text.splitlines()) for text in (old, new))
    return [line for line in after - before if line]
