"""What of a cell that needed more memory than there is could be smaller: read off its text, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name

ALLOCATORS = frozenset({"zeros", "ones", "empty", "full", "rand", "randn", "eye", "random"})
"""Functions of numpy whose arguments are a shape."""

READERS = {
    "read_csv": "`usecols=`, `dtype=` or `chunksize=` read less of the file",
    "read_table": "`usecols=`, `dtype=` or `chunksize=` read less of the file",
    "read_parquet": "`columns=` reads less of the file",
    "read_excel": "`usecols=` or `nrows=` read less of the file",
    "read_json": "`lines=True, chunksize=` reads the file in parts",
    "load": "`mmap_mode=\"r\"` reads only what is used",
}  # fmt: skip

GROWERS = {
    "merge": "keys that stand several times on both sides multiply the rows: look for them with `duplicated`",
    "get_dummies": "`sparse=True` keeps the zeros out of memory",
    "pivot": "a pivot makes a cell for each pair: count the values of both columns first",
    "pivot_table": "a pivot makes a cell for each pair: count the values of both columns first",
    "toarray": "stay with the sparse matrix: `.toarray()` writes out every zero",
    "todense": "stay with the sparse matrix: `.todense()` writes out every zero",
    "readlines": "loop over the file itself: `.readlines()` holds all of it at once",
    "read": "loop over the file itself: `.read()` holds all of it at once",
}
"""What makes more of what is there, by the function called."""

LARGE = 1 << 28
"""Bytes from which an array is worth a word."""


def list_what_could_be_smaller(source: str, line: int = 0) -> Iterator[str]:
    """Sentences about the statement on that line; about the whole cell where the line is not known (0)."""
    statements = [s.node for s in src.list_statements(source) if not line or s.first <= line <= s.last]
    for node in (n for statement in statements for n in ast.walk(statement)):
        if isinstance(node, ast.Call):
            name = read_called_name(node)
            yield from _describe_array(node, name)
            yield from (table[name] for table in (READERS, GROWERS) if name in table)


def _describe_array(call: ast.Call, name: str) -> Iterator[str]:
    """The size of an array whose shape is written out."""
    if name not in ALLOCATORS or not call.args:
        return
    shape = call.args[0].elts if isinstance(call.args[0], ast.Tuple | ast.List) else call.args
    numbers = [_read_number(node) for node in shape]
    items = prod(n for n in numbers if n is not None) if None not in numbers else 0
    if items * 8 >= LARGE:
        yield f"`{ast.unparse(call)}` asks for {items * 8 / 2**30:,.1f} GB"


def _read_number(node: ast.expr) -> int | None:
    """A whole number that is written out: ``1000``, ``10**6``, ``4 * 1024``, ``1_000``; None for anything else."""
    if isinstance(node, ast.Constant):
        return int(node.value) if isinstance(node.value, int | float) and node.value >= 0 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.Mult):
        left, right = _read_number(node.left), _read_number(node.right)
        if left is None or right is None or (isinstance(node.op, ast.Pow) and right > 64):
            return None
        return left**right if isinstance(node.op, ast.Pow) else left * right
    return None
