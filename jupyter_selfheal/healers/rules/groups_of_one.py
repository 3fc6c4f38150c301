"""PDA149: the name of a group, which is a tuple of one since pandas 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"\btuple\b|^\(.+,\)$")
"""What is said of a tuple of one, where the loop is a comprehension: its names are gone with it."""


class GroupsOfOne(Rule):
    """Take the name of a group out of the tuple that it is in.

    **Failure** `AttributeError: 'tuple' object has no attribute 'upper'`, `KeyError: ('Ulm',)` or `can only concatenate tuple` in
    `for name, group in df.groupby(["city"])`: since pandas 2.0 the names of groups by a list of one key are tuples of one.

    **Fix** `for (name,), group in df.groupby(["city"])`.

    **Fix safety** Safe: until pandas 2.0 the name was what is in the tuple. Silent where the groups are not by a list of one, where the
    name is none of what the failing line reads, and where something takes a part of it (`name[0]`).
    """

    code = "PDA149"
    name = "name of a group by a list of one"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "KeyError", "TypeError", "ValueError", "IndexError"})
    applicability = Applicability.SAFE
    why = "Until pandas 2.0 the name was the key itself (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        read = {n.id for n in context.list_nodes_on_line(ast.Name)} - {
            n.value.id for n in context.walk(ast.Subscript) if isinstance(n.value, ast.Name)
        }
        loops: list[ast.For | ast.comprehension] = [*context.walk(ast.For), *context.walk(ast.comprehension)]
        for loop in loops:
            pair = loop.target
            if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2 or not isinstance(pair.elts[0], ast.Name):
                continue
            name = pair.elts[0].id
            if name not in read or not _is_by_list_of_one(context, loop.iter):
                continue
            if isinstance(loop, ast.comprehension):
                is_tuple = bool(MESSAGE.search(context.failure.evalue))
            else:
                is_tuple = context.is_true(f"type({name}) is tuple and len({name}) == 1")
            if not is_tuple:
                continue
            if (context.number(RELEASE) or 0) < 2:
                return
            change: Splice = (*context.span(pair.elts[0]), f"({name},)")
            yield self.patch(
                context.replace_here(change),
                f"Take `{name}` out of its tuple",
                f"`{name}` is a tuple of one: since pandas 2.0 groups by a list have tuples for names.",
                prior=0.93,
            )
            return


def _is_by_list_of_one(context: RuleContext, groups: ast.expr) -> bool:
    """True for ``df.groupby([key])``, and for a name that was given it."""
    if isinstance(groups, ast.Subscript):
        groups = groups.value
    if isinstance(groups, ast.Name):
        made = context.find_last_assignment(groups.id)
        groups = made.node.value if made is not None else groups
    if not (isinstance(groups, ast.Call) and isinstance(groups.func, ast.Attribute) and groups.func.attr == "groupby"):
        return False
    by = next((k.value for k in groups.keywords if k.arg == "by"), groups.args[0] if groups.args else None)
    if isinstance(by, ast.Name):
        made = context.find_last_assignment(by.id)
        by = made.node.value if made is not None else by
    return isinstance(by, ast.List) and len(by.elts) == 1 and not isinstance(by.elts[0], ast.Starred)
