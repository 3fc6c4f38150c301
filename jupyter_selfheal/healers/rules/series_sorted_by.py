"""PDA204: a series that is sorted by a column."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch


class SeriesSortedBy(Rule):
    """Sort a series by its values, as there is nothing else.

    **Failure** `TypeError: Series.sort_values() takes 1 positional argument but 2 positional arguments were given`, or `got an unexpected keyword argument 'by'`, at
    `sales.groupby("region")["amount"].sum().sort_values("amount")`.

    **Fix** `.sort_values()`; the other arguments stay.

    **Fix safety** Safe: the text is the series' own name. Silent for another one, of a column of the table, say, and where its index is called so, too.
    """

    code = "PDA204"
    name = "series sorted by a column"
    enames = frozenset({"TypeError"})
    stage = Stage.LIBRARY
    message = re.compile(
        r"Series\.sort_values\(\) (?:takes 1 positional argument but 2|got an unexpected keyword argument 'by')"
    )
    applicability = Applicability.SAFE
    why = "It is the series' own name, and a series has only its values to be sorted by."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "sort_values":
                continue
            named = find_keyword(call, "by")
            given = call.args[0] if call.args else named.value if named is not None else None
            items = given.elts if isinstance(given, ast.List) else [given]
            if len(items) != 1 or not isinstance(items[0], ast.Constant) or not isinstance(items[0].value, str):
                continue
            argument = named or given
            series, text = context.operand(call.func.value), items[0].value
            own = f"{series}.name == {text!r} and {text!r} not in {series}.index.names"
            if argument is None or not context.is_true(own):
                return
            yield self.patch(
                context.replace_here(build_argument_splice(context, call, argument, "")),
                f"Sort the series without {items[0].value!r}",
                "A series has no columns: it is sorted by its values.",
                prior=0.95,
            )
            return
