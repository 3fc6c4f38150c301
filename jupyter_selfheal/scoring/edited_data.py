"""Does a patch change what the notebook is given? Data that were written down are nobody's to mend but their author's.

A model that cannot read `'02.03.2024'` may write `'2024-03-02'` in its place: the cell runs, and the next file fails again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import is_strangers
from jupyter_selfheal.scoring.asserts import list_patched_cells


def find_edited_data(case: Case, patch: Patch) -> str:
    """The variable whose written-down data a model's or an agent's patch changes; empty where there is none.

    What is only added to (one more unit in a table) is not changed, and a name that is spelt otherwise is no data.
    """
    if not is_strangers(patch.healer):
        return ""
    for _, before, after in list_patched_cells(case, patch):
        old, new = dict(_list_literals(before)), dict(_list_literals(after))
        for name in old.keys() & new.keys():
            if any(not _is_spelling(value) for value in _list_lost(old[name], new[name])):
                return name
    return ""


def _list_literals(source: str) -> Iterator[tuple[str, Any]]:
    """Collections and texts of several lines that a cell assigns to a name as they are."""
    tree = src.parse(source)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                value = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, list | tuple | dict | set) or (isinstance(value, str) and "\n" in value):
                yield node.targets[0].id, value


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
