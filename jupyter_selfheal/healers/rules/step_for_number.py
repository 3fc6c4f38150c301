"""NPA128: a step given to ``linspace``, which takes the number of points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Patch


class StepForNumber(Rule):
    """Use `arange` where a step is given.

    **Failure** `TypeError: 'float' object cannot be interpreted as an integer` at `np.linspace(0, 2, 0.1)`.

    **Fix** `np.arange(0, 2, 0.1)`.

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
