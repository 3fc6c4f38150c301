"""MPL111: a range that is one longer or shorter than what is drawn over it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"(?:same first dimension, but have shapes|between 'x' with shape|x and y must be the same size)\D*(?:(\d+),\)\D+(\d+),\))?"
)
STEP = re.compile(r"\s*[-+] 1$")


class RangeBesideValues(Rule):
    """Make a range as long as what is drawn over it.

    **Failure** `ValueError: x and y must have same first dimension, but have shapes (3,) and (4,)` at `plt.plot(range(1, n), losses)`.

    **Fix** `plt.plot(range(1, n + 1), losses)`, also where the range has a name that the cell gives it; `n` for `n - 1` and `n + 1`.

    **Fix safety** Unsafe: a value may be missing, or one too many. Silent where the lengths differ by more than one.
    """

    code = "MPL111"
    name = "range of another length"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "Whether the range or the values are meant to be longer stands nowhere."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if len(call.args) < 2 or (made := _find_range(context, call.args[0])) is None:
                continue
            lengths = [context.number(f"len({context.text(n)})") for n in (call.args[0], call.args[1])]
            if lengths[0] is None or lengths[1] is None or abs(lengths[0] - lengths[1]) != 1:
                return
            stop = made.args[0] if len(made.args) == 1 else made.args[1]
            new = _move_stop(context, stop, int(lengths[1] - lengths[0]))
            yield self.patch(
                context.replace_here((*context.span(stop), new)),
                f"End the range at `{new}`",
                f"It has {int(lengths[0])} values, and `{context.text(call.args[1])}` has {int(lengths[1])}.",
                prior=0.75,
            )
            return


def _find_range(context: RuleContext, x: ast.expr) -> ast.Call | None:
    """The `range(…)` or `np.arange(…)`, without a step, that a value is, or that its name was given in the cell last, above."""
    if isinstance(x, ast.Name):
        given = [
            n.value
            for n in context.tree.body
            if isinstance(n, ast.Assign)
            and n.lineno < x.lineno
            and any(isinstance(t, ast.Name) and t.id == x.id for t in n.targets)
        ]
        x = given[-1] if given else x
    if isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and x.func.id == "list" and len(x.args) == 1:
        x = x.args[0]
    if not isinstance(x, ast.Call) or x.keywords or not 1 <= len(x.args) <= 2:
        return None
    return x if read_last_name(x.func) in ("range", "arange") else None


def _move_stop(context: RuleContext, stop: ast.expr, by: int) -> str:
    """The end of the range, one further or one less far."""
    if isinstance(stop, ast.Constant) and type(stop.value) is int:
        return str(stop.value + by)
    text = context.text(stop)
    if (there := STEP.search(text)) and isinstance(stop, ast.BinOp) and (there[0].strip()[0] == "-") == (by > 0):
        return text[: there.start()]
    return f"{context.operand(stop)} {'+' if by > 0 else '-'} 1"
