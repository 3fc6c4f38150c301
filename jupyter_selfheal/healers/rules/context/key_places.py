"""Where a text stands as a key: written down in a dictionary or a table, set, and read.

Only what the notebook itself writes down is a definition: a dictionary given a name (alone, in a list, or made a table of), and an
item that is assigned. A key given to anything else (``agg({"town": "sum"})``) only uses what is there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name

_TABLES = frozenset({"DataFrame", "Series", "dict", "Counter", "defaultdict", "OrderedDict"})
_READERS = frozenset({"get", "pop", "setdefault"})


def list_key_places(source: str, word: str) -> Iterator[tuple[int, bool, bool]]:
    """(start, whether it is defined there, whether it is read there) of each literal of that text; -1 as the start of one that is
    used otherwise, so that nobody can say what else hangs on it."""
    nodes = src.walk(source)
    defined = {id(key) for node in nodes if isinstance(node, ast.Assign) for key in _list_written_keys(node.value)}
    indexes = {id(n.slice): n for n in nodes if isinstance(n, ast.Subscript)}
    updated = {id(n.target) for n in nodes if isinstance(n, ast.AugAssign)}
    asked = {id(n.args[0]) for n in nodes if isinstance(n, ast.Call) and n.args and _is_reader(n)}
    asked |= {id(n.left) for n in nodes if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.In | ast.NotIn)}
    for node in nodes:
        if not (isinstance(node, ast.Constant) and node.value == word):
            continue
        start, end = src.find_span(source, node)
        at = source.find(word, start, end)
        index = indexes.get(id(node))
        if index is not None:
            yield at, isinstance(index.ctx, ast.Store), isinstance(index.ctx, ast.Load) or id(index) in updated
        elif id(node) in defined or id(node) in asked:
            yield at, id(node) in defined, id(node) in asked
        else:
            yield -1, False, True


def _list_written_keys(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.Dict):
        for key, inner in zip(value.keys, value.values, strict=True):
            if key is not None:
                yield key
            yield from _list_written_keys(inner)
    elif isinstance(value, ast.List | ast.Tuple):
        for item in value.elts:
            yield from _list_written_keys(item)
    elif isinstance(value, ast.Call) and value.args and read_called_name(value) in _TABLES:
        yield from _list_written_keys(value.args[0])


def _is_reader(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr in _READERS
