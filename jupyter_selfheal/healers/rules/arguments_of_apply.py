"""CAL130: more arguments for the function that `apply` calls, written behind it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class ArgumentsOfApply(Rule):
    """Hand the further arguments of a function to `apply` as a tuple.

    **Failure** `TypeError: Value after * must be an iterable, not int` at `df["points"].apply(grade, 60)`; `Series.apply() takes from 2 to 3 positional arguments but 4 were given`.

    **Fix** `df["points"].apply(grade, args=(60,))`.

    **Fix safety** Safe: the function takes one value and as many more as stand behind it. Silent for tables, whose second argument is an axis, and where the numbers differ.
    """

    code = "CAL130"
    name = "arguments of an applied function"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"Value after \* must be an iterable, not \w+|Series\.apply\(\) takes from \d to \d positional arguments but \d+ were given"
    )
    applicability = Applicability.SAFE
    why = "The function takes one value, and as many more as stand behind it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr != "apply" or len(call.args) < 2:
                continue
            more = call.args[1:]
            signature = context.signature(call.args[0])
            if call.keywords or signature is None or any(isinstance(a, ast.Starred) for a in more):
                return
            if not context.describe_all([func.value], calls=True)[0].is_a("pandas.Series"):
                return
            needed = [p for p in signature.parameters if not p.has_default]
            if not len(needed) <= len(more) + 1 <= len(signature.parameters):
                return
            start, end = context.span(more[0])[0], context.span(more[-1])[1]
            new = f"args=({context.source[start:end]}{',' if len(more) == 1 else ''})"
            is_option = isinstance(more[0], ast.Constant) and isinstance(more[0].value, bool)
            yield self.patch(
                context.replace_here((start, end, new)),
                f"Hand them on as `{new}`",
                f"`apply` takes what `{context.text(call.args[0])}` gets besides each value as a tuple.",
                applicability=Applicability.UNSAFE if is_option else Applicability.SAFE,
                why="It may be `convert_dtype`, which `apply` had in this place." if is_option else self.why,
                prior=0.6 if is_option else 0.95,
            )
            return
