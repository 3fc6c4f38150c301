"""Numbers that are read, stay texts, and are compared by size: ``"10" > "4"`` does not hold, which one example may not show."""

from __future__ import annotations

import ast

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_names

WORDS = "what is read is compared by its letters, and is a number"
_SIZES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def list_number_reads(text: str) -> list[Change]:
    """What reads texts that are compared by size, as whole numbers and as others: nothing where none are, or a text is among them."""
    source = Source(text)
    reads = [n for n in source.order if _find_read(n) is not None]
    held = _list_held(source, reads)
    if not reads or not any(_compares(n, held) for n in source.order):
        return []
    changes = []
    for kind in ("int", "float"):
        edits: list[Edit] = []
        for node in reads:
            if isinstance(source.parents[node], ast.Attribute) or not _is_compared(source, node):
                continue
            start, end = source.start_of(node), source.end_of(node)
            is_line = _find_read(node) == "line"
            edits += [
                (start, start, f"list(map({kind}, " if is_line else f"{kind}("),
                (end, end, "))" if is_line else ")"),
            ]
        if edits:
            changes.append(Change(tuple(sorted(edits)), 0.9, 1, WORDS))
    return changes


def _find_read(node: ast.AST) -> str | None:
    """``line`` for ``input().split()``, ``value`` for ``input()``, None for anything else."""
    if is_call(node, "input"):
        return "value"
    match node:
        case ast.Call(ast.Attribute(ast.Call(ast.Name("input")), "split"), _):
            return "line"
    return None


def _list_held(source: Source, reads: list[ast.AST]) -> set[str]:
    """Variables that hold such a text, or a list of them: what reads it, items of it, and what these are set to."""
    held: set[str] = set()
    for _ in range(3):
        before = len(held)
        for node in (n for n in source.order if isinstance(n, ast.Assign | ast.For)):
            value = node.value if isinstance(node, ast.Assign) else node.iter
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and _holds(value, held, reads):
                held.add(target.id)
        for other in source.order:
            match other:
                case ast.Call(ast.Attribute(ast.Name(name), "append"), [value]) if _holds(value, held, reads):
                    held.add(name)
        if len(held) == before:
            break
    numbers = {
        n.targets[0].id
        for n in source.order
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and not _holds(n.value, held, reads)
        if not (isinstance(n.value, ast.List) and not n.value.elts)
    }
    return held - numbers


def _holds(value: ast.expr, held: set[str], reads: list[ast.AST]) -> bool:
    if isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice):
        value = value.value
    return value in reads or (isinstance(value, ast.Name) and value.id in held)


def _compares(node: ast.AST, held: set[str]) -> bool:
    """Whether two such texts are compared by size, or put in order."""

    def is_held(value: ast.AST) -> bool:
        value = value.value if isinstance(value, ast.Subscript) else value
        return isinstance(value, ast.Name) and value.id in held

    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], _SIZES) and is_held(node.left) and is_held(node.comparators[0])
    match node:
        case ast.Call(ast.Name("max" | "min" | "sorted"), [*values], []):
            return bool(values) and all(map(is_held, values))
        case ast.Call(ast.Attribute(ast.Name(name), "sort"), [], []):
            return name in held
    return False


def _is_compared(source: Source, node: ast.AST) -> bool:
    """Whether what one call reads comes to a comparison by size."""
    held = _list_held(source, [node])
    return any(
        _compares(n, held | _list_held(source, [r for r in source.order if _find_read(r)]))
        and not held.isdisjoint(list_names(n))
        for n in source.order
    )
