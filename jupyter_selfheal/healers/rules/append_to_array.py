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

    **Fix** `marks = np.append(marks, 4)`, which gives a new array.

    **Fix safety** Unsafe: another name of the array keeps the old one, and a list may have been meant where it is made. Silent for arrays of more than one
    dimension, for what is no variable, where a value is read of it, and where NumPy is not at hand.
    """

    code = "NPA126"
    name = "array appended to"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"^'numpy\.ndarray' object has no attribute '(?:append|extend)'")
    applicability = Applicability.UNSAFE
    why = "A list may have been meant where it is made, and other names keep the old array."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        append = context.reference("numpy.append")
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(ast.Attribute(ast.Name(array), "append" | "extend"), [given], []):
                    pass
                case _:
                    continue
            live = context.describe(array)
            if append is None or append.import_line or live is None or live.ndim != 1 or not context.is_statement(call):
                return
            text = f"{array} = {append.text}({array}, {context.text(given)})"
            yield self.patch(
                context.replace_here((*context.span(call), text)),
                f"Write `{text}`",
                "An array has no `append`: `np.append` gives a new one that is longer.",
                prior=0.8,
            )
            return
