"""MPL114: an argument of a plot in another form than Matplotlib takes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^num must be an integer with 1 <= num <= \d+, not 0$|^Unrecognized marker style '([\w ]+)'|^'str' object has no attribute 'copy'|"
    r"barh?\(\) missing 1 required positional argument: '(height|width)'|plot\(\) got an unexpected keyword argument '(x|y)'"
)
MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "star": "*", "diamond": "D", "cross": "x", "plus": "+", "point": ".", "pentagon": "p", "hexagon": "h",
}  # fmt: skip
"""https://matplotlib.org/stable/api/markers_api.html"""
ARROW = re.compile(r"[-<>|\[\]]{2,}|(?:simple|fancy|wedge)\b")
"""How styles of arrows begin: https://matplotlib.org/stable/api/_as_gen/matplotlib.patches.ArrowStyle.html"""


class PlotArgument(Rule):
    """Write an argument as Matplotlib takes it.

    **Failure** `ValueError: num must be an integer with 1 <= num <= 4, not 0` at `plt.subplot(2, 2, i)` in `for i in range(4)`; `Unrecognized marker style 'circle'`;
    `AttributeError: 'str' object has no attribute 'copy'` at `plt.annotate(…, arrowprops="->")`; `bar() missing 1 required positional argument: 'height'` at `plt.bar(counts)`;
    `plot() got an unexpected keyword argument 'x'`.

    **Fix** `plt.subplot(2, 2, i + 1)`, wherever the loop asks for it; `marker="o"`; `arrowprops=dict(arrowstyle="->")`; `plt.bar(counts.index, counts)` of a series, `plt.bar(d.keys(), d.values())`; `plt.plot(days, rain)` for `plt.plot(x=days, y=rain)`.

    **Fix safety** Safe: the loop counts from 0 and places from 1, the marker has that name in Matplotlib's manual, and a style of arrow is all that the text can be. Silent where
    the place is written as a number or counted in another way.
    """

    code = "MPL114"
    name = "argument of a plot in another form"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "AttributeError", "TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A style of arrow is all that the text can be."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure():
            if told is not None and told[0].startswith("num"):
                patch = self._count_from_one(context, call)
            elif told is not None and told[1]:
                patch = self._write_marker(context, call, told[1])
            elif told is not None and (told[2] or told[3]):
                if not context.is_true(f"({context.text(call.func)}).__module__.startswith('matplotlib')"):
                    continue  # the notebook's own `plot`
                patch = self._give_labels(context, call) if told[2] else self._give_by_place(context, call)
            else:
                patch = self._name_style(context, call)
            if patch is not None:
                yield patch
                return

    def _count_from_one(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``plt.subplot(2, 2, i)`` in ``for i in range(4)``."""
        asked = read_last_name(call.func)
        if asked not in ("subplot", "add_subplot") or len(call.args) != 3 or not isinstance(call.args[2], ast.Name):
            return None
        name = call.args[2].id
        around = [n for n in context.walk(ast.For) if n.lineno <= call.lineno <= (n.end_lineno or n.lineno)]
        loops = [n for n in around if _find_counter(n) == name]
        if len(loops) != 1:
            return None
        calls = [n for n in ast.walk(loops[0]) if isinstance(n, ast.Call) and read_last_name(n.func) == asked]
        ends = [context.span(c.args[2])[1] for c in calls if len(c.args) == 3 and isinstance(c.args[2], ast.Name)]
        changes: list[Splice] = [(end, end, " + 1") for end in ends]
        return self.patch(
            context.replace_here(*changes),
            f"Ask for place `{name} + 1`",
            f"`{name}` counts from 0, and the places of a figure are counted from 1.",
            why="The loop counts from 0, and places are counted from 1.",
            prior=0.94,
        )

    def _give_labels(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``plt.bar(counts)``, where a series or a dictionary holds both the labels and the heights."""
        if not (read_last_name(call.func) in ("bar", "barh") and len(call.args) == 1):
            return None
        given, text = context.describe_all(call.args, calls=True)[0], context.operand(call.args[0])
        new = f"{text}.index, {text}" if given.is_a("pandas.Series") else f"{text}.keys(), {text}.values()"
        is_series = given.is_a("pandas.Series")
        if not (given.is_a("builtins.dict") or (is_series and context.is_true(f"{text}.dtype.kind in 'iuf'"))):
            return None
        is_counted = is_series and context.is_true(f"type({text}.index).__name__ == 'RangeIndex'")
        return self.patch(
            context.replace_here((*context.span(call.args[0]), new)),
            f"Use `{new}`",
            f"`{text}` holds the bars' names and how long each is; both must be given.",
            applicability=Applicability.UNSAFE if is_counted else Applicability.SAFE,
            why="Its rows have no names: how often each value is there may be meant."
            if is_counted
            else "It holds a name and a number for each bar.",
            prior=0.6 if is_counted else 0.94,
        )

    def _give_by_place(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``plt.plot(x=days, y=rain)``."""
        keywords = {k.arg: k for k in call.keywords}
        if read_last_name(call.func) != "plot" or call.args or list(keywords)[:2] != ["x", "y"] or "data" in keywords:
            return None
        changes: list[Splice] = [
            (context.span(keywords[n])[0], context.span(keywords[n].value)[0], "") for n in ("x", "y")
        ]
        return self.patch(
            context.replace_here(*changes),
            "Give `x` and `y` by their place",
            "`plot` of Matplotlib takes what it draws by place alone.",
            why="Matplotlib's `plot` takes the same two in this order.",
            prior=0.95,
        )

    def _write_marker(self, context: RuleContext, call: ast.Call, wrong: str) -> Patch | None:
        """``marker="circle"``."""
        keyword, new = find_keyword(call, "marker"), MARKERS.get(wrong.casefold())
        if keyword is None or not new or not isinstance(keyword.value, ast.Constant) or keyword.value.value != wrong:
            return None
        quote = context.text(keyword.value)[-1]
        return self.patch(
            context.replace_here((*context.span(keyword.value), f"{quote}{new}{quote}")),
            f"Use `marker={quote}{new}{quote}`",
            f"Matplotlib writes the marker `{wrong}` as a sign.",
            why="Matplotlib's manual describes this marker by that name.",
            prior=0.94,
        )

    def _name_style(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``arrowprops="->"`` as a dictionary."""
        keyword = find_keyword(call, "arrowprops")
        style = keyword.value.value if keyword is not None and isinstance(keyword.value, ast.Constant) else None
        if keyword is None or not isinstance(style, str) or not ARROW.match(style):
            return None
        new = f"dict(arrowstyle={context.text(keyword.value)})"
        return self.patch(
            context.replace_here((*context.span(keyword.value), new)),
            f"Use `arrowprops={new}`",
            "`arrowprops` takes a dictionary, in which `arrowstyle` says how the arrow looks.",
            prior=0.9,
        )


def _find_counter(loop: ast.For) -> str:
    """The variable that counts from 0: ``i`` of ``for i in range(n)`` and of ``for i, x in enumerate(xs)``; empty where none does."""
    match loop:
        case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=[_])):
            return name
        case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=[ast.Constant(0), _])):
            return name
        case ast.For(
            target=ast.Tuple([ast.Name(name), _]), iter=ast.Call(func=ast.Name("enumerate"), args=[_], keywords=[])
        ):
            return name
    return ""
