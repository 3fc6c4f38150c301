"""What of a cell hangs on something that was said or done in a statement, of its own or further up: followed name by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from jupyter_selfheal import source as src

_SHOWS = re.compile(r"\b(?:print|display)\(")


def follow_names(
    source: str, hanging: set[str], begins: Callable[[str, ast.stmt], bool], modules: frozenset[str] = frozenset()
) -> list[bool]:
    """Add to the names that hang on it (``modules`` do not), and take out those bound anew; whether what each showing statement shows does.

    ``begins``: whether a statement is one on which other things hang.
    """
    statements, shown = src.list_statements(source), list[bool]()
    for statement in statements:
        text = src.extract_text(source, statement.node)
        names = src.find_names(text)
        if hangs := begins(text, statement.node) or not hanging.isdisjoint(names.uses):
            hanging |= (names.binds | names.changes) - modules - names.imports
        else:
            hanging -= names.binds
        if _SHOWS.search(text) or (statement is statements[-1] and isinstance(statement.node, ast.Expr)):
            shown.append(hangs)
    return shown
