"""Whether a name is a table (of pandas) wherever a notebook binds it: what has ``values`` without a call, where a dictionary calls them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.objections import BINDS_UNSEEN
from jupyter_selfheal.model import Notebook

_READERS = frozenset(
    {"read_csv", "read_table", "read_fwf", "read_excel", "read_json", "read_parquet", "read_feather", "read_sql", "read_sql_query", "read_stata"}
)  # fmt: skip
"""Those that give one table, where none of ``_OTHERWISE`` is given. ``read_html`` gives a list, ``read_pickle`` whatever was stored."""
_MAKERS = frozenset({"DataFrame", "Series"})
_KEPT = frozenset(
    {"copy", "drop", "dropna", "fillna", "head", "tail", "query", "rename", "reset_index", "sample", "sort_values"}
)
"""Methods of a table that give another one."""
_OTHERWISE = frozenset({"sheet_name", "typ", "chunksize", "iterator", "squeeze", "inplace", None})
"""Arguments with which something else comes back; None stands for ``**``."""


def calls_values_of_table(mended: str, given: str, notebook: Notebook) -> bool:
    """``df.values()`` that was not there, where all that binds ``df`` anywhere in the notebook is a line that makes a table of it."""
    if ".values()" not in mended:
        return False
    tree = src.parse(mended)
    called = _list_called(tree) if tree is not None else []
    names = {name for name in called if f"{name}.values()" not in given}
    if tree is None or not names or "" in called:
        return False
    cells = [mended, *(c.source for c in notebook.cells if c.kind == "code" and c.source != given)]
    if any(src.parse(text) is None or BINDS_UNSEEN.search(text) for text in cells):
        return False
    nodes = [n for text in cells for n in src.walk(text)]
    bound = Counter(name for node in nodes for name in _list_bound(node))
    pandas = {a.asname or a.name for n in nodes if isinstance(n, ast.Import) for a in n.names if a.name == "pandas"}
    pandas |= {"pd", "pandas"} - bound.keys()
    return all(_is_table(name, nodes, bound[name], pandas) for name in names)


def _list_called(tree: ast.AST) -> list[str]:
    """The names whose ``values`` are called; an empty one for what is no name."""
    calls = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return [f.value.id if isinstance(f.value, ast.Name) else "" for f in calls if f.attr == "values"]


def _list_bound(node: ast.AST) -> Iterator[str]:
    """The names that a node binds or deletes, in whatever scope: a parameter of the same name may be anything."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _is_table(name: str, nodes: Sequence[ast.AST], times: int, pandas: set[str]) -> bool:
    """Whether each place that binds a name sets it, alone, to a table; one of them to a new one."""
    roots = [_find_root(n.value, name, pandas) for n in nodes if isinstance(n, ast.Assign) and _sets_alone(n, name)]
    return times == len(roots) and all(roots) and "new" in roots


def _sets_alone(node: ast.Assign, name: str) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name


def _find_root(value: ast.expr, name: str, pandas: set[str]) -> str:
    """``new`` for a table that pandas makes, ``own`` for one that is made of what the name held; empty for anything else."""
    if isinstance(value, ast.Name):
        return "own" if value.id == name else ""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return ""
    if any(k.arg in _OTHERWISE for k in value.keywords) or any(isinstance(a, ast.Starred) for a in value.args):
        return ""
    called, of = value.func.attr, value.func.value
    if called in _KEPT:
        return _find_root(of, name, pandas)
    is_pandas = isinstance(of, ast.Name) and of.id in pandas
    one_argument = len(value.args) <= 1 or called not in (
        "read_excel",
        "read_json",
    )  # `read_excel(path, None)`: all sheets
    return "new" if is_pandas and called in _READERS | _MAKERS and one_argument else ""
