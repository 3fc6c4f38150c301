"""MPL102: a function of pyplot called on axes, or a method of axes called on pyplot."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

SETTABLE = frozenset({"title", "xlabel", "ylabel", "zlabel", "xlim", "ylim", "xticks", "yticks", "xscale", "yscale"})
ABOUT = re.compile(r"'(\w*Axes\w*|Axes3D)' object has no attribute|module 'matplotlib.pyplot' has no attribute 'set_|'Text' object is not callable|"
                   r"module 'pylab' has no attribute 'set_")  # fmt: skip


class AxesSetter(Rule):
    """Set what axes show by their own methods, and through pyplot by its functions.

    **Failure** `AttributeError: 'Axes' object has no attribute 'xlabel'`, `TypeError: 'Text' object is not callable` at `ax.title("…")`,
    `AttributeError: module 'matplotlib.pyplot' has no attribute 'set_xlabel'`.

    **Fix** `ax.set_xlabel(…)`, `ax.set_title(…)`, `plt.xlabel(…)`, for every such call in the cell.

    **Fix safety** Safe: the one name is what the live object calls the other.
    """

    code = "MPL102"
    name = "axes or pyplot"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError"})
    message = ABOUT
    applicability = Applicability.SAFE
    why = "It is what the live object calls the same thing."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        nearest = next(
            (
                n.func
                for n in context.list_calls_at_failure()
                if isinstance(n.func, ast.Attribute) and _find_counterpart(n.func.attr)
            ),
            None,
        )
        if not isinstance(nearest, ast.Attribute):
            return
        on_axes = not nearest.attr.startswith("set_")
        called = [n.func for n in context.walk(ast.Call) if isinstance(n.func, ast.Attribute)]
        alike = [n for n in called if _find_counterpart(n.attr) and n.attr.startswith("set_") is not on_axes]
        lives = context.describe_all([n.value for n in alike], calls=False)
        changes = [
            (*context.find_attribute_span(n), _find_counterpart(n.attr))
            for n, live in zip(alike, lives, strict=True)
            if _is_owner_of(live, on_axes) or (n is nearest and _is_owner_of(context.owner, on_axes))
        ]
        if not changes:
            return
        yield self.patch(
            context.replace(context.cell_id, changes),
            f"Call `{_find_counterpart(nearest.attr)}`",
            f"`{context.text(nearest.value)}` has no `{nearest.attr}`. Did you mean `{_find_counterpart(nearest.attr)}`?",
            prior=0.9,
        )


def _is_owner_of(live: ObjectInfo, on_axes: bool) -> bool:
    if not on_axes:
        return live.path in ("matplotlib.pyplot", "pylab")
    return any("Axes" in path and path.startswith(("matplotlib.", "mpl_toolkits.")) for path in live.mro)


def _find_counterpart(name: str) -> str:
    """``set_title`` of ``title`` and the other way round; empty for anything else."""
    if name in SETTABLE:
        return f"set_{name}"
    return name[4:] if name.startswith("set_") and name[4:] in SETTABLE else ""
