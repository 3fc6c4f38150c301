"""MPL109: a palette of seaborn for colours that nothing is said to stand for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Passing `palette` without assigning `hue` is deprecated.*Assign the `(\w+)` variable to `hue` and set `legend=False`",
    re.DOTALL,
)
ERRORS = re.compile(r"^'([xy]err)' \(shape: \(\d+,\)\) must be a scalar.*whose shape matches '[xy]' \(shape: \(1,\)\)")
"""Seaborn 0.13 draws each coloured bar by itself: errors for all of them are too many for one."""


class PaletteWithoutHue(Rule):
    """Say which variable a palette colours.

    **Failure** `FutureWarning: Passing palette without assigning hue is deprecated … Assign the x variable to hue and set legend=False for the
    same effect` (`heal --warnings`); `ValueError: 'xerr' (shape: (3,)) must be a scalar or … whose shape matches 'x' (shape: (1,))`, where a bar plot with
    a palette is given the errors of all bars.

    **Fix** `sns.barplot(x=days, y=sales, palette=colours, hue=days, legend=False)`; `ax.errorbar(days, sales, yerr=errors, fmt="none", ecolor="k")` behind the plot.

    **Fix safety** Safe: seaborn does the same itself until it takes the old form no longer. Silent where the variable is not given by its name or
    is the result of a call, and where `hue` or `legend` is given. The errors are drawn as `bar` draws them, where each bar has a text of its own and no `order` is given.
    """

    code = "MPL109"
    name = "palette without a hue"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(f"{MESSAGE.pattern}|{ERRORS.pattern}", re.DOTALL)
    warning = MESSAGE
    applicability = Applicability.SAFE
    why = "The message itself says that it has the same effect."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if errors := ERRORS.search(context.failure.evalue):
            yield from self._draw_errors(context, errors[1])
            return
        match = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure() if match else ():
            given = {k.arg: k.value for k in call.keywords}
            variable = given.get(match[1]) if match else None
            if "palette" not in given or variable is None or {"hue", "legend", None} & set(given):
                continue
            taken = (context.signature(call.func, calls=True) or Signature()).names(
                "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"
            )
            if "legend" not in taken or any(isinstance(n, ast.Call) for n in ast.walk(variable)):
                return
            end = context.span(call.keywords[-1])[1]
            yield self.patch(
                context.replace_here((end, end, f", hue={context.text(variable)}, legend=False")),
                f"Add `hue={context.text(variable)}, legend=False`",
                "A palette colours what `hue` names, and nothing is named.",
                prior=0.92,
            )
            return

    def _draw_errors(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """The errors of all bars, drawn behind the plot."""
        for call in context.list_calls_at_failure():
            given = {k.arg: k.value for k in call.keywords}
            errors = _find_errors(call, name)
            if (
                read_last_name(call.func) != "barplot"
                or errors is None
                or "palette" not in given
                or {"hue", "order"} & set(given)
            ):
                continue
            x, y = (_write_column(context, given, axis) for axis in "xy")
            texts = y if name == "xerr" else x
            end = _find_place(context, call)
            if not (x and y and end) or not context.is_true(
                f"len(set({texts})) == len({texts}) and all(isinstance(_, str) for _ in {texts})"
            ):
                continue
            keyword, value = errors
            drawn = f".errorbar({x}, {y}, {name}={context.text(value)}, fmt='none', ecolor='k')"
            yield self.patch(
                context.replace_here(
                    build_argument_splice(context, call, keyword, ""), (end[0], end[0], end[1] + drawn)
                ),
                f"Draw the errors behind the bars: `{drawn}`",
                "With a palette, seaborn draws each bar by itself since 0.13, and the errors are those of all bars.",
                why="Matplotlib draws the errors of bars in this way (https://seaborn.pydata.org/whatsnew/v0.13.0.html).",
                prior=0.9,
            )
            return


def _find_errors(call: ast.Call, name: str) -> tuple[ast.keyword, ast.expr] | None:
    """The argument with the errors, and the errors: ``xerr=e`` or ``**{'xerr': e}``."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword, keyword.value
        match keyword:
            case ast.keyword(arg=None, value=ast.Dict(keys=[ast.Constant(value=key)], values=[value])) if key == name:
                return keyword, value
    return None


def _write_column(context: RuleContext, given: dict[str | None, ast.expr], axis: str) -> str:
    """The values of an axis; empty where they are not known."""
    value = given.get(axis)
    if isinstance(value, ast.Constant) and "data" in given:
        return f"{context.operand(given['data'])}[{context.text(value)}]"
    return (
        context.text(value) if value is not None and not any(isinstance(n, ast.Call) for n in ast.walk(value)) else ""
    )


def _find_place(context: RuleContext, call: ast.Call) -> tuple[int, str] | None:
    """Where to go on behind a plot that stands alone or is given to a name, and what comes first there."""
    statements: list[ast.Expr | ast.Assign] = [*context.walk(ast.Expr), *context.walk(ast.Assign)]
    for statement in statements:
        if statement.value is not call:
            continue
        end = context.span(statement)[1]
        if isinstance(statement, ast.Expr):
            return end, ""
        axes = statement.targets[0]
        if isinstance(axes, ast.Name):
            return end, f"\n{' ' * statement.col_offset}{axes.id}"
    return None
