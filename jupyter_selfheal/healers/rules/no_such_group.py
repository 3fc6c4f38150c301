"""IDX103: a group of a match that its pattern does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

READERS = frozenset({"group", "start", "end", "span"})


class NoSuchGroup(Rule):
    """Ask a match for the groups that its pattern has.

    **Failure** `IndexError: no such group` at `m.group(3)`, where the pattern has two groups.

    **Fix** Where the cell asks for as many groups as there are, one number too high, all become one less. Else the group that is not asked
    for yet, where there is one only; `m.group(0)`, the whole match, where the pattern has no group.

    **Fix safety** Unsafe: brackets may be missing in the pattern.
    """

    code = "IDX103"
    name = "no such group"
    enames = frozenset({"IndexError"})
    message = re.compile("no such group")
    applicability = Applicability.UNSAFE
    why = "Groups are counted from 1; but brackets may be missing in the pattern."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for failing in context.list_calls_at_failure():
            number = _read_group(failing)
            if number is None or not isinstance(failing.func, ast.Attribute):
                continue
            owner = context.read_plain_chain(failing.func.value)
            count = context.number(f"{owner}.re.groups") if owner else None
            if count is None or number <= count:
                continue
            others = [
                c
                for c in context.walk(ast.Call)
                if _read_group(c) is not None
                and isinstance(c.func, ast.Attribute)
                and context.text(c.func.value) == owner
            ]
            asked = {n for c in others if (n := _read_group(c)) is not None}
            free = sorted(set(range(1, int(count) + 1)) - asked)
            if not count and asked == {number}:
                change = [(c, 0) for c in others]
            elif 0 not in asked and asked == set(range(2, int(count) + 2)):
                change = [(c, n - 1) for c in others if (n := _read_group(c))]
            elif len(free) == 1:
                change = [(failing, free[0])]
            else:
                return
            yield self.patch(
                context.replace_here(*((*context.span(c.args[0]), str(n)) for c, n in change)),
                f"Ask for group {', '.join(str(n) for n in sorted({n for _, n in change}))}",
                f"The pattern has {int(count)} group{'s' * (count != 1)}, and the first one is 1.",
                prior=0.6,
            )
            return


def _read_group(call: ast.Call) -> int | None:
    """The number of the one group that a call asks a match for."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in READERS or len(call.args) != 1:
        return None
    value = call.args[0]
    return value.value if isinstance(value, ast.Constant) and type(value.value) is int else None
