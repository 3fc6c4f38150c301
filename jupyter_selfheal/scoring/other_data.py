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
from jupyter_selfheal.scoring.unscaled import OF_NUMBERS

OF_VALUES = re.compile(
    r"\bNaNs?\b|missing values|\bNA\b|non-finite|infinity|could not convert string to float|Unable to parse string|negative values|non-numeric|"
    r"time data .* doesn't match|Unknown datetime string format"
)
"""What libraries say of values that they cannot take, whatever the column is called."""
_CONVERTS = frozenset(
    {"Decimal", "Fraction", "astype", "complex", "float", "int", "literal_eval", "loads", "to_numeric"}
)
"""What makes a number of a text."""
NO_ROWS = re.compile(r"out-of-bounds|out of bounds for axis 0 with size 0|size 0\b|is empty|empty sequence")
"""What is said where a condition chose nothing."""


def find_other_data(case: Case, patch: Patch) -> str:
    """The columns that a patch no longer reads, as text, where the values of what was read are at fault, or the rows that it leaves out or chooses
    otherwise; empty where it reads all of them."""
    cells = list_patched_cells(case, patch)
    if NO_ROWS.search(case.failure.evalue):
        asked, now = ({c: o for cell in cells for c, o in _list_conditions(cell[n])} for n in (1, 2))
        turned = next((c for c in asked if c in now and now[c] != asked[c]), None)
        return f"the rows with `{asked[turned]}`" if turned else ""
    if OF_NUMBERS.search(case.failure.evalue):
        read, now_read = (sum(_count_conversions(cell[n]) for cell in cells) for n in (1, 2))
        if read > now_read:
            return "a number from the text"
    if OF_VALUES.search(case.failure.evalue) is None:
        return ""
    cut, now_cut = ({c for cell in cells for c in _list_cut(cell[n])} for n in (1, 2))
    if left := sorted(now_cut - cut):
        return f"all of `{left[0]}`"
    before, after = (Counter(c for cell in cells for c in _list_columns(cell[n])) for n in (1, 2))
    return next((repr(column) for column in before - after), "")


def _count_conversions(source: str) -> int:
    """How often a source makes a number of a text, by a function of its own as well."""
    own = {node.name for node in src.walk(source) if isinstance(node, ast.FunctionDef)}
    return sum(
        (node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")) in _CONVERTS | own
        for node in src.walk(source)
    )


def _list_conditions(source: str) -> Iterator[tuple[str, str]]:
    """What is compared in the brackets that choose rows, and how the comparison is written."""
    for node in (n for s in src.walk(source) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)):
        if isinstance(node, ast.Compare):
            yield ", ".join(map(ast.unparse, (node.left, *node.comparators))), ast.unparse(node)


def _list_cut(source: str) -> Iterator[str]:
    """What is converted as a whole, and only in part: ``s`` of ``s[::2].astype(int)`` and ``to_datetime(s[:-1])``; a first item is a header."""
    for call in (n for n in src.walk(source) if isinstance(n, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = call.args[:1] if name in ("to_datetime", "to_numeric") else []
        given += [call.func.value] if name == "astype" and isinstance(call.func, ast.Attribute) else []
        for part in given:
            if (
                isinstance(part, ast.Subscript)
                and isinstance(part.slice, ast.Slice)
                and ast.unparse(part.slice) != "1:"
            ):
                yield ast.unparse(part.value)


def _list_columns(source: str) -> Iterator[str]:
    """The texts that stand in brackets behind a value: columns, and keys."""
    for node in src.walk(source):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            items = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
            yield from (i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str))
