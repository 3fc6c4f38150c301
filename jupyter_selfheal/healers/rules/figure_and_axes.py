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

    **Fix** `fig, ax = plt.subplots()` in that cell; `plt.subplots` for `plt.subplot` where two things are taken of it.

    **Fix safety** Safe: the name of the axes holds a figure, the other one does not, and `subplots` gives the figure first; `subplot` gives one thing, and is silent for `subplot(111)`: `subplots(111)` would be 111 rows.
    """

    code = "MPL112"
    name = "figure and axes exchanged"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError"})
    message = re.compile(r"'Figure' object has no attribute|'Axes' object has no attribute '(?:savefig|tight_layout|suptitle|colorbar|subplots_adjust)'|cannot unpack non-iterable Axes|^Axes\.set\(\) got an unexpected keyword argument '(?:figsize|sharex|sharey|nrows|ncols)'")  # fmt: skip
    applicability = Applicability.SAFE
    why = "`subplots` gives the figure first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "Figure" not in context.failure.evalue and "no attribute" not in context.failure.evalue:
            yield from self._make_both(context)
            return
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

    def _make_both(self, context: RuleContext) -> Iterator[Patch]:
        """``fig, ax = plt.subplot(figsize=(6, 3))``: one letter makes the figure and the axes."""
        for node in context.list_nodes_on_line(ast.Assign):
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name(), _])],
                    value=ast.Call(func=ast.Attribute(attr="subplot") as called, args=[]),
                ):
                    end = context.span(called)[1]
                    yield self.patch(
                        context.replace_here((end, end, "s")),
                        f"Use `{context.text(called)}s`",
                        "`subplot` gives axes alone; `subplots` gives the figure and its axes.",
                        why="Two things are taken, and `subplots` gives these two.",
                        prior=0.95,
                    )
                    return
