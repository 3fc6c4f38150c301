"""A statement that a change makes another one, and without which every check holds as well: what it does now, none of them tells.

``self.audit()`` raised, and ``self.total()`` in its place does not; its value is dropped, and no check asks for anything that it does. Where only the
spelling of a name is another the failure itself says what is meant.
"""

from __future__ import annotations

import ast
import re

from jupyter_selfheal.inside.search.name_changes import measure_name_likeness
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk

_SPELLING = 0.7
"""How alike two names are (0-1) of which one may be a slip of the other."""
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign)
_TOKEN = re.compile(r"\w+|[^\w\s]")


def drop_changed_statement(old: str, new: str) -> tuple[str, str] | None:
    """The one statement of the new text that stands where another one did, and that text without it; None where it is none, not the only one, or
    spells a name otherwise."""
    before, tree = _list_simple(parse_once(old)), ast.parse(new)
    after = _list_simple(tree)
    texts = [ast.unparse(n) for n in before], [ast.unparse(n) for n in after]
    changed = [n for n, (was, now) in enumerate(zip(*texts, strict=False)) if was != now]
    if len(before) != len(after) or len(changed) != 1:
        return None
    was, now = (side[changed[0]] for side in texts)
    if is_spelt_otherwise(was, now):
        return None
    statement = after[changed[0]]
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and statement in block:
                block[block.index(statement)] = ast.copy_location(ast.Pass(), statement)
    return now, ast.unparse(tree)


def is_spelt_otherwise(was: str, now: str) -> bool:
    """Whether two statements differ in one name alone, and that is near to what it was."""
    tokens = _TOKEN.findall(was), _TOKEN.findall(now)
    differing = {pair for pair in zip(*tokens, strict=False) if pair[0] != pair[1]}
    if len(tokens[0]) != len(tokens[1]) or len(differing) != 1:
        return False
    return measure_name_likeness(*differing.pop()) >= _SPELLING


def _list_simple(tree: ast.AST) -> list[ast.stmt]:
    return [n for n in walk(tree) if isinstance(n, _SIMPLE)]
