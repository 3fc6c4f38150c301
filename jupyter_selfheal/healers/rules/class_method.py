"""API212: arguments that a class takes by one of its class methods now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"(?:__new__|__init__)\(\) got an unexpected keyword argument '(\w+)'")


class ClassMethod(Rule):
    """Make an object by the class method that takes these arguments.

    **Failure** `TypeError: PeriodIndex.__new__() got an unexpected keyword argument 'year'`.

    **Fix** `pd.PeriodIndex(year=years, quarter=quarters)` becomes `pd.PeriodIndex.from_fields(year=years, quarter=quarters)`: the only one of the
    installed class's methods `from_…` that has all the arguments as parameters.

    **Fix safety** Safe: all arguments keep their names, there are two at least, and no other method of the class takes them. Silent where a
    positional argument is given, and for classes of the notebook's own.
    """

    code = "API212"
    name = "arguments that a class method takes now"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "One method of the installed class takes all of these arguments by these names."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match is None:
            return
        for call in context.list_calls_at_failure():
            keywords = {k.arg for k in call.keywords if k.arg}
            if call.args or match[1] not in keywords or len(keywords) < 2 or len(keywords) < len(call.keywords):
                continue
            made = context.describe(call.func)
            if made is None or not made.is_class or made.path.startswith("__main__"):
                continue
            makers = [name for name in made.attributes if name.startswith("from_")]
            fitting = [name for name in makers if keywords <= _list_parameters(context, call.func, name)]
            if len(fitting) == 1:
                end = context.span(call.func)[1]
                yield self.patch(
                    context.replace_here((end, end, f".{fitting[0]}")),
                    f"Make it by `{context.text(call.func)}.{fitting[0]}`",
                    f"`{context.text(call.func)}` itself takes no `{match[1]}`.",
                    prior=0.93,
                )
            return


def _list_parameters(context: RuleContext, owner: ast.expr, name: str) -> set[str]:
    signature = context.signature(f"{context.text(owner)}.{name}")
    return {p.name for p in signature.parameters} if signature is not None else set()
