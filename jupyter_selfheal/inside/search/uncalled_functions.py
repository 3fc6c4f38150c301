"""A function that is defined and never called, where its output is expected: the call is missing at the end."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import walk

READS = ("input()", "int(input())", "float(input())")
"""What a parameter may be given where the cell has no variable for it."""
PARAMETERS = 2
"""Parameters of a function that is called at most."""


def list_missing_calls(tree: ast.Module, source: str) -> Iterator[Change]:
    """The changes that call the last function of a cell, if nothing does: with variables of its parameters' names, with the last ones that
    are set outside of it, or with what is read."""
    function = next((n for n in reversed(tree.body) if isinstance(n, ast.FunctionDef)), None)
    if function is None or function.decorator_list or _is_used(tree, function):
        return
    given = function.args
    count = len(given.args) - len(given.defaults)
    if count > PARAMETERS or given.posonlyargs or any(d is None for d in given.kw_defaults):
        return
    returns = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function))
    end = len(source.rstrip())
    for values in _list_values(tree, [a.arg for a in given.args[:count]]):
        call = f"{function.name}({', '.join(values)})"
        for text in (f"print({call})", call) if returns else (call,):
            yield Change(
                ((end, end, f"\n\n{text}"),), 0.4, source.count("\n") + 1, f"`{function.name}` is never called"
            )


def _is_used(tree: ast.Module, function: ast.FunctionDef) -> bool:
    """True where its name is read outside of it."""
    own = {id(n) for n in ast.walk(function)}
    return any(isinstance(n, ast.Name) and n.id == function.name and id(n) not in own for n in walk(tree))


def _list_values(tree: ast.Module, parameters: list[str]) -> list[tuple[str, ...]]:
    if not parameters:
        return [()]
    stored = [t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)]
    values: list[tuple[str, ...]] = []
    if set(parameters) <= set(stored):
        values.append(tuple(parameters))
    if len(stored) >= len(parameters):
        values.append(tuple(stored[-len(parameters) :]))
    reads = itertools.product(READS, repeat=len(parameters))
    return list(dict.fromkeys([*values, *(r for r in reads if len(set(r)) == 1)]))
