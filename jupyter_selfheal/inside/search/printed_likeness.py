"""How near what was printed comes to what is expected."""

from __future__ import annotations

import ast
import difflib
import re


def measure_likeness(printed: str, expected: str) -> float:
    """How much of the expected output came out, 0 to 1."""
    return difflib.SequenceMatcher(None, printed[:2000].strip(), expected[:2000].strip(), autojunk=False).ratio()


def has_same_numbers(printed: str, expected: str) -> bool:
    """Whether what was printed has the numbers that are expected, in their order."""
    pattern = r"\d+(?:\.\d+)?"
    return re.findall(pattern, printed) == re.findall(pattern, expected)


def count_equal_branches(source: str) -> int:
    """How often both branches of a condition do the same, upper and lower case apart: a text of one was taken for that of the other."""
    branches = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.If) and n.orelse]
    return sum(_write_block(n.body).lower() == _write_block(n.orelse).lower() for n in branches)


def _write_block(block: list[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, block))
