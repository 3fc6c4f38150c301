"""A best value that a loop keeps, and that nothing begins: ``if x > best: best = x`` fails in the first round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_defined_names, walk

_LOOPS = (ast.For, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def list_unbegun_bests(source: Source, known: frozenset[str]) -> Iterator[Change]:
    """``best = xs[0]`` above the outermost loop in which ``best`` is compared and set, and which goes through ``xs``; elsewhere, and where that
    is not meant, 0 or an empty text. ``known`` are names that exist apart from the source."""
    stores: dict[str, list[ast.AST]] = {}
    for node in source.order:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores.setdefault(node.id, []).append(node)
    given = known | {n.arg for n in source.order if isinstance(n, ast.arg)}
    given |= list_defined_names(source.tree) - stores.keys()
    for name in stores.keys() - given:
        if not all(_is_set_alone(source.parents[n]) for n in stores[name]):
            continue
        loops = [[n for n in _walk_out(source, store) if isinstance(n, _LOOPS)] for store in stores[name]]
        loop = loops[0][-1] if loops[0] else None
        if loop is None or any(not around or around[-1] is not loop for around in loops):
            continue
        indent, at = source.read_indent(loop), source.start_of(loop)
        if indent is None or not _is_asked_first(loop, name):
            continue
        items = _find_items(loop, name)
        for rank, value in enumerate([*([f"{items}[0]"] if items else []), "0", '""']):
            words = f"`{name}` is compared and never begun"
            yield Change(((at, at, f"{name} = {value}\n{indent}"),), 0.9 - 0.04 * rank, loop.lineno, words)


def _walk_out(source: Source, node: ast.AST) -> Iterator[ast.AST]:
    for around in source.walk_upwards(node):
        if isinstance(around, _FUNCTIONS):
            return
        yield around


def _is_set_alone(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    )


def _is_asked_first(loop: ast.For | ast.While, name: str) -> bool:
    """Whether a comparison reads the name, above all that sets it: what is set first is there."""
    first = min(
        n.lineno for n in walk(loop) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    )
    compared = [c for c in walk(loop) if isinstance(c, ast.Compare)]
    return any(isinstance(n, ast.Name) and n.id == name and n.lineno <= first for c in compared for n in walk(c))


def _find_items(loop: ast.For | ast.While, best: str) -> str:
    """What a loop goes through by its items or their places; empty where that has no name. Of places alone that is the list that ``best`` is compared
    with an item of."""
    match getattr(loop, "iter", None):
        case ast.Name(name):
            return name
        case ast.Call(ast.Name("range"), [*_, ast.Call(ast.Name("len"), [ast.Name(name)])]):
            return name
        case None | ast.Call(ast.Name("range")):
            return _find_compared_list(loop, best)
    return ""


def _find_compared_list(loop: ast.For | ast.While, best: str) -> str:
    for comparison in (c for c in walk(loop) if isinstance(c, ast.Compare) and len(c.ops) == 1):
        match comparison.left, comparison.comparators[0]:
            case (ast.Subscript(ast.Name(name), ast.Name()), ast.Name(other)) if other == best:
                return name
            case (ast.Name(other), ast.Subscript(ast.Name(name), ast.Name())) if other == best:
                return name
    return ""
