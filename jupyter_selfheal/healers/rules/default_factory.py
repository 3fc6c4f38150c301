"""TYP209: a value where `defaultdict` takes what makes one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.model import Applicability, Patch


class DefaultFactory(Rule):
    """Give `defaultdict` what makes the value, not the value.

    **Failure** `TypeError: first argument must be callable or None` at `defaultdict([])`, `defaultdict(0)`.

    **Fix** `defaultdict(list)`, `defaultdict(int)`; another number or text becomes `lambda: 5`.

    **Fix safety** Safe: each new key begins with that value. Silent for what is no literal.
    """

    code = "TYP209"
    name = "value for a default factory"
    enames = frozenset({"TypeError"})
    message = re.compile("first argument must be callable or None")
    applicability = Applicability.SAFE
    why = "Each new key begins with the value that was given."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) != "defaultdict" or not call.args:
                continue
            given = call.args[0]
            made = _name_factory(given)
            if made:
                text = context.text(given)
                yield self.patch(
                    context.replace_here((*context.span(given), made.format(text))),
                    f"Use `{made.format(text)}` in place of `{text}`",
                    "`defaultdict` takes a function that makes the value of a new key.",
                    prior=0.9,
                )
            return


def _name_factory(given: ast.expr) -> str:
    """What makes the value; empty where it is no literal, or one that keys would share."""
    if (
        isinstance(given, ast.Call)
        and not given.args
        and read_last_name(given.func) in ("list", "dict", "set", "int", "str")
    ):
        return read_last_name(given.func)
    is_literal, value = read_literal(given)
    if not is_literal:
        return ""
    if value in ([], {}, 0, "", 0.0) and type(value) is not bool:
        return type(value).__name__
    return "lambda: {}"
