"""API208: NumPy's numbers and arrays written as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import dotted_name, find_keyword
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"Object of type (u?int\d+|float\d+|bool_?|ndarray) is not JSON serializable")


class JsonOfNumpy(Rule):
    """Write NumPy's numbers and arrays as JSON's.

    **Failure** `TypeError: Object of type int64 is not JSON serializable` (or `float32`, `ndarray`) from `json.dumps` and `json.dump`.

    **Fix** `json.dumps(data, default=lambda value: value.tolist())`.

    **Fix safety** Safe: `tolist` gives the same numbers as Python's own, and whatever is no number or array of NumPy's fails as before. Silent
    where the call has a `default` or an encoder of its own.
    """

    code = "API208"
    name = "numbers of NumPy as JSON"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "`tolist` gives the same numbers as Python's own; anything else still fails."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        for call in context.calls_at_failure():
            if dotted_name(call.func) not in ("json.dumps", "json.dump", "dumps", "dump") or not call.args or not match:
                continue
            if find_keyword(call, "default") or find_keyword(call, "cls") or any(k.arg is None for k in call.keywords):
                return
            last = max((*call.args, *(k.value for k in call.keywords)), key=lambda n: context.span(n)[1])
            at = context.span(last)[1]
            yield self.patch(
                context.replace_here((at, at, ", default=lambda value: value.tolist()")),
                "Write NumPy's values as Python's own",
                f"JSON knows no `{match[1]}`.",
                prior=0.9,
            )
            return
