"""MPL108: Matplotlib's `hold`, which is gone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, find_line_span
from jupyter_selfheal.model import Applicability, Patch

REPEATED = ast.For | ast.AsyncFor | ast.While | ast.FunctionDef | ast.AsyncFunctionDef
"""What may come again, so that a plot above is one below, too."""


class HoldIsGone(Rule):
    """Leave out `hold`, which changes nothing any more.

    **Failure** `AttributeError: module 'matplotlib.pyplot' has no attribute 'hold'`, or of axes.

    **Fix** The lines `plt.hold(True)` and `plt.hold("on")` go; `plt.hold(False)` below the cell's last plot too.

    **Fix safety** Safe for `hold(True)`: a plot is always added since Matplotlib 3.0. Unsafe for `hold()`, which switched. Silent where
    `hold(False)` stands above a plot, which it would have cleared the axes for, or is repeated, and where the line is all that a block has.
    """

    code = "MPL108"
    name = "hold is gone"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "A plot is always added to what is there, as with `hold(True)` (https://matplotlib.org/stable/api/prev_api_changes/api_changes_3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        owner, splices, sure = context.owner, list[Splice](), True
        if context.attribute != "hold" or not _is_held(owner):
            return
        calls = list(context.walk(ast.Call))
        repeated = _list_repeated(context)
        for node, call in _list_holds(context):
            given = [getattr(a, "value", None) for a in (*call.args, *(k.value for k in call.keywords))]
            below = [c for c in calls if c.lineno > node.lineno and getattr(c.func, "attr", "") not in ("hold", "show")]
            is_last = given[:1] == [False] and not below and node not in repeated
            start, end = find_line_span(context.source, node.lineno)
            is_alone = context.source[start:end].split("#")[0].strip(" \t;") == context.text(node)
            if not is_alone or not (is_last or not given or given[0] in (True, "on")):
                return
            splices.append((start, end + 1, "") if end < len(context.source) else (max(start - 1, 0), end, ""))
            sure = sure and bool(given)
        if not splices:
            return
        yield self.patch(
            context.replace_here(*splices),
            "Leave out `hold`",
            "`hold` was removed in Matplotlib 3.0: a plot is always added.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "`hold()` switched between adding to a plot and clearing it.",
            prior=0.95,
            removes="`hold`: a plot is always added since Matplotlib 3.0",
        )


def _list_holds(context: RuleContext) -> list[tuple[ast.Expr, ast.Call]]:
    """Statements `plt.hold(…)` of the cell: of what fails, and of what else is known as pyplot or axes."""
    holds = [
        (node, node.value, node.value.func.value)
        for node in context.walk(ast.Expr)
        if isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "hold"
    ]
    failing = {context.text(n.value) for n in context.list_failing_nodes(ast.Attribute) if n.attr == "hold"}
    known = context.describe_all([value for *_, value in holds])
    return [
        (node, call)
        for (node, call, value), live in zip(holds, known, strict=True)
        if context.text(value) in failing or _is_held(live)
    ]


def _list_repeated(context: RuleContext) -> set[ast.AST]:
    """Everything inside of what may come again; a block inside another one is walked with it."""
    repeated: set[ast.AST] = set()
    for block in context.walk(ast.stmt):
        if isinstance(block, REPEATED) and block not in repeated:
            repeated.update(ast.walk(block))
    return repeated


def _is_held(thing: ObjectInfo) -> bool:
    return thing.name == "matplotlib.pyplot" or thing.is_a("matplotlib.axes._base._AxesBase")
