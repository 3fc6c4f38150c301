"""MPL108: Matplotlib's `hold`, which is gone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, find_line_span
from jupyter_selfheal.model import Applicability, Patch

ON = (True, 1, "on")
OFF = (False, 0, "off")


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
        owner = context.owner
        if context.attribute != "hold" or not (
            owner.name == "matplotlib.pyplot" or owner.is_a("matplotlib.axes._base._AxesBase")
        ):
            return
        lines = [node for node in context.walk(ast.Expr) if _is_hold(node)]
        if not lines or any(_clears(context, node) for node in lines):
            return
        splices = [_find_whole_line(context.source, node) for node in lines]
        if None in splices:
            return
        sure = all(isinstance(n.value, ast.Call) and n.value.args + n.value.keywords for n in lines)
        yield self.patch(
            context.replace_here(*(s for s in splices if s is not None)),
            f"Leave out `{context.text(lines[0])}`",
            "`hold` was removed in Matplotlib 3.0: a plot is always added.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "`hold()` switched between adding to a plot and clearing it.",
            prior=0.95,
            removes="`hold`: a plot is always added since Matplotlib 3.0",
        )


def _is_hold(node: ast.Expr) -> bool:
    return isinstance(call := node.value, ast.Call) and getattr(call.func, "attr", "") == "hold"


def _clears(context: RuleContext, node: ast.Expr) -> bool:
    """True for a value that is not known, and for `hold(False)` above another call on a line of its own."""
    call = node.value
    given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    if not given or (isinstance(given[0], ast.Constant) and given[0].value in ON):
        return False
    is_off = isinstance(given[0], ast.Constant) and given[0].value in OFF
    below = [n for n in context.walk(ast.Expr) if n.lineno > node.lineno and not _is_hold(n)]
    shows = [n for n in below if getattr(getattr(n.value, "func", None), "attr", "") == "show"]
    return not is_off or len(below) > len(shows)


def _find_whole_line(source: str, node: ast.Expr) -> Splice | None:
    """The line that only holds the statement, with its end; None where something else stands there too."""
    start, end = find_line_span(source, node.lineno)
    text = source[start:end].split("#")[0].strip().rstrip(";")
    tree = ast.parse(text) if text.count("(") == text.count(")") else ast.Module([], [])
    if len(tree.body) != 1 or node.lineno != node.end_lineno:
        return None
    return (start, end + 1, "") if end < len(source) else (max(start - 1, 0), end, "")
