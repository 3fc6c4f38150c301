"""NPA111: the mode of SciPy, of which the first value is taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

NO_NUMBERS = re.compile("Argument `a` is not recognized as numeric")


class ModeKept(Rule):
    """Keep the dimension of what `scipy.stats.mode` gives; of a column of texts ask pandas.

    **Failure** `IndexError: invalid index to scalar variable.` at `stats.mode(x).mode[0]` or `stats.mode(x)[0][0]`; `TypeError: Argument `a` is not
    recognized as numeric` where `x` is a column of texts.

    **Fix** `stats.mode(x, keepdims=True).mode[0]`; of texts `x.mode()[0]`.

    **Fix safety** Safe: this was what the function did until SciPy 1.11, and the code takes the first of several values. Of a column of texts both take the
    commonest, the first in order among equals, and leave missing ones out. Silent where the call says `keepdims` itself, and for texts that are no column.
    """

    code = "NPA111"
    name = "mode of an array"
    stage = Stage.CHANGELOG
    enames = frozenset({"IndexError", "TypeError"})
    message = re.compile(rf"invalid index to scalar variable|not subscriptable|{NO_NUMBERS.pattern}")
    applicability = Applicability.SAFE
    why = "Until SciPy 1.11 the result kept its dimension (https://docs.scipy.org/doc/scipy/release/1.11.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if NO_NUMBERS.search(context.failure.evalue):
            yield from self._ask_pandas(context)
            return
        for view in context.look_upwards():
            calls = [
                c
                for c in view.walk(ast.Call)
                if read_last_name(c.func) == "mode" and not any(k.arg == "keepdims" for k in c.keywords)
            ]
            read = {n.id for n in context.list_nodes_on_line(ast.Name)}
            mine = [c for c in calls if _is_read(context, view, c, read) and _is_of_scipy(context, view, c)]
            for call in mine[:1]:
                end = view.span(call)[1] - 1
                yield self.patch(
                    view.replace_here((end, end, ", keepdims=True")),
                    "Add `keepdims=True`",
                    "Since SciPy 1.11 `mode` gives a single value for a single row.",
                    prior=0.93,
                )
            if mine:
                return

    def _ask_pandas(self, context: RuleContext) -> Iterator[Patch]:
        for first in context.list_nodes_on_line(ast.Subscript):
            call = _find_mode_of(first)
            if call is None or not _is_of_scipy(context, context, call):
                continue
            column = context.operand(call.args[0])
            if context.is_true(f"type({column}).__name__ == 'Series' and {column}.dtype.kind == 'O'"):
                yield self.patch(
                    context.replace_here((*context.span(first), f"{column}.mode()[0]")),
                    f"Use `{column}.mode()[0]`",
                    "SciPy's `mode` takes numbers alone since SciPy 1.11; that of pandas takes texts too.",
                    prior=0.93,
                )
                return


def _find_mode_of(first: ast.Subscript) -> ast.Call | None:
    """The call of ``mode(x).mode[0]`` or ``mode(x)[0][0]``."""
    whole = first.value
    is_first = isinstance(first.slice, ast.Constant) and first.slice.value == 0
    is_value = (isinstance(whole, ast.Attribute) and whole.attr == "mode") or (
        isinstance(whole, ast.Subscript) and isinstance(whole.slice, ast.Constant) and whole.slice.value == 0
    )
    call = whole.value if isinstance(whole, ast.Attribute | ast.Subscript) else None
    is_mode = isinstance(call, ast.Call) and read_last_name(call.func) == "mode" and len(call.args) == 1
    return call if is_first and is_value and is_mode and isinstance(call, ast.Call) and not call.keywords else None


def _is_of_scipy(context: RuleContext, view: RuleContext, call: ast.Call) -> bool:
    info = context.describe(view.text(call.func))
    return info is not None and info.path.startswith("scipy.stats")


def _is_read(context: RuleContext, view: RuleContext, call: ast.Call, read: set[str]) -> bool:
    """True where the call stands on the failing line, or in the assignment of a name that is read there."""
    if view.cell_id == context.cell_id and call.lineno <= context.line <= (call.end_lineno or call.lineno):
        return True
    for node in view.walk(ast.Assign):
        if node.value is call:
            return any(isinstance(t, ast.Name) and t.id in read for t in node.targets)
    return False
