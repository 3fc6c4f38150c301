"""MPL113: what axes draw, asked of the figure, and what the figure has, asked of axes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

OF_FIGURE = frozenset({"savefig", "suptitle", "supxlabel", "supylabel", "tight_layout", "colorbar", "subplots_adjust", "autofmt_xdate", "set_size_inches", "set_dpi"})  # fmt: skip
"""What a figure has and axes have not."""


class DrawnOnFigure(Rule):
    """Draw on the axes of a figure.

    **Failure** `AttributeError: 'Figure' object has no attribute 'plot'` at `fig.plot(x, y)`, after `fig = plt.figure()` or `fig, ax = plt.subplots()`.

    **Fix** `fig.gca().plot(x, y)`, `ax.plot(x, y)`; the other way round `fig.savefig("a.png")` for `ax.savefig("a.png")`, `fig.colorbar(image, ax=ax)` for `ax.colorbar(image)`.

    **Fix safety** Unsafe where no axes have a name: others may be meant. Safe where the figure was made together with one pair of axes, and has no others
    (`ax.twinx()`), and for what the figure of these axes has. Silent for what axes have not either.
    """

    code = "MPL113"
    name = "drawn on the figure"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"^'(?:Figure|\w*Axes\w*)' object has no attribute '(\w+)'")
    applicability = Applicability.UNSAFE
    why = "Other axes than those of the figure may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "Axes" in context.failure.evalue.partition(" object")[0]:
            yield from self._ask_figure(context)
            return
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

    def _ask_figure(self, context: RuleContext) -> Iterator[Patch]:
        """``ax.figure.savefig("a.png")`` for ``ax.savefig("a.png")``; a colour bar is drawn beside these axes."""
        for call in context.list_calls_at_failure():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in OF_FIGURE or "fig" in context.text(func.value):
                continue
            axes = context.read_plain_chain(func.value)
            if not axes or not context.is_true(f"hasattr({axes}, 'figure')"):
                return
            figure = f"{axes}.figure"
            splices = [(*context.span(func.value), figure)]
            if func.attr == "colorbar" and not {k.arg for k in call.keywords} & {"ax", "cax"} and len(call.args) == 1:
                end = context.span(call.args[0])[1]
                splices.append((end, end, f", ax={axes}"))
            yield self.patch(
                context.replace_here(*splices),
                f"Use `{figure}.{func.attr}`",
                f"`{axes}` is one of the axes: its figure has `{func.attr}`.",
                applicability=Applicability.SAFE,
                why="It is the figure of these axes.",
                prior=0.92,
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
