"""CAL123: a list that is given to a function which takes its items as arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"for [-+*/]+=?: '(?:int|float|list)' and '(?:list|tuple|int|float)'|not supported between instances of '(?:list|int|float)' and '(?:int|float|list)'|"
                     r"must be real number, not list|can't multiply sequence|bad operand type for abs\(\): 'list'")  # fmt: skip


class ListForArguments(Rule):
    """Give the items of a list one by one to a function that takes any number of arguments.

    **Failure** `TypeError: unsupported operand type(s) for +: 'int' and 'list'` inside `def mean(*numbers):`, which was called as `mean([1, 2, 3])`.

    **Fix** `mean(*[1, 2, 3])`, at the call.

    **Fix safety** Unsafe: the function may have been meant to take one list, without the star.
    """

    code = "CAL123"
    name = "list in place of arguments"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "The function takes the items as arguments, but the star in its head may be what is too much."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        function = find_function(context.source, context.line)
        star = function.args.vararg.arg if function is not None and function.args.vararg else ""
        if (
            function is None
            or not star
            or not context.is_true(f"len({star}) == 1 and type({star}[0]) in (list, tuple)")
        ):
            return
        caller = context.view_cell(context.failure.cell_id)
        calls = [
            c for c in caller.walk(ast.Call)
            if read_last_name(c.func) == function.name and len(c.args) == len(function.args.args) + 1
            and not isinstance(c.args[-1], ast.Starred)
        ]  # fmt: skip
        if len(calls) != 1 or isinstance(calls[0].func, ast.Attribute):
            return
        start = caller.span(calls[0].args[-1])[0]
        yield self.patch(
            caller.replace(caller.cell_id, [(start, start, "*")]),
            "Give the items one by one with `*`",
            f"`{function.name}` takes any number of arguments, and is given one list.",
            prior=0.7,
        )
