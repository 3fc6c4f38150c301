"""MPL113: what axes draw, asked of the figure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class DrawnOnFigure(Rule):
    """Draw on the axes of a figure.

    **Failure** `AttributeError: 'Figure' object has no attribute 'plot'` at `fig.plot(x, y)`, after `fig = plt.figure()` or `fig, ax = plt.subplots()`.

    **Fix** `fig.gca().plot(x, y)`, `ax.plot(x, y)`.

    **Fix safety** Unsafe where no axes have a name: others may be meant. Safe where the figure was made together with one pair of axes, and has no others
    (`ax.twinx()`). Silent for what axes have not either.
    """

    code = "MPL113"
    name = "drawn on the figure"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"^'Figure' object has no attribute '(\w+)'")
    applicability = Applicability.UNSAFE
    why = "Other axes than those of the figure may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Attribute):
            if not isinstance(node.value, ast.Name) or not context.is_called(node):
                continue
            if not context.exists(f"matplotlib.axes.Axes.{node.attr}"):
                return
            axes = _find_axes(context, node.value.id)
            text = axes or f"{node.value.id}.gca()"
            yield self.patch(
                context.replace_here((*context.span(node.value), text)),
                f"Use `{text}.{node.attr}`",
                f"`{node.value.id}` is a figure: its axes have `{node.attr}`.",
                applicability=Applicability.SAFE if axes else Applicability.UNSAFE,
                why="The figure was made together with these axes alone." if axes else self.why,
                prior=0.92 if axes else 0.8,
            )
            return


def _find_axes(context: RuleContext, figure: str) -> str:
    """The name of the axes that a figure was made with; empty where it has none, or they are several."""
    for view in context.look_upwards():
        for made in view.walk(ast.Assign):
            match made:
                case ast.Assign([ast.Tuple([ast.Name(first), ast.Name(second)])], ast.Call() as call):
                    if first == figure and read_last_name(call.func) == "subplots":
                        live = context.describe(second)
                        is_own = live is not None and live.is_a("matplotlib.Axes", "Axes")
                        is_alone = context.is_true(f"{second}.figure is {figure} and len({figure}.axes) == 1")
                        return second if is_own and is_alone else ""
    return ""
