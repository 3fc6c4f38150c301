"""MPL105: where a colour bar takes its space, the limits of a scale of colours, and the order of levels, which Matplotlib no longer guesses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name, read_literal
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.healers.rules.context.written_before import ran_once
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Unable to determine Axes to steal space|^'c' argument must be a color|Passing a Normalize instance simultaneously with vmin/vmax|"
    r"^Contour levels must be increasing"
)
FOR_EACH_LEVEL = ("colors", "linewidths", "linestyles", "alpha", "hatches")
PARTS_OF_LEVELS = frozenset(
    {
        "collections",
        "levels",
        "allsegs",
        "allkinds",
        "get_paths",
        "get_array",
        "cvalues",
        "tcolors",
        "legend_elements",
        "set_color",
        "set_edgecolor",
        "set_linewidth",
        "set_linewidths",
        "set_linestyle",
        "set_linestyles",
    }
)
"""What is asked of a contour plot by the number of its level."""


class ColourScale(Rule):
    """Say what Matplotlib took for granted: the axes of a colour bar, and the limits in the norm.

    **Failure** `ValueError: Unable to determine Axes to steal space for Colorbar.` at `plt.colorbar(mappable)`, `ValueError: Passing a Normalize
    instance simultaneously with vmin/vmax is not supported.` at `plt.imshow(z, norm=LogNorm(), vmin=1, vmax=9)`; `'c' argument must be a color, …` at
    `plt.scatter(x, y, c=pets["kind"])`, whose kinds are texts; `ValueError: Contour levels must be increasing` at `plt.contour(x, y, z, [-1, -2, -4])`.

    **Fix** `plt.colorbar(mappable, ax=plt.gca())`, `plt.imshow(z, norm=LogNorm(vmin=1, vmax=9))`; `c=pets["kind"].astype("category").cat.codes`;
    `[-4, -2, -1]`, or `sorted(levels)`.

    **Fix safety** Unsafe for the texts, whose groups may be meant to have colours of their own. Else safe: the current axes were taken until Matplotlib 3.8, the limits were set on the norm until 3.5, and a line is drawn for a level
    whatever comes before it. Unsafe for levels to which colours or widths are given in their order, or that are asked for by number, and for reckoned ones that no stored run
    shows to be meant. Silent where the norm is made
    elsewhere or has limits of its own, and where a level comes twice.
    """

    code = "MPL105"
    name = "what Matplotlib guessed, or cannot guess"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "That is what Matplotlib did by itself (https://matplotlib.org/stable/api/prev_api_changes/api_changes_3.8.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if context.failure.evalue.startswith("Contour"):
                if patch := self._sort_levels(context, call):
                    yield patch
                    return
                continue
            if "steal" not in context.failure.evalue and "Normalize" not in context.failure.evalue:
                if patch := self._number_groups(context, call):
                    yield patch
                    return
                continue
            if "steal" in context.failure.evalue:
                changes, title = _name_axes(context, call), "Take the space from the current axes"
                cause = "Matplotlib no longer takes the current axes for a colour bar by itself."
            else:
                changes, title = _move_limits(context, call), "Give the limits to the norm"
                cause = "A norm has its own limits, and Matplotlib no longer takes others beside it."
            if changes:
                yield self.patch(context.replace_here(*changes), title, cause, prior=0.94)
                return

    def _sort_levels(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``contour(x, y, z, [-1, -2])``: each level has its line, in whatever order."""
        keyword = find_keyword(call, "levels")
        by_place = call.args[-1] if len(call.args) in (2, 4) else None
        levels = keyword.value if keyword is not None else by_place
        if read_last_name(call.func) != "contour" or levels is None:
            return None
        if not context.is_true(f"({context.text(call.func)}).__module__.startswith('matplotlib')"):
            return None  # the notebook's own
        text = context.operand(levels)
        if not context.is_true(f"len({text}) == len(set({text})) > 1 and all(_ == _ for _ in {text})"):
            return None
        is_written = read_literal(levels)[0]
        new = f"sorted({context.text(levels)})"
        if is_written and isinstance(levels, ast.List | ast.Tuple):
            new = f"[{', '.join(context.text(item) for item in sorted(levels.elts, key=ast.literal_eval))}]"
        given = [k for k in call.keywords if k.arg in (None, *FOR_EACH_LEVEL)]  # None: `**style` may hold them
        is_paired = any(not isinstance(k.value, ast.Constant | ast.UnaryOp) for k in given)
        is_asked = any(isinstance(n, ast.Attribute) and n.attr in PARTS_OF_LEVELS for n in context.walk_notebook())
        doubt = "What is given to the levels, or asked of them, in their order would be another level's."
        if not (is_paired or is_asked):
            doubt = "" if is_written or ran_once(context) else "They are reckoned, and may be wrong themselves."
        return self.patch(
            context.replace_here((*context.span(levels), new)),
            f"Use `{new}`",
            "Matplotlib draws levels in ascending order alone.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or "A level's line is the same wherever it stands in the list.",
            prior=0.6 if doubt else 0.94,
        )

    def _number_groups(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``scatter(x, y, c=table["kind"])``: numbers for its groups."""
        keyword = find_keyword(call, "c")
        text = context.operand(keyword.value) if keyword is not None else ""
        if keyword is None or not context.is_true(f"{text}.ndim == 1 and all(isinstance(_, str) for _ in {text})"):
            return None
        new = f'{text}.astype("category").cat.codes'
        return self.patch(
            context.replace_here((*context.span(keyword.value), new)),
            f"Use `c={new}`",
            f"`{text}` holds texts, and `c` takes colours or numbers.",
            applicability=Applicability.UNSAFE,
            why="Other colours may be meant for the groups.",
            prior=0.75,
        )


def _name_axes(context: RuleContext, call: ast.Call) -> list[Splice]:
    if read_last_name(call.func) != "colorbar" or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return []
    if not isinstance(call.func.value, ast.Name | ast.Attribute) or any(
        k.arg in ("ax", "cax", None) for k in call.keywords
    ):
        return []
    end = context.span(call.args[0])[1]
    return [(end, end, f", ax={context.text(call.func.value)}.gca()")]


def _move_limits(context: RuleContext, call: ast.Call) -> list[Splice]:
    norm, given = find_keyword(call, "norm"), [k for k in call.keywords if k.arg in ("vmin", "vmax")]
    if norm is None or not isinstance(norm.value, ast.Call) or not given:
        return []
    made = norm.value
    if any(k.arg in ("vmin", "vmax", None) for k in made.keywords) or made.args:
        return []
    close = context.span(made)[1] - 1
    words = ", ".join(context.text(k) for k in given)
    changes: list[Splice] = [(close, close, f"{', ' * bool(made.keywords)}{words}")]
    return [*changes, *(build_argument_splice(context, call, k, "") for k in given)]
