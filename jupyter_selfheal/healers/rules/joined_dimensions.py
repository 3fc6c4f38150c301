"""NPA121: a row or a column that is joined to a matrix."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.model import Applicability, Patch

JOINS = frozenset({"concatenate", "hstack"})


class JoinedDimensions(Rule):
    """Give a vector the second dimension of the matrix that it is joined to.

    **Failure** `ValueError: all the input arrays must have same number of dimensions, but the array at index 0 has 2 dimension(s) and the array at index 1 has 1 dimension(s)` at
    `np.concatenate([a, b])`, `np.append(a, b, axis=1)`, `np.hstack([a, b])`.

    **Fix** `[b]` of a list and `b.reshape(1, -1)` of an array where rows are joined, `b.reshape(-1, 1)` where columns are.

    **Fix safety** Safe: the axis says which, and the vector has as many items as that needs. Unsafe where no axis is written and the matrix is square: it may be meant as a column. Silent where it has not, and where the arrays have more than two dimensions.
    """

    code = "NPA121"
    name = "vector joined to a matrix"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "AxisError", "numpy.exceptions.AxisError"})
    message = re.compile(
        r"must have same number of dimensions, but the array at index \d+ has (?:2|1) dimension\(s\) and the array at index \d+ has (?:2|1) dim"
        r"|axis 1 is out of bounds for array of dimension 1"
    )
    applicability = Applicability.SAFE
    why = "The axis says which way the vector goes, and it has as many items as that needs."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            parts, axis = _list_parts(call), _read_axis(call)
            if not parts or axis not in (0, 1):
                continue
            dims = [context.number(f"__import__('numpy').ndim({context.text(p)})") for p in parts]
            matrices = [p for p, d in zip(parts, dims, strict=True) if d == 2]
            vectors = [p for p, d in zip(parts, dims, strict=True) if d == 1]
            if not matrices or not vectors or len(matrices) + len(vectors) != len(parts):
                return
            size = context.number(f"{context.text(matrices[0])}.shape[{1 - axis}]")
            if any(context.number(f"len({context.text(v)})") != size for v in vectors):
                return
            shape = "(1, -1)" if axis == 0 else "(-1, 1)"
            kinds = context.describe_all(vectors, calls=True)
            if axis == 0 and all(k.is_a("builtins.list") for k in kinds):
                yield self.patch(
                    context.replace_here(*((*context.span(v), f"[{context.text(v)}]") for v in vectors)),
                    f"Join it as a row: `[{context.text(vectors[0])}]`",
                    f"`{context.text(vectors[0])}` has one dimension, `{context.text(matrices[0])}` two.",
                    applicability=Applicability.SAFE if _is_axis_told(call) else Applicability.UNSAFE,
                    why=self.why if _is_axis_told(call) else "No axis is written.",
                    prior=0.92,
                )
                return
            if not all(k.is_a("numpy.ndarray") for k in kinds):
                return
            is_told = _is_axis_told(call) or context.number(f"{context.text(matrices[0])}.shape[{axis}]") != size
            yield self.patch(
                context.replace_here(*((*context.span(v), f"{context.operand(v)}.reshape{shape}") for v in vectors)),
                f"Join it as {'a row' if axis == 0 else 'a column'}: `{context.operand(vectors[0])}.reshape{shape}`",
                f"`{context.text(vectors[0])}` has one dimension, `{context.text(matrices[0])}` two.",
                applicability=Applicability.SAFE if is_told else Applicability.UNSAFE,
                why=self.why if is_told else "No axis is written, and it fits as a column too.",
                prior=0.92 if is_told else 0.6,
            )
            return


def _list_parts(call: ast.Call) -> list[ast.expr]:
    """The arrays that are joined, as far as they are written as names, attributes or items."""
    name = read_last_name(call.func)
    if name == "append":
        parts = list(call.args[:2])
    elif name in JOINS and call.args and isinstance(call.args[0], ast.List | ast.Tuple):
        parts = list(call.args[0].elts)
    else:
        return []
    return parts if all(isinstance(p, ast.Name | ast.Attribute | ast.Subscript | ast.List) for p in parts) else []


def _list_axes(call: ast.Call) -> list[ast.expr]:
    at = 2 if read_last_name(call.func) == "append" else 1
    return [k.value for k in call.keywords if k.arg == "axis"] or call.args[at : at + 1]


def _is_axis_told(call: ast.Call) -> bool:
    """Whether somebody wrote down which way the call joins."""
    return read_last_name(call.func) == "hstack" or bool(_list_axes(call))


def _read_axis(call: ast.Call) -> object:
    """The axis along which the call joins; None where it has none."""
    if read_last_name(call.func) == "hstack":
        return 1
    if given := _list_axes(call):
        return read_literal(given[0])[1]
    return 0 if read_last_name(call.func) == "concatenate" else None
