"""Does a patch change what the notebook is given? Data that were written down are nobody's to mend but their author's.

A model that cannot read `'02.03.2024'` may write `'2024-03-02'` in its place: the cell runs, and the next file fails again.
A search may cut `[[3, 4], [6, 8]]` to the one row that the code gets right.
"""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import is_strangers, load_traits
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.measures import list_assigned, list_targets

_TAKES = frozenset({"remove", "pop", "popitem", "clear", "discard"})
SHOWN = 40
"""Characters of a collection that are shown."""


def find_edited_data(case: Case, patch: Patch) -> str:
    """What is written down and changed by a patch of a model, an agent, or a search: the variable, or the text of the collection;
    empty where there is none.

    What is only added to (one more unit in a table) is not changed, and a name that is spelt otherwise is no data.
    """
    if not is_strangers(patch.healer):
        return "" if load_traits(patch.healer).reasoned else _find_changed_collection(case, patch)
    given = {name for c in case.notebook.list_code_before(case.failure.cell_id) for name, _ in _list_literals(c.source)}
    for _, before, after in list_patched_cells(case, patch):
        old, new = dict(_list_literals(before)), dict(_list_literals(after))
        for name in old.keys() & new.keys():
            if _has_lost_data(old[name], new[name]):
                return name
        cut = set(_list_cut(after)) - set(_list_cut(before))
        if cut & given:
            return min(cut & given)
    return ""


def _list_cut(source: str) -> Iterator[str]:
    """Names of what a cell's own statements take items from, or set an item of to a value that is written down."""
    tree = src.parse(source)
    for node in tree.body if tree is not None else ():
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            if node.value.func.attr in _TAKES and isinstance(node.value.func.value, ast.Name):
                yield node.value.func.value.id
            continue
        targets = node.targets if isinstance(node, ast.Delete) else list_targets(node)
        if isinstance(node, ast.Assign | ast.AnnAssign) and not isinstance(node.value, ast.Constant):
            continue
        yield from (t.value.id for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name))


def _find_changed_collection(case: Case, patch: Patch) -> str:
    """A collection of values that a cell's own statements write down, of which the patch takes only a part or another value."""
    for _, before, after in list_patched_cells(case, patch):
        left = Counter(src.dump_tree(node) for node, _ in _list_collections(after))
        changed = list(_list_collections(after))
        for node, value in _list_collections(before):
            if left[src.dump_tree(node)]:
                left[src.dump_tree(node)] -= 1
            elif not any(_is_only_more(value, other) for _, other in changed):
                return textwrap.shorten(ast.unparse(node), SHOWN, placeholder=" …")
    return ""


def _is_only_more(old: Any, new: Any) -> bool:
    if type(old) is not type(new) or _has_lost_data(old, new):
        return False
    if isinstance(old, list) and not {type(item) for item in new} <= {type(item) for item in old}:
        return False  # a number among texts, `labels=["young", "mid", 0]`, is made up
    is_moved = isinstance(old, list) and old != new and sorted(map(repr, old)) == sorted(map(repr, new))
    return not is_moved  # the same items in another order are other data


def _has_lost_data(old: Any, new: Any) -> bool:
    """Whether the new value lacks what the old one holds, other than a name that is spelt otherwise now: one that only goes is lost."""
    lost = _list_lost(old, new)
    spellings = sum(map(_is_spelling, lost))
    return spellings < len(lost) or spellings > sum(isinstance(value, str) for value in _list_lost(new, old))


def _list_collections(source: str) -> Iterator[tuple[ast.expr, Any]]:
    """Lists, sets and dictionaries of two values and more that stand whole in statements at the top of a cell, not in a function,
    an assert or an index; of those within one another the outermost."""
    tree = src.parse(source)
    nodes: list[ast.AST] = list(tree.body) if tree is not None else []
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Assert):
            continue
        if isinstance(node, ast.List | ast.Set | ast.Dict):
            try:
                value = ast.literal_eval(node)
            except (ValueError, TypeError):
                value = ()
            if len(value) > 1:
                yield node, value
                continue
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.List | ast.Dict):
            continue
        nodes.extend(ast.iter_child_nodes(node))


def _list_literals(source: str) -> Iterator[tuple[str, Any]]:
    """Collections and texts of several lines that a cell assigns to a name as they are."""
    for name, given in list_assigned(source):
        try:
            value = ast.literal_eval(given)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list | tuple | dict | set) or (isinstance(value, str) and "\n" in value):
            yield name, value


def _list_lost(old: Any, new: Any) -> list[Any]:
    """The items of the old value that the new one does not hold."""
    if isinstance(old, str) or type(old) is not type(new):
        return [] if old == new else [old]
    if isinstance(old, dict):
        return [item for key, item in old.items() if key not in new or new[key] != item]
    left = list(new)
    lost = []
    for item in old:
        if item in left:
            left.remove(item)
        else:
            lost.append(item)
    return lost


def _is_spelling(value: Any) -> bool:
    """A name, as of a column, is no datum."""
    return isinstance(value, str) and value.isidentifier()
