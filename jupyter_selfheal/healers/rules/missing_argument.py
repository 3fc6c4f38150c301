"""CAL122: an argument that is missing, while a variable has its very name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.parts_of_split import find_labels, find_split
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"(?:^|\.)(\w+)\(\) missing \d+ required (positional|keyword-only) arguments?: (.+)$")


class MissingArgument(Rule):
    """Pass the variable that has the name of the missing argument.

    **Failure** `TypeError: net_price() missing 1 required positional argument: 'tax_rate'` at `net_price(price)`, where a variable
    `tax_rate` is there.

    **Fix** `net_price(price, tax_rate)`.

    **Fix safety** Unsafe: the variable may hold something else by now, or another value may be meant; what is expected of the cell
    decides. Silent where not every missing argument has its variable.
    """

    code = "CAL122"
    name = "missing argument with a variable of its name"
    enames = frozenset({"TypeError"})
    message = MISSING
    applicability = Applicability.UNSAFE
    why = "A variable has the name of the parameter, but another value may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MISSING.search(context.failure.evalue)
        if told is None:
            return
        wanted = re.findall(r"'(\w+)'", told[3])
        there = {**context.state.names, **context.state.locals}
        for call in context.list_calls_at_failure():
            if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("__"):
                continue  # CAL104
            if read_last_name(call.func) != told[1] and told[1] != "__init__":
                continue
            if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
                return
            if not wanted or any(n not in there or there[n][0] in ("module", "type", "NoneType") for n in wanted):
                return
            if wanted == ["y"] and find_labels(call, find_split(context)):
                return  # SKL109
            by_name = told[2] != "positional" or bool(call.keywords)
            if {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)} & set(wanted):
                return  # it is passed already, in another place
            end = context.span(call)[1] - 1
            inside = context.source[context.span(call.func)[1] + 1 : end].rstrip()
            before = "" if not inside else " " if inside.endswith(",") else ", "
            text = before + ", ".join(f"{n}={n}" if by_name else n for n in wanted)
            yield self.patch(
                context.replace_here((end, end, text)),
                f"Pass {', '.join(f'`{n}`' for n in wanted)} too",
                f"`{context.text(call.func)}` takes {', '.join(f'`{n}`' for n in wanted)}, which the call does not give.",
                prior=0.7,
            )
            return
