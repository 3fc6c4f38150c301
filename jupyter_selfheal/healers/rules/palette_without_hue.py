"""MPL109: a palette of seaborn for colours that nothing is said to stand for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Passing `palette` without assigning `hue` is deprecated.*Assign the `(\w+)` variable to `hue` and set `legend=False`",
    re.DOTALL,
)


class PaletteWithoutHue(Rule):
    """Say which variable a palette colours.

    **Failure** `FutureWarning: Passing palette without assigning hue is deprecated … Assign the x variable to hue and set legend=False for the
    same effect` (`heal --warnings`).

    **Fix** `sns.barplot(x=days, y=sales, palette=colours, hue=days, legend=False)`.

    **Fix safety** Safe: seaborn does the same itself until it takes the old form no longer. Silent where the variable is not given by its name or
    is the result of a call, and where `hue` or `legend` is given.
    """

    code = "MPL109"
    name = "palette without a hue"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = MESSAGE
    warning = MESSAGE
    applicability = Applicability.SAFE
    why = "The message itself says that it has the same effect."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure() if match else ():
            given = {k.arg: k.value for k in call.keywords}
            variable = given.get(match[1]) if match else None
            if "palette" not in given or variable is None or {"hue", "legend", None} & set(given):
                continue
            taken = (context.signature(call.func, calls=True) or Signature()).names(
                "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"
            )
            if "legend" not in taken or any(isinstance(n, ast.Call) for n in ast.walk(variable)):
                return
            end = context.span(call.keywords[-1])[1]
            yield self.patch(
                context.replace_here((end, end, f", hue={context.text(variable)}, legend=False")),
                f"Add `hue={context.text(variable)}, legend=False`",
                "A palette colours what `hue` names, and nothing is named.",
                prior=0.92,
            )
            return
