"""Cells that somebody is to complete: exercises and templates."""

from __future__ import annotations

import ast
import re

from jupyter_selfheal import source as src

_SKELETON = re.compile(
    r"YOUR[ _]?CODE|FILL (THIS |ME )?IN|<\s*your|\bFILL_?ME\b|your[ _]code[ _]here|"
    r"replace (this|with your)|implement (this|me)|# ?\?\?\?|\.\.\.\s*#|=\s*\.\.\.\s*$",
    re.IGNORECASE | re.MULTILINE,
)


_GIVEN = re.compile(r"pass|return|(?:return|\w+ =) (?:None|True|False|-?\d+(?:\.\d+)?|''|\"\"|\[\]|\{\}|\(\))")
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
    declared = _list_declared(tree)
    for node in ast.walk(tree):
        if id(node) in declared:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and re.fullmatch(r"_{3,}", node.id):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...:
            return True
        if isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node):
            return True
    return False


def _list_declared(tree: ast.Module) -> set[int]:
    """The statements of methods that are only declared: abstract ones, and those that another class of the source has, too."""
    declared: set[int] = set()
    classes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    methods = [(c, m) for c in classes for m in c.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)]
    for owner, method in methods:
        marks = {ast.unparse(d).rpartition(".")[2] for d in method.decorator_list}
        bases = {ast.unparse(b).rpartition(".")[2] for b in owner.bases}
        heirs = {c.name for c in classes if any(ast.unparse(b) == owner.name for b in c.bases)}
        is_replaced = any(c.name in heirs and m.name == method.name for c, m in methods)
        if marks & {"abstractmethod", "overload", "abstractproperty"} or "Protocol" in bases or is_replaced:
            declared |= {id(n) for statement in method.body for n in ast.walk(statement)}
    return declared


def has_attempt(source: str) -> bool:
    """True where somebody has written code below the note that asks for it, or up to a `return` above it, and left no hole in it."""
    lines = source.splitlines()
    notes = [n for n, line in enumerate(lines) if line.lstrip().startswith("#") and is_skeleton(line)]
    if not notes:
        return False
    above = [line.strip() for line in lines[: notes[0]] if line.strip()]
    below = [line.strip() for line in lines[notes[0] + 1 :]]
    written = any(line and not _is_given(line) for line in below)
    written = written or bool(above and above[-1].startswith("return "))
    return written and not is_skeleton("\n".join(line for n, line in enumerate(lines) if n not in notes))


def _is_given(line: str) -> bool:
    """A line that the exercise itself may come with: a comment, a head, a check, a value that stands for the answer."""
    return line.startswith(("#", "assert ", "def ")) or _GIVEN.fullmatch(line) is not None
