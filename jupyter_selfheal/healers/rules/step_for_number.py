"""NPA128: a step given to ``linspace``, which takes the number of points."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Patch


class StepForNumber(Rule):
    """Use `arange` where a step is given.

    **Failure** `TypeError: 'float' object cannot be interpreted as an integer` at `np.linspace(0, 2, 0.1)`, and at `range(0, 1, 0.25)`.

    **Fix** `np.arange(0, 2, 0.1)`; `np.arange(0, 1, 0.25)`.

    **Fix safety** Unsafe: `arange` leaves the end out, which `linspace` has.
    """

    code = "NPA128"
    name = "step for number of points"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(r"'float' object cannot be interpreted as an integer")
    applicability = Applicability.UNSAFE
    why = "`arange` leaves the end out, which `linspace` has."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) == "range" and isinstance(call.func, ast.Name):
                yield from self._count_in_fractions(context, call)
                return
            if read_last_name(call.func) != "linspace" or len(call.args) < 2 or len(call.args) > 3:
                continue
            keyword = find_keyword(call, "num")
            step = call.args[2] if len(call.args) == 3 else keyword.value if keyword is not None else None
            if step is None or len(call.keywords) != (keyword is not None):
                return
            if not context.is_true(f"0 < abs({context.text(step)}) < 1"):
                return
            start, end = context.span(call.func)
            name = context.source[start:end].removesuffix("linspace") + "arange"
            given = ", ".join(context.text(a) for a in (*call.args[:2], step))
            text = f"{name}({given})"
            yield self.patch(
                context.replace_here((*context.span(call), text)),
                f"Use `{text}`",
                f"`linspace` takes how many points there are; `{context.text(step)}` is a step.",
                prior=0.7,
            )
            return

    def _count_in_fractions(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """``range(0, 1, 0.25)``."""
        named = context.reference("numpy.arange")
        step = context.text(call.args[2]) if len(call.args) == 3 else ""
        if named is None or named.import_line or not step or not context.is_true(f"0 < abs({step}) % 1"):
            return
        yield self.patch(
            context.replace_here((*context.span(call.func), named.text)),
            f"Count with `{named.text}`",
            f"`range` counts in whole numbers, and `{step}` is none.",
            why="Counted in fractions, an end may be in it by rounding.",
            prior=0.7,
        )
