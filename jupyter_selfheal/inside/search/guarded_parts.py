"""Conditions that ask for what failed, right where it failed: ``if not xs: return 0`` above a division by ``len(xs)``.

One that asks for something else, or holds for whatever is usual, only keeps the failing part from being reached.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.search.changed_parts import Part
from jupyter_selfheal.inside.tree_names import is_call_of, list_bound_names, list_read_names, walk

_CASES = frozenset(
    {
        "KeyError",
        "AttributeError",
        "IndexError",
        "RecursionError",
        "TypeError",
        "ZeroDivisionError",
        "ValueError",
        "StatisticsError",
        "OverflowError",
    }
)
"""Exceptions that some value raises, and others do not: a case of its own may be missing for it."""
_BUILTINS = frozenset(dir(builtins))
_BLOCKS = ("body", "orelse", "finalbody")


def is_guard(part: Part, error: str) -> bool:
    """Whether a block that is longer, or ordered otherwise, loses nothing, and what is new in it has a reason."""
    before, after = getattr(part.before, "body", []), getattr(part.after, "body", [])
    ours, theirs = Counter(_list_simple(before)), Counter(_list_simple(after))
    if ours == theirs:
        return True  # moved: nothing is lost
    texts = {dump_tree(s) for s in before}
    added = [s for s in after if dump_tree(s) not in texts]
    if ours - theirs or not added:
        return False
    names = _list_known(part)
    return all(_is_statement_founded(s, names, error) for s in added)


def _is_statement_founded(statement: ast.stmt, names: set[str], error: str) -> bool:
    match statement:
        case ast.If(test=test, body=[ast.Return() | ast.Continue() | ast.Break()], orelse=[]):
            return error in _CASES and asks_for_nothing(test) and _list_asked(test) <= names
        case ast.Return(value=value):
            return (
                error in ("TypeError", "AttributeError") and value is not None and not isinstance(value, ast.Constant)
            )
        case ast.Assign():
            return error in ("KeyError", "AttributeError") and list_read_names(statement) <= names
        case ast.AugAssign(value=ast.Constant(value=1)):
            return error in ("IndexError", "RecursionError")
    return False


def _list_known(part: Part) -> set[str]:
    """The names that the block and what it stands in read or bind, and the parameters."""
    nodes = (*part.parents, part.before)
    return {n.id for node in nodes for n in walk(node) if isinstance(n, ast.Name)} | {
        n.arg for node in nodes for n in walk(node) if isinstance(n, ast.arg)
    }


def _list_simple(block: Sequence[ast.stmt]) -> Iterator[str]:
    """The statements of a block and of those within it, each as text; of one that holds others its head."""
    for statement in block:
        inner = [s for field in _BLOCKS for s in getattr(statement, field, ())]
        head = getattr(statement, "test", getattr(statement, "iter", None))
        yield (
            dump_tree(statement)
            if not inner
            else f"{type(statement).__name__} {dump_tree(head) if isinstance(head, ast.AST) else ''}"
        )
        yield from _list_simple(inner)


def asks_for_nothing(test: ast.expr) -> bool:
    """Whether a condition holds for the odd case: what is empty, missing, zero or one, or at its end."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.Eq() | ast.LtE() | ast.Lt() | ast.Is()], comparators=[ast.Constant(value=value)]):
            return value is None or value in (0, 1, 2, "") or isinstance(value, str)
        case ast.Compare(ops=[ast.NotIn()]):
            return True
        case ast.Compare(ops=[ast.GtE() | ast.Gt() | ast.Eq()], comparators=[ast.Call(func=ast.Name("len"))]):
            return True
        case ast.BoolOp(values=values):
            return all(map(asks_for_nothing, values))
    return False


def asks_for_end(part: Part, called: Collection[str], error: str) -> bool:
    """Whether something stands under a condition of what it reads now: ``s / v if v else 0``, ``i < n and xs[i] > 0``, ``… for x in xs if x``.

    ``called`` are modules and functions, which are no values to ask about.
    """
    before, after = part.before, part.after
    match after:
        case ast.IfExp(test=test, body=body, orelse=other):
            names = _list_asked(test)
            is_same = dump_tree(body) == dump_tree(before) and not isinstance(test, ast.UnaryOp)
            return is_same and _is_nothing(other) and bool(names) and names <= list_read_names(before) - set(called)
        case ast.BoolOp(values=conditions):
            texts = {dump_tree(before), *map(dump_tree, getattr(before, "values", ()))}
            new = [c for c in conditions if dump_tree(c) not in texts]
            known = _list_known(part) - set(called)
            is_known = all(bool(_list_asked(c)) and _list_asked(c) <= known for c in new)
            is_guarding = all(_asks_for_failure(c, error, isinstance(after.op, ast.And)) for c in new)
            return 0 < len(new) < len(conditions) and is_known and is_guarding
        case ast.comprehension(ifs=[*_, test]) if isinstance(before, ast.comprehension):
            names, own = _list_asked(test), list_bound_names(after.target)
            within = set().union(*map(list_read_names, part.parents[-1:])) | own
            is_more = len(before.ifs) == len(after.ifs) - 1
            return is_more and bool(names & own) and names <= within - set(called)
    return False


def _list_asked(test: ast.expr) -> set[str]:
    """The names that a condition reads, Python's own apart."""
    return list_read_names(test) - _BUILTINS


def _asks_for_failure(node: ast.expr, error: str, holds: bool) -> bool:
    """Whether a part of a condition asks for what failed behind it: ``i < len(xs)`` of an index, ``node is not None`` of an attribute, ``k in d``
    of a key; where it must not hold (``or``), for the contrary."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not holds and error != "KeyError" and isinstance(inner, ast.Name | ast.Attribute)
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            return error == "IndexError" and any(is_call_of(side, "len") for side in (left, right))
        case ast.Compare(ops=[op], comparators=[ast.Constant(value=None)]):
            return error in ("AttributeError", "TypeError") and isinstance(op, ast.IsNot if holds else ast.Is)
        case ast.Compare(ops=[op]) if isinstance(op, ast.In | ast.NotIn):
            return error == "KeyError" and isinstance(op, ast.In if holds else ast.NotIn)
        case ast.Compare(ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            return holds and error in ("ZeroDivisionError", "ValueError")
        case ast.Name() | ast.Attribute():
            return holds and error in ("AttributeError", "TypeError", "IndexError", "ZeroDivisionError")
    return False


def _is_nothing(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is None or value == 0 or value == ""
        case ast.List(elts=[]):
            return True
        case ast.Call(func=ast.Name("float"), args=[ast.Constant(value="nan")]):
            return True
    return False
