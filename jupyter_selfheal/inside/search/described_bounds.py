"""Numbers and boundaries that a docstring tells: where it says "children under six", neither `5` for `6` nor `<=` for `<` may be meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.tree_names import is_name

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER = rf"(-?\d+(?:\.\d+)?(?![\w.]*\w)|(?:{'|'.join(_WORDS)})\b)"
_TELLS = re.compile(rf"(?<![\w.-]){_NUMBER}", re.IGNORECASE)
_SMALLER = "under|below|less|fewer|smaller|lower|younger|shorter"
_GREATER = "over|above|more|greater|larger|bigger|higher|older|longer|exceeds?|exceeding"
_BELOW, _ABOVE = (
    re.compile(rf"\b(?:{words})\s+(?:than\s+|the\s+age\s+of\s+)?{_NUMBER}(?!\s+(?:or|and)\s+\w+er\b)", re.IGNORECASE)
    for words in (_SMALLER, _GREATER)
)  # fmt: skip
_FROM, _TO = (
    re.compile(rf"\b(?:{before})\s+{_NUMBER}|(?<![\w.-]){_NUMBER}(?:\s+\w+)?\s+(?:or|and)\s+(?:{behind})\b", re.IGNORECASE)
    for before, behind in (("at least", "more|over|above|older|greater|larger|higher|longer"), ("at most|up to", "less|fewer|under|below|younger|smaller|lower|shorter"))
)  # fmt: skip
_STARTS, _ENDS = frozenset({"<", ">="}), frozenset({">", "<="})
"""The comparisons with a number that is the first above, and the last below, what it parts: `x < 6` and `x >= 6` part 5 from 6."""
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_TURNED = str.maketrans("<>", "><")
_COMPARED = re.compile(r"[^<>]+(<=?|>=?) *(-?\d+(?:\.\d+)?)")
_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")


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


def is_told_by(docstrings: str, code: str) -> bool:
    """Whether docstrings tell the boundary that a comparison has (`age < 6` of "under six"), or a number as it stands."""
    if not docstrings:
        return False
    if compared := _COMPARED.fullmatch(code):
        return (compared[1], float(compared[2])) in list_told_bounds(docstrings)
    return bool(_DIGITS.fullmatch(code)) and float(code) in list_told_numbers(docstrings)


def find_contradicted_bound(text: str) -> tuple[str, str] | None:
    """What a docstring says of a parameter and a comparison with it that parts the values elsewhere: "below threshold t" and `e > t`, where `t` itself
    is on the wrong side. None where there is none, where it says two things, or where another comparison has it as it says."""
    for function in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
        words = " ".join((ast.get_docstring(function) or "").partition(">>>")[0].split())
        for name in [a.arg for a in function.args.args] if words else ():
            told = list(_list_told_of(words, name))
            compared = list(_list_compared(function, name)) if len({signs for signs, _ in told}) == 1 else []
            if compared and not any(sign in told[0][0] for sign, _ in compared):
                return told[0][1], compared[0][1]
    return None


def _list_told_of(words: str, name: str) -> Iterator[tuple[frozenset[str], str]]:
    """The signs between a value and a name that go with what is said of it, and the words."""
    named = rf"\s+(?:\w+\s+){{0,3}}?{re.escape(name)}(?![\w(])"
    equal = r"(?:\s+or\s+equals?(?:\s+to)?)?"
    for ordered, strict, loose in ((_SMALLER, _STARTS, _ENDS), (_GREATER, _ENDS, _STARTS)):
        ordered = re.sub(r"\b(?:under|over)\|", "", ordered)  # "goes over n items" says nothing of a bound
        pattern = rf"\b(?:{ordered}){equal}(?:\s+than)?{equal}{named}"
        for found in re.finditer(pattern, words, re.IGNORECASE):
            yield (loose if re.search(r"\bor\s+equal", found[0], re.IGNORECASE) else strict), found[0]
    for least, signs in (("at least", _STARTS), ("at most|up to", _ENDS)):
        for found in re.finditer(rf"\b(?:{least}){named}", words, re.IGNORECASE):
            yield signs, found[0]


def _list_compared(function: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """The comparisons of one value with a name, by their sign as if the name stood on the right: not with a number, which asks for the name itself, nor
    how long a loop goes on."""
    rounds = {n for loop in ast.walk(function) if isinstance(loop, ast.While) for n in ast.walk(loop.test)}
    for node in ast.walk(function):
        if node not in rounds and isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SIGNS:
            sign, left, right = _SIGNS[type(node.ops[0])], node.left, node.comparators[0]
            if is_name(right, name) and not isinstance(left, ast.Constant):
                yield sign, ast.unparse(node)
            elif is_name(left, name) and not isinstance(right, ast.Constant):
                yield sign.translate(_TURNED), ast.unparse(node)
