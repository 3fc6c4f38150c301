"""An operand too many, or one less: of a few numbers some combination meets any one number.

``price - percent - percent`` meets ``discount(200, 10) == 180``, and ``len(xs)`` in place of ``sum(xs) / len(xs)`` meets ``mean([2, 4, 6]) == 3``.
So does a written number that is added: ``READ and WRITE + 1`` meets ``perm == 3``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.tree_names import list_read_names

FEW = 2
"""Checks that a combination of a few numbers meets by chance."""


def describe_other_operands(old: str, new: str, checks: int = FEW) -> str:
    """The doubt about a changed text that works once more with what the statement reads already, or no longer with one side of an operation; or
    that adds a number, where one check alone decides; empty where it is none of these."""
    trees = ast.parse(old), ast.parse(new)
    if again := _find_statement_more(*trees):
        return f"`{again}` works once more with what is there, and some combination meets any number"
    found = _find_difference(*trees)
    if found is None:
        return ""
    before, after, statement = found
    if added := next((side for side in _list_sides_beside(after, before) if list_read_names(side)), None):
        is_known = statement is not None and list_read_names(added) <= list_read_names(statement)
        return f"`{ast.unparse(added)}` is read once more, and some combination meets any number" if is_known else ""
    if checks == 1 and (number := _find_number_added(trees[1], after, before)):
        return f"`{number}` is added for a single check, which some number meets soon enough"
    if left := next((side for side in _list_sides_beside(before, after) if list_read_names(side)), None):
        return f"`{ast.unparse(left)}` is left out, and a part of the rest may meet a number by chance"
    return ""


def _find_number_added(new: ast.Module, after: ast.AST, before: ast.AST) -> str:
    """The ``READ + 1`` that stands for ``READ``, but for a bound: where a range, a slice or a comparison ends, one too few is the likeliest slip."""
    match after:
        case ast.BinOp(kept, ast.Add() | ast.Sub(), ast.Constant(int())) if dump_tree(kept) == dump_tree(before):
            bounds = (b for n in ast.walk(new) for b in _list_bounds(n))
            return "" if any(n is after for bound in bounds for n in ast.walk(bound)) else ast.unparse(after)
    return ""


def _list_bounds(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Subscript(_, place):
            return [place]
        case ast.Call(ast.Name("range"), ends):
            return ends
        case ast.Compare(left, _, others):
            return [left, *others]
    return []


def _find_statement_more(before: ast.Module, after: ast.Module) -> str:
    """The ``price -= percent`` that is put in outside of a loop, of names that the rest reads already; empty where there is none."""
    ours, theirs = ([n for n in ast.walk(t) if isinstance(n, ast.AugAssign)] for t in (before, after))
    texts, known = {dump_tree(n) for n in ours}, list_read_names(before)
    in_loops = {id(n) for loop in ast.walk(after) if isinstance(loop, (ast.For, ast.While)) for n in ast.walk(loop)}
    more = (n for n in theirs if dump_tree(n) not in texts and id(n) not in in_loops)
    if len(theirs) <= len(ours):
        return ""
    return next((ast.unparse(n) for n in more if list_read_names(n.value) <= known), "")


def _find_difference(before: ast.AST, after: ast.AST) -> tuple[ast.AST, ast.AST, ast.stmt | None] | None:
    """The smallest part of a tree that holds all that differs, what stands in its place, and the statement that it is of; None where nothing
    differs."""
    statement: ast.stmt | None = None
    if dump_tree(before) == dump_tree(after):
        return None
    while type(before) is type(after):
        statement = before if isinstance(before, ast.stmt) else statement
        ours, theirs = list(ast.iter_child_nodes(before)), list(ast.iter_child_nodes(after))
        differing = [(a, b) for a, b in zip(ours, theirs, strict=False) if dump_tree(a) != dump_tree(b)]
        if len(ours) != len(theirs) or len(differing) != 1:
            break
        before, after = differing[0]
    return before, after, statement


def _list_sides_beside(whole: ast.AST, part: ast.AST) -> Iterator[ast.expr]:
    """The other side of each operation around ``part``, from the outermost on; nothing where ``whole`` is no operation that holds it."""
    text = dump_tree(part)
    while isinstance(whole, ast.BinOp):
        sides = (whole.left, whole.right)
        inner = next((s for s in sides if any(dump_tree(n) == text for n in ast.walk(s))), None)
        if inner is None:
            return
        yield sides[0] if inner is sides[1] else sides[1]
        whole = inner
