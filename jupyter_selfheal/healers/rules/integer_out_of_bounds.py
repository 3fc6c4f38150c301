"""NPA117: a Python integer that the type of an array cannot hold, which NumPy 1 took."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"Python integer (-?\d+) out of bounds for (u?int\d+)")
MAKERS = frozenset({"array", "asarray", "asanyarray"})


class IntegerOutOfBounds(Rule):
    """Let NumPy reckon with an integer that is too large for an array's type, as it did until NumPy 2.

    **Failure** `OverflowError: Python integer 300 out of bounds for uint8` at `image + 300`, at `np.array([-1, 3], dtype=np.uint8)` or at
    `np.uint8(300)`.

    **Fix** `image + np.uint16(300)`, with the smallest type that holds it; `np.array([-1, 3]).astype(np.uint8)`; `np.array(300).astype(np.uint8)[()]`.

    **Fix safety** Safe for an operand beside an array: NumPy 1 chose its type by its value, and this is that type; beside a single NumPy number it was
    `np.int64`. Unsafe where an array is made: the value wraps around, as it did, which may never have been meant. Silent where a value is put into
    an array, and where what stands beside it is not known.
    """

    code = "NPA117"
    name = "integer out of an array's bounds"
    stage = Stage.LIBRARY
    enames = frozenset({"OverflowError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Until NumPy 2 the type of an operand followed its value (https://numpy.org/doc/stable/release/2.0.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        known = context.reference("numpy.array")
        if match is None or known is None:
            return
        value, module = int(match[1]), known[0].rpartition(".")[0]
        if not module:
            return
        change = _type_operand(context, value, module)
        if change is not None:
            title = f"Give {value} a type that holds it"
            cause = f"NumPy 2 no longer chooses a type that holds {value} beside `{match[2]}`."
            yield self.patch(context.replace_here(change), title, cause, prior=0.93)
            return
        changes = _propose_cast(context, module)
        if changes:
            yield self.patch(
                context.replace_here(*changes),
                "Cast what is made, as NumPy 1 did",
                f"`{match[2]}` does not hold {value}; NumPy 1 let it wrap around.",
                applicability=Applicability.UNSAFE,
                why="The value wraps around, as it did: that may never have been meant.",
                prior=0.7,
            )


def _type_operand(context: RuleContext, value: int, module: str) -> Splice | None:
    """The one operand of the failing line that is the integer, as a scalar of the type that NumPy 1 reckoned with."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in context.list_nodes_at_failure(ast.BinOp):
        pairs += [(node.left, node.right), (node.right, node.left)]
    pairs += [(n.value, n.target) for n in context.list_nodes_at_failure(ast.AugAssign)]
    plain = [p for p in pairs if isinstance(p[0], ast.Constant | ast.Name | ast.UnaryOp | ast.Attribute)]
    found = [p for p in plain if context.is_true("type({0}) is int and {0} == {1}".format(context.text(p[0]), value))]
    if len(found) != 1:
        return None
    operand, beside = found[0]
    live = context.describe_all([beside], calls=True)[0]
    bits = next((b for b in (8, 16, 32, 64) if value < 2**b and -(2 ** (b - 1)) <= value), None)
    if bits is None or live.ndim < 0:
        return None
    kind = f"{'u' * (value >= 0)}int{bits}" if live.ndim else "int64"
    return *context.span(operand), f"{module}.{kind}({context.text(operand)})"


def _propose_cast(context: RuleContext, module: str) -> list[Splice]:
    """``np.array(x).astype(t)`` for ``np.array(x, dtype=t)`` and ``np.array(x).astype(np.uint8)[()]`` for ``np.uint8(x)``."""
    for call in context.list_calls_at_failure():
        name, start_end = read_last_name(call.func), context.span(call)
        if name in MAKERS and len(call.args) in (1, 2) and len(call.args) + len(call.keywords) == 2:
            dtype = find_keyword(call, "dtype")
            kind = dtype.value if dtype else call.args[1] if len(call.args) == 2 else None
            if kind is not None:
                return [
                    (
                        *start_end,
                        f"{context.text(call.func)}({context.text(call.args[0])}).astype({context.text(kind)})",
                    )
                ]
        if (
            re.fullmatch(r"u?int\d+", name)
            and len(call.args) == 1
            and not call.keywords
            and context.describe_all([call.func])[0].is_class
        ):
            text = context.text(call.args[0])
            return [(*start_end, f"{module}.array({text}).astype({context.text(call.func)})[()]")]
    return []
