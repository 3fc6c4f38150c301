"""Numbers and boundaries that a docstring tells: where it says "children under six", neither `5` for `6` nor `<=` for `<` may be meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER = rf"(-?\d+(?:\.\d+)?(?![\w.]*\w)|(?:{'|'.join(_WORDS)})\b)"
_TELLS = re.compile(rf"(?<![\w.-]){_NUMBER}", re.IGNORECASE)
_BELOW, _ABOVE = (
    re.compile(rf"\b(?:{words})\s+(?:than\s+|the\s+age\s+of\s+)?{_NUMBER}(?!\s+(?:or|and)\s+\w+er\b)", re.IGNORECASE)
    for words in ("under|below|less|fewer|smaller|lower|younger|shorter", "over|above|more|greater|larger|bigger|higher|older|longer|exceeds?|exceeding")
)  # fmt: skip
_FROM, _TO = (
    re.compile(rf"\b(?:{before})\s+{_NUMBER}|(?<![\w.-]){_NUMBER}(?:\s+\w+)?\s+(?:or|and)\s+(?:{behind})\b", re.IGNORECASE)
    for before, behind in (("at least", "more|over|above|older|greater|larger|higher|longer"), ("at most|up to", "less|fewer|under|below|younger|smaller|lower|shorter"))
)  # fmt: skip
_STARTS, _ENDS = frozenset({"<", ">="}), frozenset({">", "<="})
"""The comparisons with a number that is the first above, and the last below, what it parts: `x < 6` and `x >= 6` part 5 from 6."""


def list_told_numbers(docstring: str) -> frozenset[float]:
    """The numbers that a docstring names, by digits or by words up to twelve."""
    return frozenset(_read_number(found[1]) for found in _TELLS.finditer(docstring))


def list_told_bounds(docstring: str) -> frozenset[tuple[str, float]]:
    """The comparisons, by sign and number, of which a docstring says that they hold or do not: those with 6 by `<` and `>=` for "under six"."""
    return frozenset((sign, number) for signs, number in _list_bounds(docstring) for sign in signs)


def read_docstrings(text: str) -> str:
    """The docstrings of all functions and classes of a source, without their examples."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = (ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, kinds))
    return "\n".join(doc.partition(">>>")[0] for doc in found)


def _list_bounds(docstring: str) -> Iterator[tuple[frozenset[str], float]]:
    # "no more than six" needs no pattern: it parts the same two numbers as "more than six".
    for pattern, signs in ((_BELOW, _STARTS), (_ABOVE, _ENDS), (_FROM, _STARTS), (_TO, _ENDS)):
        for found in pattern.finditer(docstring):
            yield signs, _read_number(found[found.lastindex or 1])


def _read_number(number: str) -> float:
    return float(_WORDS.index(number.lower())) if number.lower() in _WORDS else float(number)
