"""CAL108: two arguments in each other's place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

BUILTINS = frozenset({"isinstance", "issubclass", "map", "filter"})


class ExchangedArguments(Rule):
    """Exchange two arguments of a builtin that takes a function or a class.

    **Failure** `TypeError: isinstance() arg 2 must be a type` at `isinstance(int, x)`; `'function' object is not iterable` at
    `map(values, str)` and `filter(values, is_even)`.

    **Fix** `isinstance(x, int)`, also for `isinstance(x, "int")`, `map(str, values)`.

    **Fix safety** Safe: the live argument in the one place is what only the other place takes, and the other one is none.
    """

    code = "CAL108"
    name = "arguments in each other's place"
    enames = frozenset({"TypeError"})
    message = re.compile("arg 2 must be a|object is not iterable|object is not callable")
    applicability = Applicability.SAFE
    why = "Only the other place takes a function or a class."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            if name not in BUILTINS or not isinstance(call.func, ast.Name) or len(call.args) != 2 or call.keywords:
                continue
            first, second = call.args
            if name in ("isinstance", "issubclass") and (kind := _read_quoted_kind(context, second)):
                yield self.patch(
                    context.replace_here((*context.span(second), kind)),
                    f"Ask for `{kind}`",
                    f"`{name}` takes a class, not its name.",
                    prior=0.93,
                )
                return
            about = [_describe_kind(context, a) for a in (first, second)]
            wanted = 0 if name in ("isinstance", "issubclass") else 1
            if about[wanted] != "class" and (wanted == 0 or about[wanted] != "function"):
                continue
            if about[1 - wanted] != "value":
                continue
            changes = [(*context.span(first), context.text(second)), (*context.span(second), context.text(first))]
            yield self.patch(
                context.replace_here(*changes),
                f"Exchange the arguments of `{name}`",
                f"The arguments of `{name}` stand in each other's place.",
                prior=0.9,
            )
            return


def _read_quoted_kind(context: RuleContext, node: ast.expr) -> str:
    """``str`` of `isinstance(x, "str")`: the class whose name stands in quotes; empty where there is none, or the name is another thing here."""
    name = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    known = context.describe(name) if name.isidentifier() else None
    return name if known is not None and known.is_class else ""


def _describe_kind(context: RuleContext, node: ast.expr) -> str:
    """``class``, ``function`` or ``value``; empty where that cannot be told."""
    if isinstance(node, ast.Lambda):
        return "function"
    if isinstance(node, ast.Tuple) and node.elts:
        kinds = {_describe_kind(context, e) for e in node.elts}
        return "class" if kinds == {"class"} else "value"
    if isinstance(
        node, ast.Constant | ast.List | ast.Set | ast.Dict | ast.ListComp | ast.JoinedStr | ast.Call | ast.BinOp
    ):
        return "value"
    thing = context.describe(node) if context.read_plain_chain(node) else None
    if thing is None:
        return ""
    return "class" if thing.is_class else "function" if thing.is_callable else "value"
