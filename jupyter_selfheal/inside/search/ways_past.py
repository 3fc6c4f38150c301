"""Statements of a patch that meet the checks and cannot be what is meant: they lead past an error that is raised on purpose, or leave a value with itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk

_OF_ITSELF = (ast.Add, ast.Mult, ast.Pow, ast.MatMult)
"""What is reckoned of a value and itself: twice the value, its square."""


def describe_way_past(old: str, new: str) -> str:
    """The doubt about a patch with which more ways lead out of a function before the error that it raises for all that is left; empty where there is none."""
    trees = parse_once(old), parse_once(new)
    if _count_statements(trees[1]) <= _count_statements(trees[0]):
        return ""  # a branch that lacked its `return` has it
    before, after = map(_count_ways_past, trees)
    for text, ways in before.items():
        if after.get(text, ways + 1) > ways:
            return f"`{text}` is raised on purpose, and the patch leads past it"
    return ""


def _count_ways_past(tree: ast.AST) -> dict[str, int]:
    """Each error that is raised where nothing above has left a function, or no condition of several held, with the ways out that there are above it."""
    ways: dict[str, int] = {}
    for node in walk(tree):
        if isinstance(node, ast.If):
            count, block = _find_last_branch(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            count, block = sum(isinstance(n, ast.Return) for n in walk(node)), node.body
        else:
            continue
        last = block[-1] if block else None
        if isinstance(last, ast.Raise) and last.exc is not None and "NotImplementedError" not in ast.unparse(last):
            text = ast.unparse(last)
            ways[text] = max(ways.get(text, 0), count)
    return ways


def _find_last_branch(node: ast.If) -> tuple[int, list[ast.stmt]]:
    """What an ``if`` does where none of its conditions holds, and how many of these there are."""
    count = 1
    while len(node.orelse) == 1 and isinstance(inner := node.orelse[0], ast.If):
        node, count = inner, count + 1
    return count, node.orelse


def _count_statements(tree: ast.AST) -> int:
    return sum(isinstance(n, ast.stmt) for n in walk(tree))


def describe_own_operand(old: str, new: str) -> str:
    """The doubt about a patch that puts ``last = value`` right above ``value - last``, or makes it ``value - value``: a value with itself."""
    known = {text for text, _ in _list_own_operands(parse_once(old))}
    return next((doubt for text, doubt in _list_own_operands(parse_once(new)) if text not in known), "")


def _list_own_operands(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in walk(tree):
        sides = [ast.unparse(s) for s in _list_sides(node)]
        if len(sides) == 2 and sides[0] == sides[1] and not isinstance(getattr(node, "op", None), _OF_ITSELF):
            yield ast.unparse(node), f"`{ast.unparse(node)}` is of one value with itself"
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            for first, second in pairwise(block) if isinstance(block, list) else ():
                if pair := _read_copy(first):
                    yield from _list_uses(first, second, pair)


def _list_uses(first: ast.stmt, second: ast.stmt, pair: set[str]) -> Iterator[tuple[str, str]]:
    head = getattr(second, "test", second)
    for node in walk(head):
        if {ast.unparse(s) for s in _list_sides(node)} == pair:
            text = f"{ast.unparse(first)}; {ast.unparse(node)}"
            yield text, f"below `{ast.unparse(first)}`, `{ast.unparse(node)}` is of one value with itself"


def _list_sides(node: ast.AST) -> list[ast.expr]:
    """The two names that are reckoned with, or compared; nothing for another expression."""
    if isinstance(node, ast.BinOp):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, *node.comparators]
    else:
        return []
    return sides if all(isinstance(s, ast.Name) for s in sides) else []


def _read_copy(node: ast.stmt) -> set[str]:
    """The two names of ``last = value``; empty for another statement."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Name):
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id != node.value.id:
            return {target.id, node.value.id}
    return set()
