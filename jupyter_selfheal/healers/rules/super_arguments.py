"""CAL104: a base class's constructor that is called without what it needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"__init__\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.+)$")


class SuperArguments(Rule):
    """Hand on to the base class what it needs.

    **Failure** `TypeError: Animal.__init__() missing 1 required positional argument: 'name'` at `super().__init__()`, in a method whose
    own parameters have those names.

    **Fix** `super().__init__(name=name)`.

    **Fix safety** Safe: the subclass takes parameters of exactly these names. Silent where one of them is not there.
    """

    code = "CAL104"
    name = "arguments of the base class"
    enames = frozenset({"TypeError"})
    message = MISSING
    applicability = Applicability.SAFE
    why = "The method's own parameters have the names that the base class asks for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MISSING.search(context.failure.evalue)
        function = find_function(context.source, context.line)
        if told is None or function is None:
            return
        wanted = re.findall(r"'(\w+)'", told[1])
        own = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)][1:]
        for call in context.list_calls_at_failure():
            if not _is_base_constructor(call) or not wanted or not set(wanted) <= set(own):
                continue
            given = [context.text(n) for n in (*call.args, *(k.value for k in call.keywords))]
            if set(given) & set(wanted):
                return
            end = context.span(call)[1] - 1
            start = context.span(call.func)[1]
            before = ", " if context.source[start + 1 : end].strip().rstrip(",") else ""
            text = before + ", ".join(f"{n}={n}" for n in wanted)
            yield self.patch(
                context.replace(context.cell_id, [(end, end, text)]),
                f"Pass {', '.join(f'`{n}`' for n in wanted)} to the base class",
                f"The base class needs {', '.join(f'`{n}`' for n in wanted)}.",
                prior=0.9,
            )
            return


def _is_base_constructor(call: ast.Call) -> bool:
    """``super().__init__(…)`` or ``Base.__init__(self, …)``."""
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr == "__init__"
