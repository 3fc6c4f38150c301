"""Mutation operators for questions that are chained wrongly: ``x == "a" or "b"``, which always holds; ``if`` after ``if`` for cases that
exclude each other, so that the last one's ``else`` overwrites what was found; and a case that is left out at the end of such a chain."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change, Scope

_COLLECTS = frozenset({"append", "add"})


def propose_one_of(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x in ("a", "b")`` for ``x == "a" or "b"``; ``x not in ("a", "b")`` for ``x != "a" and "b"``."""
    if not isinstance(node, ast.BoolOp) or not isinstance(node.values[0], ast.Compare):
        return
    first = node.values[0]
    rest = node.values[1:]
    if len(first.ops) != 1 or not isinstance(first.ops[0], ast.Eq | ast.NotEq):
        return
    if not all(isinstance(v, ast.Constant) for v in rest) or not isinstance(first.comparators[0], ast.Constant):
        return
    word = "in" if isinstance(first.ops[0], ast.Eq) else "not in"
    asked = ", ".join(s.text_of(v) for v in (first.comparators[0], *rest))
    new = f"{s.text_of(first.left)} {word} ({asked})"
    words = f"`{s.text_of(rest[0])}` alone asks nothing"
    yield Change((s.replace_node(node, new),), 0.95, node.lineno, words, "senseless")


def propose_exclusive_cases(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``elif`` for each ``if`` after the first of a run: the cases exclude each other."""
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if not isinstance(body, list):
            continue
        run: list[ast.If] = []
        for stmt in [*body, None]:
            if isinstance(stmt, ast.If) and (not run or not run[-1].orelse):
                run.append(stmt)
                continue
            yield from _chain_tests(s, run)
            run = [stmt] if isinstance(stmt, ast.If) else []


def _chain_tests(s: Scope, run: list[ast.If]) -> Iterator[Change]:
    if len(run) > 2 and all(s.read_indent(n) is not None for n in run):
        edits: tuple[Edit, ...] = tuple((s.start_of(n), s.start_of(n) + 2, "elif") for n in run[1:])
        yield Change(edits, 0.7, run[0].lineno, "the cases exclude each other: `elif`")


def propose_item_as_it_is(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: out += c`` after branches that each add something else for ``c``: what is none of these cases stays as it is."""
    if not isinstance(node, ast.If) or node.orelse or s.read_indent(node) is None:
        return
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, ast.For)), None)
    if loop is None or not isinstance(loop.target, ast.Name):
        return
    indent, end = s.read_indent(node), s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    match node.body[-1]:
        case ast.AugAssign(ast.Name(out), ast.Add()):
            text = f"{out} += {loop.target.id}"
        case ast.Assign([ast.Name(out)], ast.BinOp(ast.Name(other), ast.Add())) if out == other:
            text = f"{out} = {out} + {loop.target.id}"
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(out), method), [_])) if method in _COLLECTS:
            text = f"{out}.{method}({loop.target.id})"
        case _:
            return
    if text != s.text_of(node.body[-1]):
        whole = f"{pad}{indent}else:\n{indent}    {text}\n"
        yield Change(((end, end, whole),), 0.5, node.lineno, f"`else: {text}` is missing")


OPERATORS = (propose_one_of, propose_exclusive_cases, propose_item_as_it_is)
