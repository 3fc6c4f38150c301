"""API206: a number where a function asks for True or False."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

WANTED = re.compile(
    r"[Ff]or argument ['\"`](\w+)['\"`] expected type bool|"
    r"[`'\"](\w+)[`'\"] (?:argument |parameter )?(?:of \w+ )?must be (?:of type |an instance of |of (?:bool|boolean) type)?[`'\"]?bool|"
    r"The '(\w+)' parameter of \w+ must be an instance of 'bool' or an instance of 'numpy\.bool'"
)


class TruthWanted(Rule):
    """Give True or False where a function no longer takes 1 or 0 for it.

    **Failure** `ValueError: For argument "inplace" expected type bool, received type int.`, `InvalidParameterError: The 'shuffle' parameter
    of … must be an instance of 'bool'`.

    **Fix** `inplace=1` becomes `inplace=True`, `0` becomes `False`, and `"False"` too, in the call that gives it.

    **Fix safety** Safe: 1 and 0 are True and False in every condition of Python. Silent for any other number or value.
    """

    code = "API206"
    name = "number for a truth value"
    enames = frozenset({"ValueError", "TypeError", "InvalidParameterError"})
    message = WANTED
    applicability = Applicability.SAFE
    why = "In a condition 1 is True and 0 is False, and a text in quotes says which is meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = WANTED.search(context.failure.evalue)
        name = next(g for g in match.groups() if g) if match else ""
        for call in context.list_calls_at_failure():
            for given in call.keywords:
                value = given.value
                if given.arg != name or not isinstance(value, ast.Constant) or type(value.value) not in (int, str):
                    continue
                if value.value in (0, 1, "True", "False"):
                    new = str(value.value in (1, "True"))
                    yield self.patch(
                        context.replace_here((*context.span(value), new)),
                        f"Change `{name}={value.value!r}` to `{name}={new}`",
                        f"`{context.text(call.func)}` only takes True or False for `{name}`.",
                        prior=0.9,
                    )
                return
