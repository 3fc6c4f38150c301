"""Does a guess read other data than those whose values a library complained of?

``model.fit(data[["age", "fare"]], data["y"])`` fails as `age` has missing values; ``data[["y", "fare"]]`` runs, and gives a model of something else.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells

OF_VALUES = re.compile(
    r"\bNaNs?\b|missing values|\bNA\b|non-finite|infinity|could not convert string to float|Unable to parse string|negative values|non-numeric"
)
"""What libraries say of values that they cannot take, whatever the column is called."""


def find_other_data(case: Case, patch: Patch) -> str:
    """The columns that a patch no longer reads, as text, where the values of what was read are at fault; empty where it reads all of them."""
    if OF_VALUES.search(case.failure.evalue) is None:
        return ""
    cells = list_patched_cells(case, patch)
    before, after = (Counter(c for cell in cells for c in _list_columns(cell[n])) for n in (1, 2))
    return next((repr(column) for column in before - after), "")


def _list_columns(source: str) -> Iterator[str]:
    """The texts that stand in brackets behind a value: columns, and keys."""
    for node in src.walk(source):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            items = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
            yield from (i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str))
