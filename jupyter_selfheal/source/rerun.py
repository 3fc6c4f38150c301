"""Which cells may be run a second time: by their text, running one again does no harm and gives what it gave.

What a text says may still not hold (a generator that is used up, chance, a function with a memory): who relies on equal
results tries it (:mod:`jupyter_selfheal.inside.search.replay`, :mod:`jupyter_selfheal.inside.probes.record_calls`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from jupyter_selfheal.inside.outside_calls import list_imported, reaches_out
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.source.binding import collect_names, find_root_name
from jupyter_selfheal.source.masking import can_compile
from jupyter_selfheal.source.source import read

if TYPE_CHECKING:
    from jupyter_selfheal.model import Cell

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_SIDE_EFFECTS = re.compile(
    r"""(?m)^\s*[!%](?!matplotlib\b|time\b|timeit\b|config\b)     # shell, installs, other magics
      | \b(?:input|getpass|raw_input|exit|quit)\s*\(
      | \b(?:requests|urllib|urllib2|http|socket|smtplib|ftplib|paramiko|boto3?|kaggle|wget|gdown|webbrowser|subprocess)\b
      | \burlopen\b | \burlretrieve\b | ["'](?:https?|ftp|s3|gs)://
      | \bos\.(?:system|remove|unlink|rename|rmdir|makedirs|mkdir|exec\w*|kill|_exit)\b | \bshutil\. | \bsys\.exit\b
      | \btime\.sleep\b | \bto_sql\b | \bload_dataset\b | \bfetch_\w+\s*\(
    """,
    re.VERBOSE,
)
"""What a cell must not do to be run unasked: reach out, ask the user, change the machine."""
_TRAINING = re.compile(r"\.fit\s*\(")
"""Nor may it train for long."""

_MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "add", "discard", "sort", "reverse", "setdefault",
     "fill", "put", "appendleft", "popleft", "shuffle", "seed", "fit", "fit_transform", "train"}
)  # fmt: skip
_ITERATORS = frozenset({"iter", "open", "map", "zip", "filter", "reversed", "enumerate", "reader", "DictReader"})
"""Functions whose result is used up by reading it."""


def is_harmless(cell: Cell, *, may_fit: bool = False) -> bool:
    """Whether a cell may be run in a trial unasked: cheap (but for what it trains, where it ``may_fit``), Python, without effects outside."""
    source = cell.source
    if cell.skip or cell.expensive or {"raises-exception", "nbval-skip"} & set(cell.tags):
        return False
    if read(source).is_foreign or not source.strip() or not can_compile(source):
        return False
    is_long = not may_fit and _TRAINING.search(source)
    return not (is_long or _SIDE_EFFECTS.search(source) or source.lstrip().startswith("%%"))


def can_run_again(
    cell: Cell, modules: Mapping[str, str], iterators: frozenset[str] = frozenset(), *, may_await: bool = False
) -> bool:
    """Whether, by its text, a cell may be run a second time unasked: harmless, repeatable, and reading nothing that is used up."""
    return (
        is_harmless(cell) and is_repeatable(cell, modules, may_await) and not read(cell.source).names.uses & iterators
    )


def is_repeatable(cell: Cell, modules: Mapping[str, str], may_await: bool = False) -> bool:
    """True where, by its text, running the cell again from the state below it gives what it gave the first time.

    ``modules``: the package that each imported name comes from (:func:`map_modules`). A cell with top-level await is none
    unless it ``may_await``: only the kernel's shell can run it.
    """
    source = read(cell.source)
    if cell.skip or cell.expensive or source.is_foreign or "raises-exception" in cell.tags:
        return False
    nodes = [s.node for s in source.statements]
    if not nodes or source.masked_text != cell.source or (awaits(nodes) and not may_await):
        return not cell.source.strip()
    names = source.names
    if names.uses & names.binds or names.deletes:
        return False
    return not any(reaches_out(node, modules) for node in nodes) and not _changes_given(nodes)


def list_iterators(cells: Iterable[Cell]) -> frozenset[str]:
    """Names that the cells bind to what is used up by reading it: ``rows = csv.reader(f)``, ``pairs = zip(a, b)``."""
    names: set[str] = set()
    for cell in cells:
        for statement in read(cell.source).statements:
            value = getattr(statement.node, "value", None)
            if isinstance(statement.node, ast.Assign) and (
                isinstance(value, ast.GeneratorExp)
                or (isinstance(value, ast.Call) and read_called_name(value) in _ITERATORS)
            ):
                names |= collect_names([statement.node]).binds
    return frozenset(names)


def map_modules(cells: Iterable[Cell]) -> dict[str, str]:
    """What the cells import: the package that each name comes from."""
    return {name: package for cell in cells for name, package in list_imported(read(cell.source).nodes)}


def awaits(nodes: Iterable[ast.stmt]) -> bool:
    """True for a cell with top-level await, which only IPython can run."""
    stack: list[ast.AST] = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            return True
        if not isinstance(node, DEFINITIONS):
            stack.extend(ast.iter_child_nodes(node))
    return False


def walk_changed_names(node: ast.AST) -> Iterator[str]:
    """Names of what a statement evidently changes in place: by an assignment into it, a method known for that, or ``inplace=True``."""
    for child in ast.walk(node):
        if isinstance(child, ast.Attribute | ast.Subscript) and isinstance(child.ctx, ast.Store | ast.Del):
            yield find_root_name(child)
        elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            in_place = any(
                k.arg == "inplace" and not (isinstance(k.value, ast.Constant) and k.value.value is False)
                for k in child.keywords
            )
            if child.func.attr in _MUTATORS or in_place:
                yield find_root_name(child.func.value)


def _changes_given(nodes: Iterable[ast.stmt]) -> bool:
    """True where something that the cell did not make itself is changed in place."""
    bound: set[str] = set()
    for node in nodes:
        if not isinstance(node, DEFINITIONS):
            bound |= collect_names([node]).binds
            if any(root not in bound for root in walk_changed_names(node)):
                return True
    return False
