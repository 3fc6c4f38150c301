"""NPA105: an array of one value used as a number, and a dtype that NumPy does not know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"only (?:0-dimensional|length-1|size-1) arrays can be converted to Python scalars|only size-1 arrays|"
    r"must be real number, not Series|^setting an array element with a sequence\.?$|Conversion of an array with ndim > 0 to a scalar is deprecated|"
    r"format: an? (?:real number|integer) is required, not (?:numpy\.)?ndarray|^Must have equal len keys and value"
)


class ScalarOfArray(Rule):
    """Take the one value out of an array that is used as a number.

    **Failure** `TypeError: only 0-dimensional arrays can be converted to Python scalars` from `float(x)` or `math.sqrt(x)`,
    `ValueError: setting an array element with a sequence.` from `a[0] = x`, `TypeError: %d format: a real number is required, not numpy.ndarray`; `ValueError: Must have equal len keys and value` at `df.loc[df["age"] <= 16, "age"] = 0,`.

    **Fix** `x.item()` for the arguments whose live values are arrays of one value; `np.sqrt(x)` for `math.sqrt(x)` of several where NumPy is at hand; `… = 0` in each such statement of the cell.

    **Fix safety** Safe: an array of one value has one item, and NumPy converted it so before 2.5; pandas gave the one item of a tuple to the rows of one column.
    """

    code = "NPA105"
    name = "array of one value as a number"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "DeprecationWarning"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The live array holds one value, which NumPy took itself before (https://numpy.org/doc/stable/release/1.25.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.startswith("Must"):
            if any(True for n in context.list_nodes_at_failure(ast.Assign) for _ in _find_tuple(n)):
                tuples = [t for n in context.walk(ast.Assign) for t in _find_tuple(n)]
                yield self.patch(
                    context.replace(context.cell_id, [(*context.span(t), context.text(t.elts[0])) for t in tuples]),
                    f"Change `{context.text(tuples[0])}` to `{context.text(tuples[0].elts[0])}`",
                    "A comma behind the value makes a tuple of it, of which pandas took the one item.",
                    why="The tuple has one item, and one column is written.",
                    prior=0.93,
                )
            return
        for node in context.list_nodes_at_failure(ast.Call, ast.Assign, ast.BinOp):
            given = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                given = [node.value]
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
                given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and context.text(node.func.value) == "math"
            ):
                yield from self._use_numpys(context, node.func)
            splices: list[Splice] = []
            for value, live in zip(given, context.describe_all(given, calls=True), strict=True):
                if live.is_a("numpy.ndarray") and live.ndim > 0 and live.size == 1:
                    splices.append((*context.span(value), f"{context.operand(value)}.item()"))
            if splices:
                yield self.patch(
                    context.replace(context.cell_id, splices),
                    f"Use `{splices[0][2]}`",
                    "This needs a number, not an array with one value.",
                    prior=0.9,
                )
                return

    def _use_numpys(self, context: RuleContext, function: ast.Attribute) -> Iterator[Patch]:
        """``np.sqrt(values)`` for ``math.sqrt(values)``, where the array has more than one value."""
        call, known = context.call_of(function), context.reference(f"numpy.{function.attr}")
        if call is None or known is None or known.import_line or len(call.args) != 1:
            return
        live = context.describe_all(call.args, calls=True)[0]
        if live.is_a("numpy.ndarray", "pandas.Series") and live.size != 1:
            yield self.patch(
                context.replace_here((*context.span(function), known.text)),
                f"Use `{known.text}`",
                f"`math.{function.attr}` takes one number, and `{context.text(call.args[0])}` holds several.",
                why="NumPy's function of the same name does the same with each number.",
                prior=0.93,
            )


def _find_tuple(node: ast.AST) -> Iterator[ast.Tuple]:
    """The tuple of one item that is written into rows of one column."""
    match node:
        case ast.Assign([ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant()]))], ast.Tuple(elts=[_]) as value):
            yield value
        case _:
            pass
