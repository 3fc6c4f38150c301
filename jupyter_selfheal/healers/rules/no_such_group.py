"""IDX103: a group of a match that its pattern does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.model import Applicability, Patch

READERS = frozenset({"group", "start", "end", "span"})


class NoSuchGroup(Rule):
    """Ask a match for the groups that its pattern has.

    **Failure** `IndexError: no such group` at `m.group(3)`, where the pattern has two groups.

    **Fix** Where the cell asks for as many groups as there are, one number too high, all become one less. Else the group that is not asked
    for yet, where there is one only; `m.group(0)`, the whole match, where the pattern has no group. Of groups with names, the one that is near.

    **Fix safety** Unsafe: brackets may be missing in the pattern.
    """

    code = "IDX103"
    name = "no such group"
    enames = frozenset({"IndexError"})
    message = re.compile("no such group")
    applicability = Applicability.UNSAFE
    why = "Groups are counted from 1; but brackets may be missing in the pattern."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        yield from self._name_group(context)
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

    def _name_group(self, context: RuleContext) -> Iterator[Patch]:
        """``m.group("username")`` of a pattern with a group ``user``: the one of its groups that is near, or that is not asked for yet."""
        for failing in context.list_calls_at_failure():
            owner = context.read_plain_chain(failing.func.value) if isinstance(failing.func, ast.Attribute) else None
            keys = context.keys(f"{owner}.re.groupindex") if owner else None
            if keys is None or not keys.keys:
                continue
            calls = [
                c
                for c in context.walk(ast.Call)
                if isinstance(c.func, ast.Attribute) and context.text(c.func.value) == owner
            ]
            asked = [a for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in READERS for a in c.args]
            wrong = {a.value: a for a in asked if isinstance(a, ast.Constant) and a.value not in keys.keys}
            free = [k for k in map(str, keys.keys) if k not in {getattr(a, "value", "") for a in asked}]
            chosen: dict[str, str] = {}
            names = [n for n in wrong if isinstance(n, str)]
            for name in sorted(names, key=lambda n: not _list_near(n, free)):
                near = _list_near(name, free)
                near = near or (free if len(free) == 1 < len(keys.keys) and len(wrong) - len(chosen) == 1 else [])
                if len(near) == 1:
                    chosen[name] = near[0]
                    free.remove(near[0])
            if len(chosen) < len(wrong):
                return
            changes = [
                (*context.span(a), quote_alike(chosen[str(a.value)], context.source))
                for a in asked
                if isinstance(a, ast.Constant) and a.value in chosen
            ]
            yield self.patch(
                context.replace_here(*changes),
                f"Ask for {', '.join(f'`{k}`' for k in chosen.values())}",
                f"The pattern's groups are called {', '.join(f'`{k}`' for k in keys.keys)}.",
                why="Another group may be meant, or the pattern is to name it.",
                prior=0.8,
            )
            return


def _list_near(name: str, groups: list[str]) -> list[str]:
    """The groups whose name is a part of the other, or misspelt."""
    return [g for g in groups if g in name or name in g] or get_close_matches(name, groups, 1, 0.7)


def _read_group(call: ast.Call) -> int | None:
    """The number of the one group that a call asks a match for."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in READERS or len(call.args) != 1:
        return None
    value = call.args[0]
    return value.value if isinstance(value, ast.Constant) and type(value.value) is int else None
