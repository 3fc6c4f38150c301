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
    for node in ast.walk(src.parse(source) or ast.Module([], [])):
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


def is_plain_slip(wrong: str, right: str, *, strict: bool = False) -> bool:
    """True for a misspelling that can hardly be another word: case or punctuation only, or one slip in five letters.

    Plurals, and words that differ in a digit (``x1``, ``x2``), are other words as often as not. ``strict``, for the names of
    data (``sales_jan``, ``sales_jun``): a letter may be missing, doubled or swapped, but not another one.
    """
    if plain(wrong) == plain(right):
        return True
    if plural_of(wrong, right) or digits(wrong) != digits(right):
        return False
    one, two = wrong.casefold(), right.casefold()
    swapped = sorted(one) == sorted(two)
    if strict and len(one) == len(two) and not swapped:
        return False
    away, shorter, longer = distance(one, two), min(len(one), len(two)), max(len(one), len(two))
    return (shorter >= 4 and away == 1 and (longer >= 5 or swapped)) or (shorter >= 8 and away == 2)
