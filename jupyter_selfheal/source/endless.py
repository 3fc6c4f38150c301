"""Loops that cannot end, as their text shows: ``while n > 0: print(n)``, ``while waiting: done += 1``."""

from __future__ import annotations

import ast

from jupyter_selfheal.inside.tree_names import list_names, read_called_name
from jupyter_selfheal.source.binding import collect_names

_EXITS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
"""What may leave a loop whatever its condition says."""

_LEAVING = frozenset({"exit", "quit", "_exit", "exec", "next", "input", "locals", "globals"})
"""Calls that may leave it, or change a name out of sight."""


_READING = frozenset(
    {"print", "len", "sum", "min", "max", "abs", "round", "str", "int", "float", "repr", "sorted", "range"}
)
"""Calls that leave what they are given as it is."""


def may_end(loop: ast.While) -> bool:
    """True where the loop may be left, or may change a name of its condition, in a way that can be seen or cannot be excluded."""
    test = loop.test
    if isinstance(test, ast.Compare):
        if not all(map(_is_fixed, (test.left, *test.comparators))):
            return True
    elif not isinstance(test, ast.Name) or not _is_read_as_collection(loop, test.id):
        return True
    names = list_names(test) - {"len"}
    measured = {n.args[0].id for n in ast.walk(test) if isinstance(n, ast.Call) and isinstance(n.args[0], ast.Name)}
    if isinstance(test, ast.Name):
        measured.add(test.id)
    inner = [n for statement in loop.body for n in ast.walk(statement)]
    if loop.orelse or any(isinstance(n, _EXITS) for n in inner):
        return True
    if any(isinstance(n, ast.Call) and read_called_name(n) in _LEAVING for n in inner):
        return True
    if measured and any(isinstance(n, ast.Call) and _may_change(n, measured) for n in inner):
        return True
    bound = collect_names(loop.body)
    return bool(names & (bound.binds | bound.changes))


def is_in_endless_loop(tree: ast.AST, line: int) -> bool:
    """Whether the line stands in a loop that cannot end."""
    loops = (n for n in ast.walk(tree) if isinstance(n, ast.While) and n.lineno <= line <= (n.end_lineno or n.lineno))
    return any(not may_end(loop) for loop in loops)


def _is_fixed(side: ast.expr) -> bool:
    """Whether it stays what it is as long as its names do: a name, a constant, a length, or arithmetic on these."""
    if isinstance(side, ast.BinOp):
        return _is_fixed(side.left) and _is_fixed(side.right)
    if isinstance(side, ast.Call):
        is_length = isinstance(side.func, ast.Name) and side.func.id == "len" and not side.keywords
        return is_length and len(side.args) == 1 and isinstance(side.args[0], ast.Name)
    return isinstance(side, ast.Name | ast.Constant)


def _is_read_as_collection(loop: ast.While, name: str) -> bool:
    """Whether the loop takes items of it: a flag such as ``running`` may be turned by somebody else."""
    read = (
        n.iter if isinstance(n, ast.For) else getattr(n, "value", None)
        for n in ast.walk(loop)
        if isinstance(n, ast.For | ast.Subscript)
    )
    return any(isinstance(n, ast.Name) and n.id == name for n in read)


def _may_change(call: ast.Call, measured: set[str]) -> bool:
    """Whether a call may change the length of one of these: it is not one of those that only read what they are given."""
    if not isinstance(call.func, ast.Attribute):
        return read_called_name(call) not in _READING
    used = (call.func.value, *call.args, *(keyword.value for keyword in call.keywords))
    return not isinstance(call.func.value, ast.Name) or any(isinstance(n, ast.Name) and n.id in measured for n in used)
