"""Names at the place of a failure: which are known there, and how a word is used."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._live import Survey
from jupyter_selfheal.healers.rules._near import digits, distance, plain, plural_of
from jupyter_selfheal.healers.rules._rule import Scene

COMMON_BUILTINS = tuple(n for n in dir(builtins) if n.islower() and not n.startswith("_") and len(n) > 2)

_SKELETON = re.compile(
    r"YOUR[ _]?CODE|FILL (THIS |ME )?IN|<\s*your|\bFILL_?ME\b|your[ _]code[ _]here|"
    r"replace (this|with your)|implement (this|me)|# ?\?\?\?|\.\.\.\s*#|=\s*\.\.\.\s*$",
    re.IGNORECASE | re.MULTILINE,
)


_NOTE = re.compile(r"#.*\b(TO[- ]?DO|FIXME)\b", re.IGNORECASE)


def is_skeleton(source: str, *, notes: bool = True) -> bool:
    """True for a cell that somebody was to complete: placeholders, ``...``, "your code here".

    ``notes``: a ``# TODO`` counts, too; it stands in finished code as often as in an exercise.
    """
    if _SKELETON.search(source) or (notes and _NOTE.search(source)):
        return True
    tree = src.parse(source)
    if tree is None:
        return any(re.search(r"(?<![\w'\"])_{3,}(?![\w'\"])", line.partition("#")[0]) for line in source.splitlines())
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and re.fullmatch(r"_{3,}", node.id):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...:
            return True
        if isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node):
            return True
    return False


def function_at(source: str, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The innermost function whose body holds a line."""
    tree = src.parse(source)
    found = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            found = node  # breadth-first: a later hit is a deeper one
    return found


def class_at(source: str, line: int) -> ast.ClassDef | None:
    """The innermost class whose body holds a line."""
    tree = src.parse(source)
    found = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    return found


def known_names(scene: Scene, live: Survey) -> dict[str, bool]:
    """Names that can be read where it failed → whether they can be called.

    Live globals and locals, common builtins, and what the failing function's own text binds.
    """
    found = dict.fromkeys(COMMON_BUILTINS, True)
    found |= {n: c for n, (_, c) in live.names.items()} | {n: c for n, (_, c) in live.locals.items()}
    _, source, line = scene.place()
    function = function_at(source, line)
    if function is not None:
        found |= {a.arg: found.get(a.arg, False) for a in _arguments(function)}
        # what an enclosing function binds is no local variable as long as the inner one does not name it
        found |= {n: found.get(n, True) for outer in _around(source, function) for n in _bound_in(outer)}
    return found


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _around(source: str, function: Function) -> Iterator[Function]:
    """Functions of the cell that hold the function."""
    for node in src.walk(source):
        if isinstance(node, Function) and node.lineno < function.lineno <= (node.end_lineno or 0):
            yield node


def _bound_in(function: Function) -> set[str]:
    return {*src.names_of(function.body).binds, *(a.arg for a in _arguments(function))}


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x)]


def is_called(source: str, name: str) -> bool:
    """True where the cell calls the name."""
    tree = src.parse(source)
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
        for n in (ast.walk(tree) if tree else ())
    )


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W_A-Za-z\d]+")
_KEYBOARD = (
    "qwertyuiop", "asdfghjkl", "zxcvbnm", "qaz", "wsx", "edc", "rfv", "tgb", "yhn", "ujm", "qs", "wd", "ef", "rg", "th", "yj", "uk", "il",
    "ax", "sc", "dv", "fb", "gn", "hm",
)  # fmt: skip


def is_plain_slip(wrong: str, right: str, *, strict: bool = False) -> bool:
    """True for a misspelling that can hardly be another word: case or punctuation only, or one slip in five letters.

    Plurals, words that differ in a digit (``x1``, ``x2``), and names that differ in a short word (``y_test``, ``X_test``) are other
    words as often as not; another letter in a word's place only where it is a vowel's or near on the keyboard. ``strict``, for the names of
    data (``sales_jan``, ``sales_jun``): a letter may be missing, doubled or swapped, but not another one.
    """
    if plain(wrong) == plain(right):
        return True
    if plural_of(wrong, right) or digits(wrong) != digits(right):
        return False
    differing = _differing(wrong, right)
    if differing is None:
        return False
    one, two = differing
    swapped = sorted(one) == sorted(two)
    if len(one) == len(two) and not swapped and (strict or not _is_substitution(one, two)):
        return False
    away, shorter, longer = distance(one, two), min(len(one), len(two)), max(len(one), len(two))
    if swapped and away == 1:
        return shorter >= 3
    return (shorter >= 4 and away == 1 and longer >= 5) or (shorter >= 8 and away == 2)


def _differing(wrong: str, right: str) -> tuple[str, str] | None:
    """The one word in which two names differ (``y`` and ``X`` of ``y_test``, ``X_test``), or the whole names where they have
    not the same number of words; None where several words differ."""
    one, two = ([w.casefold() for w in _WORD.findall(name)] for name in (wrong, right))
    if len(one) != len(two):
        return wrong.casefold(), right.casefold()
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    return pairs[0] if len(pairs) == 1 else None


def _is_substitution(one: str, two: str) -> bool:
    """True where one letter of a longer word is another vowel, or a neighbour on the keyboard."""
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if len(one) < 5 or len(pairs) != 1:
        return False
    a, b = pairs[0]
    return {a, b} <= set("aeiouy") or any(a + b in row or b + a in row for row in _KEYBOARD)
