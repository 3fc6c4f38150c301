"""MPL112: the figure and the axes of `subplots` taken in the wrong order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class FigureAndAxes(Rule):
    """Take the figure first.

    **Failure** `AttributeError: 'Figure' object has no attribute 'plot'` at `ax.plot(…)`, after `ax, fig = plt.subplots()`.

    **Fix** `fig, ax = plt.subplots()` in that cell.

    **Fix safety** Safe: the name of the axes holds a figure, the other one does not, and `subplots` gives the figure first.
    """

    code = "MPL112"
    name = "figure and axes exchanged"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'Figure' object has no attribute|'Axes' object has no attribute '(?:savefig|tight_layout|suptitle|colorbar|subplots_adjust)'")  # fmt: skip
    applicability = Applicability.SAFE
    why = "`subplots` gives the figure first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Attribute):
            if not isinstance(node.value, ast.Name):
                continue
            for view in context.look_upwards():
                for made in view.walk(ast.Assign):
                    match made:
                        case ast.Assign(
                            targets=[ast.Tuple(elts=[ast.Name() as first, ast.Name() as second]) as pair],
                            value=ast.Call() as call,
                        ):
                            pass
                        case _:
                            continue
                    if read_last_name(call.func) != "subplots" or node.value.id not in (first.id, second.id):
                        continue
                    is_turned = f"type({first.id}).__name__ == 'Figure' and type({second.id}).__name__ != 'Figure'"
                    if (
                        not re.search(r"(?i)ax", first.id)
                        or re.search(r"(?i)ax", second.id)
                        or not context.is_true(is_turned)
                    ):
                        return
                    new = f"{second.id}, {first.id}"
                    yield self.patch(
                        view.replace(view.cell_id, [(*view.span(pair), new)]),
                        f"Take the figure first: `{new}`",
                        f"`subplots` gives the figure first: `{first.id}` is the figure.",
                        prior=0.95,
                    )
                    return
