"""NPA111: the mode of SciPy, of which the first value is taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class ModeKept(Rule):
    """Keep the dimension of what `scipy.stats.mode` gives.

    **Failure** `IndexError: invalid index to scalar variable.` at `stats.mode(x).mode[0]` or `stats.mode(x)[0][0]`.

    **Fix** `stats.mode(x, keepdims=True).mode[0]`.

    **Fix safety** Safe: this was what the function did until SciPy 1.11, and the code takes the first of several values. Silent where the call says
    `keepdims` itself.
    """

    code = "NPA111"
    name = "mode of an array"
    stage = Stage.CHANGELOG
    enames = frozenset({"IndexError", "TypeError"})
    message = re.compile(r"invalid index to scalar variable|not subscriptable")
    applicability = Applicability.SAFE
    why = "Until SciPy 1.11 the result kept its dimension (https://docs.scipy.org/doc/scipy/release/1.11.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for view in context.look_upwards():
            calls = [
                c
                for c in view.walk(ast.Call)
                if read_last_name(c.func) == "mode" and not any(k.arg == "keepdims" for k in c.keywords)
            ]
            read = {n.id for n in context.list_nodes_on_line(ast.Name)}
            mine = [c for c in calls if _is_read(context, view, c, read) and _is_of_scipy(context, view, c)]
            for call in mine[:1]:
                end = view.span(call)[1] - 1
                yield self.patch(
                    view.replace_here((end, end, ", keepdims=True")),
                    "Add `keepdims=True`",
                    "Since SciPy 1.11 `mode` gives a single value for a single row.",
                    prior=0.93,
                )
            if mine:
                return


def _is_of_scipy(context: RuleContext, view: RuleContext, call: ast.Call) -> bool:
    info = context.describe(view.text(call.func))
    return info is not None and info.path.startswith("scipy.stats")


def _is_read(context: RuleContext, view: RuleContext, call: ast.Call, read: set[str]) -> bool:
    """True where the call stands on the failing line, or in the assignment of a name that is read there."""
    if view.cell_id == context.cell_id and call.lineno <= context.line <= (call.end_lineno or call.lineno):
        return True
    for node in view.walk(ast.Assign):
        if node.value is call:
            return any(isinstance(t, ast.Name) and t.id in read for t in node.targets)
    return False
