"""A statement that a change makes another one, and without which every check holds as well: what it does now, none of them tells.

``self.audit()`` raised, and ``self.total()`` in its place does not; its value is dropped, and no check asks for anything that it does. Where only the
spelling of a name is another the failure itself says what is meant.

So with what a method is given: ``bars = ax.bar(names, len(heights))`` for ``ax.bar(names, heights)``, where no check asks for more than how many
bars there are, and any number there gives as many.
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
MEANINGLESS = (7919, "q7919")
"""What nobody would have given: where every check holds with one of these as well, none of them sees what is given."""
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


def replace_changed_argument(old: str, new: str) -> tuple[str, tuple[str, ...]] | None:
    """The one argument of a method, or key of several, that a change makes another one, and the new text with something meaningless in its place, or
    without that entry; None where it is none, not the only one, or spells a name otherwise."""
    tree = ast.parse(new)
    path = _find_changed(parse_once(old), tree)
    if path is None:
        return None
    if isinstance(entries := path[-2], ast.Dict) and len(entries.keys) > 1 and path[-1] in entries.keys:
        return ast.unparse(path[-1]), (_unparse_without(tree, entries, path[-1]),)
    for call, given in zip(path[-2::-1], path[:0:-1], strict=True):
        if isinstance(call, ast.Call):
            if not isinstance(call.func, ast.Attribute) or given is call.func or isinstance(given, ast.Starred):
                return None
            return ast.unparse(given), tuple(_unparse_with(tree, call, given, put) for put in MEANINGLESS)
    return None


def _find_changed(was: ast.AST, now: ast.AST) -> list[ast.AST] | None:
    """The nodes of the new tree on the way to the one part that is another; None where it spells a name otherwise, or nothing is."""
    path = [now]
    while type(was) is type(now):
        children = [*ast.iter_child_nodes(was)], [*ast.iter_child_nodes(now)]
        differing = [(a, b) for a, b in zip(*children, strict=False) if ast.dump(a) != ast.dump(b)]
        if len(children[0]) != len(children[1]) or len(differing) != 1:
            break
        was, now = differing[0]
        path.append(now)
    return None if len(path) == 1 or is_spelt_otherwise(ast.unparse(was), ast.unparse(now)) else path


def _unparse_with(tree: ast.AST, call: ast.Call, given: ast.AST, put: str | int) -> str:
    """The tree as text with a constant where a call is given something."""
    owner = given if isinstance(given, ast.keyword) else call
    kept = owner.value if isinstance(owner, ast.keyword) else owner.args
    constant = ast.Constant(put)
    if isinstance(owner, ast.keyword):
        owner.value = constant
    else:
        owner.args = [constant if n is given else n for n in owner.args]
    text = ast.unparse(tree)
    setattr(owner, "value" if isinstance(owner, ast.keyword) else "args", kept)
    return text


def _unparse_without(tree: ast.AST, entries: ast.Dict, key: ast.AST) -> str:
    """The tree as text without one entry of a dictionary."""
    at = entries.keys.index(key)  # type: ignore[arg-type]
    kept = entries.keys[at], entries.values[at]
    del entries.keys[at], entries.values[at]
    text = ast.unparse(tree)
    entries.keys.insert(at, kept[0])
    entries.values.insert(at, kept[1])
    return text


def is_spelt_otherwise(was: str, now: str) -> bool:
    """Whether two statements differ in one name alone, and that is near to what it was."""
    tokens = _TOKEN.findall(was), _TOKEN.findall(now)
    differing = {pair for pair in zip(*tokens, strict=False) if pair[0] != pair[1]}
    if len(tokens[0]) != len(tokens[1]) or len(differing) != 1:
        return False
    return measure_name_likeness(*differing.pop()) >= _SPELLING


def _list_simple(tree: ast.AST) -> list[ast.stmt]:
    return [n for n in walk(tree) if isinstance(n, _SIMPLE)]
