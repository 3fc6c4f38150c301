"""MPL104: the size of a figure given to what draws into it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class FigureSize(Rule):
    """Give the size to the figure.

    **Failure** `AttributeError: Line2D.set() got an unexpected keyword argument 'figsize'` at `plt.plot(x, figsize=(4, 3))`, or at a
    plot of seaborn; `TypeError: object of type 'int' has no len()` at `plt.figure(8, 4)`, and at `figsize=10`.

    **Fix** `plt.figure(figsize=(4, 3))` in front of it; `plt.figure(figsize=(8, 4))`; `figsize=(10, 10)`.

    **Fix safety** Unsafe for `figsize=10`, as the height is not said. Else safe: a figure alone has a size, and the statement draws the first thing of the cell. Silent where the cell has drawn before, or
    gives the plot its axes.
    """

    code = "MPL104"
    name = "size of a figure"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError"})
    message = re.compile(
        r"unexpected keyword argument '(?:figsize|figSize|figure_size)'|^object of type '(?:int|float)' has no len"
    )
    applicability = Applicability.SAFE
    why = "A figure alone has a size."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "has no len" in context.failure.evalue:
            yield from self._join_sides(context)
            return
        known = context.reference("matplotlib.pyplot.figure")
        for call in context.list_calls_at_failure():
            given = next(
                (k for k in call.keywords if (k.arg or "").lower().replace("_", "") in ("figsize", "figuresize")), None
            )
            statement = next(
                (s for s in context.tree.body if s.lineno <= call.lineno <= (s.end_lineno or s.lineno)), None
            )
            if given is None or known is None or statement is None or any(k.arg == "ax" for k in call.keywords):
                continue
            module = context.text(call.func).rpartition(".")[0]
            info = context.describe(module) if module else None
            if info is None or not info.is_module or _has_drawn(context, statement, module):
                return
            start, end = context.span(given)
            before = context.source[:start].rstrip()
            if before.endswith(","):
                start = len(before) - 1
            elif (match := re.match(r"\s*,\s*", context.source[end:])) is not None:
                end += match.end()
            line = f"{known.text}(figsize={context.text(given.value)})\n"
            at = src.find_offset(context.source, statement.lineno, 0)
            imports = context.add_imports([known.import_line] if known.import_line else [])
            yield self.patch(
                context.replace_here((at, at, line), (start, end, ""), *imports),
                f"Put `{line.strip()}` in front",
                f"`{context.text(call.func)}` has no size; the figure has.",
                prior=0.92,
            )
            return

    def _join_sides(self, context: RuleContext) -> Iterator[Patch]:
        """``plt.figure(8, 4)``: the second argument is a size, and one number is none."""
        for call in context.list_calls_at_failure():
            sides = [a for a in call.args if isinstance(a, ast.Constant) and type(a.value) in (int, float)]
            one = next((k.value for k in call.keywords if k.arg == "figsize"), None)
            if isinstance(one, ast.Constant) and type(one.value) in (int, float):
                new = f"({context.text(one)}, {context.text(one)})"
                why = "Another height may be meant."
                edits, cause = context.replace_here((*context.span(one), new)), "A figure has a width and a height."
                yield self.patch(
                    edits, f"Use `figsize={new}`", cause, applicability=Applicability.UNSAFE, why=why, prior=0.7
                )
                return
            if len(sides) == len(call.args) == 2 and not call.keywords and read_last_name(call.func) == "figure":
                new = f"figsize=({context.text(sides[0])}, {context.text(sides[1])})"
                edits = context.replace_here((context.span(sides[0])[0], context.span(sides[1])[1], new))
                cause = "A figure takes its width and height as one pair."
                yield self.patch(edits, f"Use `{new}`", cause, prior=0.93)
                return


def _has_drawn(context: RuleContext, statement: ast.stmt, module: str) -> bool:
    """True where a statement above in the cell uses the same module: it may have made the figure."""
    above = [
        s for s in context.tree.body if s.lineno < statement.lineno and not isinstance(s, ast.Import | ast.ImportFrom)
    ]
    names = {module, "plt", "sns", "fig", "ax"}
    return any(isinstance(n, ast.Name) and n.id in names for s in above for n in ast.walk(s))
