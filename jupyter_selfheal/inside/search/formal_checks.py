"""Checks that only ask for a form: ``assert len(rows) > 0``, ``assert grid.shape == (2, 3)``, ``assert isinstance(x, list)``, ``assert res.success``.

After an exception any change meets them with which the cell runs: they tell that there is something, and not which.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from jupyter_selfheal.inside.search.bounds_alone import DISTANCES, calls_assertion, tell_a_value
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.tree_names import read_called_name, walk

_SIZES = frozenset({"shape", "ndim", "size", "dtype", "nbytes", "columns", "index"})
"""Attributes that say how large something is, or of which kind."""
_KINDS = frozenset(
    {
        "isinstance",
        "issubclass",
        "callable",
        "hasattr",
        "isnull",
        "notnull",
        "isna",
        "notna",
        "isfinite",
        "isnan",
        "bool",
    }
)
_WHOLES = frozenset({"count", "max", "mean", "min", "sum"})
_SUMS = frozenset({"all", "any"})
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_PRESENT = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def find_formal_check(program: Program) -> str:
    """The first assert as it is written, where an exception was raised and nothing that is checked tells a value; else empty."""
    if not program.error or program.expect or program.stdout or program.doctests:
        return ""
    texts = [*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)]
    return find_form_alone(texts)


def find_form_alone(texts: Iterable[str]) -> str:
    """The first assert of these texts, where all of them only ask for a form; else empty."""
    texts = list(texts)
    tests = [node.test for text in texts for node in walk(parse_once(text)) if isinstance(node, ast.Assert)]
    if not tests or any(map(calls_assertion, texts)) or not all(map(_asks_form, tests)):
        return ""
    if tell_a_value(t for t in tests if not _is_difference_of_wholes(getattr(t, "left", t))):
        return ""
    return ast.unparse(tests[0])


def _asks_form(test: ast.expr) -> bool:
    match test:
        case ast.BoolOp(values=values):
            return all(map(_asks_form, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asks_form(operand)
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Constant():
            return True
        case ast.Call():
            return _is_formal_call(test)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = (left, *others)
            return all(_is_formal(op, pair) for op, pair in zip(ops, zip(sides, others, strict=False), strict=False))
    return False


def _is_formal_call(call: ast.Call) -> bool:
    """``isinstance(x, list)``, ``x.notna().all()``, ``all(v > 0 for v in xs)``."""
    name = read_called_name(call)
    if name in _KINDS:
        return True
    if name not in _SUMS:
        return False
    given = call.args[0] if call.args else call.func.value if isinstance(call.func, ast.Attribute) else call
    given = given.elt if isinstance(given, ast.GeneratorExp | ast.ListComp) else given
    return given is not call and _asks_form(given)


def _is_formal(op: ast.cmpop, sides: tuple[ast.expr, ast.expr]) -> bool:
    """Whether a comparison leaves open what the value is: an order, a presence, a size or a type."""
    if isinstance(op, _PRESENT) or (isinstance(op, ast.Eq) and _are_same_whole(*sides)):
        return True
    if isinstance(op, _ORDERS):
        if _is_difference_of_wholes(sides[0]):
            return True
        called = {read_called_name(n) for side in sides for n in walk(side) if isinstance(n, ast.Call)}
        return not called & DISTANCES
    return any(map(_is_size, sides))


def _are_same_whole(one: ast.expr, other: ast.expr) -> bool:
    """``per.sum()`` and ``sales["n"].sum()``: the parts make up the whole, whichever they are."""
    name = _read_reduction(one)
    return bool(name) and name == _read_reduction(other)


def _is_difference_of_wholes(node: ast.AST) -> bool:
    """``abs(per.sum() - sales["n"].sum())``."""
    match node:
        case ast.Call(ast.Name("abs"), [ast.BinOp(one, ast.Sub(), other)]):
            return _are_same_whole(one, other)
    return False


def _read_reduction(node: ast.expr) -> str:
    match node:
        case ast.Call(ast.Attribute(owner, name), [], []) | ast.Call(ast.Name(name), [owner], []) if name in _WHOLES:
            return name if isinstance(owner, ast.Name | ast.Attribute | ast.Subscript) else ""
    return ""


def _is_size(node: ast.expr) -> bool:
    """``len(rows)``, ``grid.shape[0]``, ``type(x)``; what a call gives is told by its size, too: ``len(split(text)) == 3``."""
    match node:
        case ast.Call(func=ast.Name("len"), args=[ast.Name() | ast.Attribute() | ast.Subscript()]):
            return True
        case ast.Call(ast.Name("len"), [ast.Call(ast.Name("set"), [ast.Name() | ast.Attribute() | ast.Subscript()])]):
            return True
        case ast.Call(ast.Attribute(ast.Name() | ast.Attribute() | ast.Subscript(), "nunique"), []):
            return True
        case ast.Call(func=ast.Name("type")):
            return True
        case ast.Attribute(attr=attr):
            return attr in _SIZES
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
    return False
