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
    `plt.bar(edges[:-1], counts)` of `counts, edges = np.histogram(…)`; `plt.plot(t[1:], v)` of `v = np.diff(x) / np.diff(t)`, or `t[:-1]`.

    **Fix safety** Unsafe: a value may be missing, or one too many. Silent where the lengths differ by more than one, and where no `np.diff` and no histogram tells why they do. Those two are never applied (but for `align='edge'`): the picture is another one with each of the ends.
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
            if len(call.args) < 2:
                continue
            if (made := _find_range(context, call.args[0])) is None:
                yield from self._leave_one_out(context, call)
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

    def _leave_one_out(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """The edges beside the counts between them, or the places beside the differences between them."""
        x, y = call.args[:2]
        if not isinstance(x, ast.Name) or not isinstance(y, ast.Name):
            return
        made = _find_making(context, y)
        if made is None or not context.is_true(f"len({x.id}) - len({y.id}) == 1"):
            return
        value, target = made.value, made.targets[0]
        called = {read_last_name(n.func) for n in ast.walk(value) if isinstance(n, ast.Call)}
        ways: tuple[tuple[str, str], ...]
        if isinstance(value, ast.Call) and called & {"histogram", "hist"} and isinstance(target, ast.Tuple):
            if [n.id for n in target.elts[:2] if isinstance(n, ast.Name)] != [y.id, x.id]:
                return
            ways, cause = (("[:-1]", "left"),), f"`{x.id}` are the edges of the bins, one more than there are bins."
        elif "diff" in called and isinstance(target, ast.Name):
            ways = ("[1:]", "right"), ("[:-1]", "left")
            cause = f"`{y.id}` has a value between each two of `{x.id}`, so one fewer."
        else:
            return
        end = context.span(x)[1]
        is_told = any(k.arg == "align" and context.text(k.value).strip("'\"") == "edge" for k in call.keywords)
        for number, (part, side) in enumerate(ways):
            title = f"Take the {side} ends: `{x.id}{part}`"
            yield self.patch(
                context.replace_here((end, end, part)),
                title,
                cause,
                applicability=Applicability.UNSAFE if is_told else Applicability.DISPLAY_ONLY,
                why="Whether the left ends, the right ones or the middles are meant stands nowhere.",
                prior=0.8 - 0.05 * number,
            )


def _find_making(context: RuleContext, name: ast.Name) -> ast.Assign | None:
    """The assignment that gave a name its value, alone or with others, nearest above."""
    for view in context.look_upwards():
        above = [n for n in view.tree.body if view.cell_id != context.cell_id or n.lineno < name.lineno]
        for node in above[::-1]:
            if any(
                isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name.id for n in ast.walk(node)
            ):
                return node if isinstance(node, ast.Assign) else None
    return None


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
