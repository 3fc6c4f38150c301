"""REV102: a name of Python's own holds something else, and code that means Python's still reads it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedNotebook
from jupyter_selfheal.scoring.review.context.code import walk_top_level

CALLABLE = frozenset(n for n in dir(builtins) if n.islower() and callable(getattr(builtins, n)))

_VALUES = (
    ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr, ast.BinOp,
    ast.Compare, ast.UnaryOp,
)  # fmt: skip
"""Expressions whose value cannot be called."""

_LAZY = ("any", "all")
"""Builtins whose namesakes in NumPy take a generator for one true value."""


class ShadowedBuiltin(Check):
    """A name of Python's own (`list`, `sum`, `any`) holds something else, and a cell below means Python's.

    **Doubt** A cell sets such a name to a value that cannot be called, and a function in a cell below calls it: that function fails
    as soon as it is used. Or `any` and `all` come from NumPy (`from numpy import *`), and a cell below gives one of them a
    generator: NumPy's take the generator itself for one value, which is always true.

    **Silent** Where the cells below read the value that was set (`sum = 0`, then `sum += x`), where the name is deleted or bound
    again, on names that only a function or comprehension binds.

    **What to do** Give the value another name; write `import numpy as np`.
    """

    code = "REV102"
    name = "shadowed name of Python's own"

    def review_notebook(self, notebook: ReviewedNotebook) -> Iterator[Doubt]:
        shadows: dict[str, Cell] = {}
        starred: Cell | None = None
        for cell in notebook.cells:
            tree = None if src.is_foreign(cell.source) else src.parse(cell.source)
            if tree is None:
                continue
            names = src.find_names(cell.source)
            for name in (names.binds | names.deletes) & shadows.keys():
                del shadows[name]
            yield from self._list_calls_in_functions(cell, tree, shadows)
            if starred is not None:
                yield from self._list_lazy_calls(cell, tree, notebook)
            shadows |= dict.fromkeys(_list_shadowed(tree), cell)
            if _imports_numpy_star(tree, cell.source):
                starred = cell

    def _list_calls_in_functions(self, cell: Cell, tree: ast.Module, shadows: dict[str, Cell]) -> Iterator[Doubt]:
        for function in (n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
            own = _list_local_names(function)
            for call in (n for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)):
                name = call.func.id  # type: ignore[attr-defined]
                if name in shadows and name not in own:
                    what = f"`{function.name}` calls `{name}`, which an earlier cell has set to a value: it fails when it is used."
                    yield Doubt(cell.id, self.code, what, f"Give that value another name than `{name}`.", call.lineno)

    def _list_lazy_calls(self, cell: Cell, tree: ast.Module, notebook: ReviewedNotebook) -> Iterator[Doubt]:
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)):
            name = call.func.id  # type: ignore[attr-defined]
            if name not in _LAZY or len(call.args) != 1 or not isinstance(call.args[0], ast.GeneratorExp):
                continue
            if notebook.ask("review_kinds", "is_numpy_function", name=name):
                what = f"`{name}` is NumPy's here, by a star import: given a generator it is always true."
                yield Doubt(
                    cell.id, self.code, what, f"Write `import numpy as np`, or give `{name}` a list.", call.lineno
                )


def _list_shadowed(tree: ast.Module) -> set[str]:
    """Builtin functions that the cell leaves bound to a value that cannot be called."""
    shadowed: set[str] = set()
    for statement in walk_top_level(tree.body):
        if isinstance(statement, ast.Delete):
            shadowed -= {t.id for t in statement.targets if isinstance(t, ast.Name)}
        if not isinstance(statement, ast.Assign):
            continue
        for target in (t for t in statement.targets if isinstance(t, ast.Name) and t.id in CALLABLE):
            shadowed = shadowed | {target.id} if isinstance(statement.value, _VALUES) else shadowed - {target.id}
    return shadowed


def _list_local_names(function: ast.AST) -> set[str]:
    """Names that a function or one within it binds itself."""
    bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return bound | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}


def _imports_numpy_star(tree: ast.Module, source: str) -> bool:
    stars = [n for n in tree.body if isinstance(n, ast.ImportFrom) and any(a.name == "*" for a in n.names)]
    return any(n.module in ("numpy", "pylab") for n in stars) or "%pylab" in source
