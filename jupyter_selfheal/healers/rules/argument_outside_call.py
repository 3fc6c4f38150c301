"""CAL107: an argument that stands behind the call that misses it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(
    r"missing (\d+) required positional arguments?:|expected (?:at least )?(\d+) arguments?, got (\d+)"
)


class ArgumentOutsideCall(Rule):
    """Move an argument into the call that misses it.

    **Failure** `TypeError: sample() missing 1 required positional argument: 'k'` at `print(random.sample(names), 3)`.

    **Fix** `print(random.sample(names, 3))`: the arguments of the outer call that stand behind it, where they are as many as are missing.

    **Fix safety** Safe inside `print`, which takes any number of arguments, where none of them is a text. Unsafe elsewhere.
    """

    code = "CAL107"
    name = "argument outside of its call"
    enames = frozenset({"TypeError"})
    message = MISSING
    applicability = Applicability.SAFE
    why = "As many arguments stand behind the call as it misses, and `print` does not need them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MISSING.search(context.failure.evalue)
        missing = int(match[1]) if match and match[1] else int(match[2]) - int(match[3]) if match else 0
        parents = src.read(context.source).parents
        for call in context.list_failing_nodes(ast.Call):
            outer = parents.get(call)
            if not isinstance(outer, ast.Call) or call not in outer.args or call.keywords:
                continue
            behind = outer.args[outer.args.index(call) + 1 :]
            if not 0 < len(behind) == missing or any(isinstance(a, ast.Starred) for a in behind):
                continue
            end, last = context.span(call)[1], context.span(behind[-1])[1]
            comma = context.source[end : context.span(behind[0])[0]]
            first = (end - 1, end, "") if call.args else (end - 1, context.span(behind[0])[0], "")
            if context.source[end - 1] != ")" or comma.strip() != ",":
                continue
            is_text = any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in behind)
            sure = isinstance(outer.func, ast.Name) and outer.func.id == "print" and not is_text
            name = context.text(call.func)
            yield self.patch(
                context.replace_here(first, (last, last, ")")),
                f"Move the argument into the call of `{name}`",
                f"`{name}` misses what stands behind its call.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "The outer call may need the argument too.",
                prior=0.8 if sure else 0.5,
            )
            return
