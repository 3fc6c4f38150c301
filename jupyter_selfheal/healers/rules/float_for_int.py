"""TYP108: a float where a whole number is needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.value_types import find_type, is_whole, read_number_in
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"'(?:numpy\.)?float\d*' object cannot be interpreted as an integer|indices must be integers or slices, not float|"
    r"slice indices must be integers|only integers, slices|can't multiply sequence by non-int of type 'float'|"
    r"integer argument expected, got float|expected an integer|must be (?:an? )?(?:\w+ )?integer"
)


class FloatForInt(Rule):
    """Divide to a whole number where an index or a count is needed.

    **Failure** `TypeError: 'float' object cannot be interpreted as an integer`, `list indices must be integers or slices, not float`,
    where the number comes of `/`, which gives floats since Python 3.

    **Fix** `/` becomes `//` in the index or argument; a variable that holds a whole number as a float is wrapped in `int(…)`, and so is an index
    in which floats are divided.

    **Fix safety** Safe where the number is whole, and in an index, which has no fraction: Python 2's `/` gave this number. Unsafe
    where a fraction is cut off: of a variable, of floats that are divided, or of a count like `range(pages / 4)`, which may be meant to
    be rounded up; and where a list is multiplied, whose items may be meant. Silent for a text that holds a number: it is to be read, not repeated.
    """

    code = "TYP108"
    name = "float where a whole number is needed"
    enames = frozenset({"TypeError", "IndexError", "ValueError"})
    applicability = Applicability.SAFE
    why = "An index or a count has no fraction; Python 2's `/` gave this whole number."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not MESSAGE.search(context.failure.evalue):
            return
        for failing in context.failing_nodes(ast.Subscript, ast.Call, ast.BinOp):
            changes: list[Splice] = []
            sure = not isinstance(failing, ast.BinOp) or _is_repeated(context, failing)
            if isinstance(failing, ast.BinOp) and any(
                read_number_in(context, side) for side in (failing.left, failing.right)
            ):
                return  # a number that is text: it is to be read, not repeated
            for node in _list_parts(failing):
                matches, exact = _make_whole(context, node, indexes=isinstance(failing, ast.Subscript))
                changes += matches
                sure = sure and exact
            if changes:
                yield self.patch(
                    context.replace(context.cell_id, changes),
                    "Use a whole number",
                    "This needs a whole number, not a float.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else DOUBT,
                    prior=0.88 if sure else 0.5,
                )
                return


DOUBT = "The value has a fraction that is cut off, or each item of the list is meant to be multiplied."


def _is_repeated(context: RuleContext, product: ast.BinOp) -> bool:
    """True where words are repeated; of a list each item may be meant to be multiplied."""
    return any(find_type(context, side) == "str" for side in (product.left, product.right))


def _list_parts(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple | ast.List) else [node.slice]
        return [
            p
            for s in parts
            for p in ((s.lower, s.upper, s.step) if isinstance(s, ast.Slice) else (s,))
            if p is not None
        ]
    if isinstance(node, ast.Call):
        return [
            a
            for v in (*node.args, *(k.value for k in node.keywords))
            for a in (v.elts if isinstance(v, ast.Tuple) else [v])
        ]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [node.left, node.right]
    return []


def _make_whole(context: RuleContext, node: ast.expr, *, indexes: bool) -> tuple[list[Splice], bool]:
    """Splices that make an expression whole, and whether it keeps its value."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, float) and node.value == int(node.value):
            return [(*context.span(node), str(int(node.value)))], True
        return [], True
    match node:
        case ast.BinOp(op=ast.FloorDiv(), right=ast.Constant(value=float(half)) as divisor) if half.is_integer():
            if find_type(context, node.left) == "int":
                return [(*context.span(divisor), str(int(half)))], True
    divisions = [n for n in ast.walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    if divisions and indexes and _is_float_divided(context, divisions):
        number = context.number(node)
        return [(*context.span(node), f"int({context.text(node)})")], number is not None and float(number).is_integer()
    if divisions and not isinstance(node, ast.Call | ast.List | ast.Lambda):
        return [_floor_division(context, n) for n in divisions], indexes or is_whole(context, node)
    name = context.plain_chain(node)
    if not name:
        return [], True
    value = context.values([name])[0]
    if value is None or value.type not in ("float", "float64", "float32") or value.number is None:
        return [], True
    return [(*context.span(node), f"int({name})")], float(value.number).is_integer()


def _is_float_divided(context: RuleContext, divisions: list[ast.BinOp]) -> bool:
    """True where ``//`` would still give a float: one of its sides is one."""
    parts = [n for d in divisions for n in ast.walk(d) if isinstance(n, ast.Name | ast.Constant)]
    return any(find_type(context, part) in ("float", "float64") for part in parts)


def _floor_division(context: RuleContext, node: ast.BinOp) -> Splice:
    start, end = context.span(node.left)[1], context.span(node.right)[0]
    at = start + context.source[start:end].index("/")
    return at, at + 1, "//"
