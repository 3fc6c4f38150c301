"""Mutation operators for what a loop gathers: from what it begins, by how many it is divided, and the diagonal of a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import holds_name, is_name

_NEUTRAL = {ast.Mult: "1", ast.Add: "0", ast.Sub: "0"}


def propose_neutral_start(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``result = 1`` for ``result = base`` above a loop with ``result *= base``: it begins with what changes nothing."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Name() | ast.Constant() as first):
            function = s.find_function(node)
        case _:
            return
    signs = {
        type(n.op)
        for n in ast.walk(function)
        if isinstance(n, ast.AugAssign) and is_name(n.target, name) and s.is_in_loop(n)
    }
    new = _NEUTRAL.get(next(iter(signs)), "") if len(signs) == 1 and not s.is_in_loop(node) else ""
    if new and s.text_of(first) != new and not (isinstance(first, ast.Constant) and not isinstance(first.value, int)):
        words = f"`{name}` begins with `{s.text_of(first)}`, which counts once more"
        yield Change((s.replace_node(first, new),), 0.6, node.lineno, words)


def propose_number_of_gathered(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``total / len([x for x in xs if x > 0])`` for ``total / len(xs)``, where a loop adds up those alone."""
    match node:
        case ast.BinOp(
            ast.Name(total), ast.Div() | ast.FloorDiv(), ast.Call(ast.Name("len"), [ast.Name(whole)], []) as count
        ):
            function = s.find_function(node)
        case _:
            return
    for loop in ast.walk(function):
        match loop:
            case ast.For(ast.Name(item), ast.Name(through), [ast.If(test, [ast.AugAssign(ast.Name(sum_))], [])]) if (
                through == whole and sum_ == total
            ):
                kept = f"len([{item} for {item} in {whole} if {s.text_of(test)}])"
                words = f"`{total}` is of some of `{whole}`, and is divided by the number of all"
                yield Change((s.replace_node(count, kept),), 0.9, node.lineno, words)


def propose_diagonal(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``total += m[i][i]`` for a loop over ``j`` with ``total += m[i][j]``, in a loop over ``i``."""
    match node:
        case ast.For(
            ast.Name(row), rows, [ast.For(ast.Name(column), columns, [ast.AugAssign() as gathered], []) as inner]
        ):
            pass
        case _:
            return
    indent = s.read_indent(inner)
    if s.text_of(rows) != s.text_of(columns) or indent is None or not holds_name(gathered.value, column):
        return
    start, end, _ = s.find_line_span(inner)
    begin, stop = s.start_of(gathered), s.end_of(gathered)
    places = [n for n in ast.walk(gathered) if isinstance(n, ast.Name) and n.id == column]
    text = splice(s.text[begin:stop], [(s.start_of(n) - begin, s.end_of(n) - begin, row) for n in places])
    if holds_name(gathered.value, row):
        words = f"the loop over `{column}` goes through whole rows, not the diagonal"
        yield Change(((start, end, f"{indent}{text}\n"),), 0.6, inner.lineno, words)


OPERATORS = (propose_neutral_start, propose_number_of_gathered, propose_diagonal)
