"""The lists of statements of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def list_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements right in a node: its body, its ``else`` and its ``finally``, as far as it has them."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
