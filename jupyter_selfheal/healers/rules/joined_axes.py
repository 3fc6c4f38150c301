"""MPL115: axes that were joined in the group of axes with shared limits, which can only be looked at now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

GROUP = re.compile(r"get_shared_([xyz])_axes")


class JoinedAxes(Rule):
    """Share an axis with `sharex`, where `join` did.

    **Failure** `AttributeError: 'GrouperView' object has no attribute 'join'` at `ax.get_shared_x_axes().join(left, right)`.

    **Fix** `right.sharex(left)`, for each further axes likewise.

    **Fix safety** Safe: what Matplotlib's changelog names in place of `join`. Silent where the axes are not written one by one.
    """

    code = "MPL115"
    name = "axes joined in a group"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    message = re.compile("'GrouperView' object has no attribute 'join'")
    applicability = Applicability.SAFE
    why = (
        "It is the successor that is named (https://matplotlib.org/stable/api/prev_api_changes/api_changes_3.8.0.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices = []
        for call in context.walk(ast.Call):
            group = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "join" else None
            made = (
                GROUP.fullmatch(group.func.attr)
                if isinstance(group, ast.Call) and isinstance(group.func, ast.Attribute)
                else None
            )
            if made is None or not context.is_statement(call):
                continue
            if len(call.args) < 2 or any(context.read_plain_chain(a) is None for a in call.args):
                return
            first, *others = (context.text(a) for a in call.args)
            splices.append((*context.span(call), "; ".join(f"{o}.share{made[1]}({first})" for o in others)))
        if splices:
            yield self.patch(
                context.replace_here(*splices),
                f"Write `{splices[0][2]}`",
                "Since Matplotlib 3.8 the groups of shared axes can only be looked at.",
                prior=0.92,
            )
