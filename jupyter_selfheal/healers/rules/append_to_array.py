"""NPA126: an array that is appended to like a list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class AppendToArray(Rule):
    """Append to an array with `np.append`.

    **Failure** `AttributeError: 'numpy.ndarray' object has no attribute 'append'` at `marks.append(4)`; `extend` likewise.

    **Fix** `marks = np.append(marks, 4)`, which gives a new array; `rows = np.vstack([rows, [4, 5]])` for a row of a table, or for rows that `extend` is given.

    **Fix safety** Unsafe: another name of the array keeps the old one, and a list may have been meant where it is made. Silent for arrays of more than two
    dimensions and what is no row (of `extend`: no rows) of one of two, for what is no variable, where a value is read of it, and where NumPy is not at hand.
    """

    code = "NPA126"
    name = "array appended to"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"^'numpy\.ndarray' object has no attribute '(?:append|extend)'")
    applicability = Applicability.UNSAFE
    why = "A list may have been meant where it is made, and other names keep the old array."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(ast.Attribute(ast.Name(array), "append" | "extend" as method), [given], []):
                    pass
                case _:
                    continue
            text = _write_longer(context, array, method, context.text(given)) if context.is_statement(call) else ""
            if not text:
                return
            yield self.patch(
                context.replace_here((*context.span(call), text)),
                f"Write `{text}`",
                f"An array has no `{method}`: NumPy's functions give a new one that is longer.",
                prior=0.8,
            )
            return


def _write_longer(context: RuleContext, array: str, method: str, given: str) -> str:
    """The assignment that gives the variable an array with what is given behind it; empty where it does not fit, or NumPy is not at hand."""
    live = context.describe(array)
    is_fit = f"getattr({given}, 'ndim', 1) == 1 and len({given}) == {array}.shape[1]"
    if method == "extend":
        is_fit = f"all(len(_) == {array}.shape[1] for _ in {given})"
    if live is None or live.ndim not in (1, 2) or (live.ndim == 2 and not context.is_true(is_fit)):
        return ""
    join = context.reference("numpy.append" if live.ndim == 1 else "numpy.vstack")
    if join is None or join.import_line:
        return ""
    parts = f"{array}, {given}" if live.ndim == 1 else f"[{array}, {given}]"
    return f"{array} = {join.text}({parts})"
