"""MPL108: Matplotlib's `hold`, which is gone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, find_line_span
from jupyter_selfheal.model import Applicability, Patch


class HoldIsGone(Rule):
    """Leave out `hold`, which changes nothing any more.

    **Failure** `AttributeError: module 'matplotlib.pyplot' has no attribute 'hold'`, or of axes.

    **Fix** The lines `plt.hold(True)` and `plt.hold("on")` go; `plt.hold(False)` below the cell's last plot too.

    **Fix safety** Safe for `hold(True)`: a plot is always added since Matplotlib 3.0. Unsafe for `hold()`, which switched. Silent where
    `hold(False)` stands above a plot, which it would have cleared the axes for, and where the line is all that a block has.
    """

    code = "MPL108"
    name = "hold is gone"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "A plot is always added to what is there, as with `hold(True)` (https://matplotlib.org/stable/api/prev_api_changes/api_changes_3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        owner, splices, sure = context.owner, list[Splice](), True
        if context.attribute != "hold" or not (
            owner.name == "matplotlib.pyplot" or owner.is_a("matplotlib.axes._base._AxesBase")
        ):
            return
        statements = list(context.walk(ast.Expr))
        for node in statements:
            call = node.value
            if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") != "hold":
                continue
            given = [getattr(a, "value", None) for a in (*call.args, *(k.value for k in call.keywords))]
            below = [n for n in statements if n.lineno > node.lineno and ".show(" not in context.text(n)]
            is_last = given[:1] == [False] and not any("hold" not in context.text(n) for n in below)
            start, end = find_line_span(context.source, node.lineno)
            is_alone = context.source[start:end].split("#")[0].strip(" \t;") == context.text(node)
            if not is_alone or not (is_last or not given or given[0] in (True, "on")):
                return
            splices.append((start, end + 1, "") if end < len(context.source) else (max(start - 1, 0), end, ""))
            sure = sure and bool(given)
        yield self.patch(
            context.replace_here(*splices),
            "Leave out `hold`",
            "`hold` was removed in Matplotlib 3.0: a plot is always added.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "`hold()` switched between adding to a plot and clearing it.",
            prior=0.95,
            removes="`hold`: a plot is always added since Matplotlib 3.0",
        )
