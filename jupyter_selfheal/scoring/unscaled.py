"""Do asserts say which number a text was to be read as?

``assert len(values) == 3`` and ``assert parse("45%") < parse("50%")`` hold however the texts are read: 45 or 0.45, 10 or 10,000. One that compares with a
number, ``parse("45%") == 0.45`` or ``total > 1000``, says which.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Case, Patch
from jupyter_selfheal.scoring.measures import is_measure
from jupyter_selfheal.scoring.size_alone import find_measured

OF_NUMBERS = re.compile(r"invalid literal for int\(\)|could not convert string to float|Unable to parse string")
"""What is said of a text that is read as a number."""
DOUBT = "No check names a number that comes of it: the texts may be meant otherwise (`2k` as 2000, `45%` as 0.45)."


def explain_unscaled(case: Case, patch: Patch, asserts: Iterable[ast.AST]) -> str:
    """Why asserts say too little of a fix that reads a number from a text, and is not safe; empty where one says enough, and of other fixes."""
    if patch.applicability is Applicability.SAFE or not OF_NUMBERS.search(case.failure.evalue):
        return ""
    asked = list(asserts)
    return DOUBT if asked and not any(map(_names_number, asked)) else ""


def _names_number(node: ast.AST) -> bool:
    """Whether something of which no size is asked is said to be equal to something, compared with another number than 0, given to a function with
    one, or one is taken off it."""
    for inner in ast.walk(node):
        match inner:
            case ast.Compare(left, _, others):
                sides = [left, *others]
            case ast.Call(_, [_, _, *_]):
                sides = inner.args
            case ast.BinOp(left, ast.Sub(), right):
                sides = [left, right]
            case _:
                continue
        sized = any(find_measured(ast.Expr(side)) is not None for side in sides)
        is_equal = isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.Eq)
        if is_equal or is_measure(read_called_name(inner)):
            names = not sized  # `want` may be anything
        else:
            names = not sized and any(map(_is_number, sides)) and not all(map(_is_number, sides))
        if names:
            return True
    return False


def _is_number(node: ast.expr) -> bool:
    """Whether it is a number, or a collection of some, as they are written; 0 is said of anything."""
    parts = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Constant)]
    return (
        bool(parts)
        and all(isinstance(n, ast.Constant) and type(n.value) in (int, float) for n in parts)
        and any(isinstance(n, ast.Constant) and n.value for n in parts)
    )
