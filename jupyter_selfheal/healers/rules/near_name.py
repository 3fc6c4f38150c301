"""TYP251: a name whose value cannot do what is asked of it, beside a name like it whose value can."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.failure_view import list_iterables
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plural
from jupyter_selfheal.model import Applicability, Patch

ASKED = (
    (re.compile(r"^object of type '\w+' has no len\(\)"), "__len__"),
    (re.compile(r"^'[\w.]+' object is not iterable"), "__iter__"),
    (re.compile(r"^'[\w.]+' object is not subscriptable"), "__getitem__"),
    (re.compile(r"^'[\w.]+' object has no attribute '\w+'"), ""),
)
"""How Python says that a value cannot be counted, gone through, taken apart or asked for an attribute, and what a value has that can."""


class NearName(Rule):
    """Use the name like it whose value can do what is asked.

    **Failure** `TypeError: object of type 'int' has no len()` at `total / len(score)`, `'float' object is not iterable` at `sum(price)`, `'int'
    object is not subscriptable` at `row[0]`, `AttributeError: 'str' object has no attribute 'append'` at `name.append("Ann")`.

    **Fix** `scores`, `prices`, `rows`, `names`, where one name that differs by its plural or by a slip of the keys holds what can be counted,
    gone through, taken apart, or has the attribute.

    **Fix safety** Unsafe: the value itself may be what is wrong. Silent where no such name is there, where several are, where it is what a loop
    over the other takes, and on objects of libraries. Other rules' fixes are not safe where it speaks.
    """

    code = "TYP251"
    name = "near name"
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.UNSAFE
    doubts_others = True
    why = "The value of the name itself may be what is wrong."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wanted = next((w for said, w in ASKED if said.search(context.failure.evalue)), None)
        if wanted is None:
            return
        for name, attribute in _list_asked(context, wanted):
            known = context.describe(name.id)
            if known is None or known.module != "builtins" or known.is_none:
                continue  # what a library's object lacks may be what a release took away
            near = _list_near(context, name.id)
            fitting = [
                (n, thing.type)
                for n, thing in zip(near, context.describe_all(near), strict=True)
                if attribute in thing.attributes and not thing.is_class and not thing.is_module
            ]
            if len(fitting) != 1:
                continue
            other, kind = fitting[0]
            yield self.patch(
                context.replace_here((*context.span(name), other)),
                f"Use `{other}`",
                f"`{name.id}` holds a `{known.type}`; `{other}`, which may be meant, a `{kind}`.",
                prior=0.9,
            )
            return


def _list_asked(context: RuleContext, wanted: str) -> Iterator[tuple[ast.Name, str]]:
    """The names that may be what the failing instruction asked, each with the attribute that it must have."""
    for node in context.list_failing_nodes(
        ast.Call, ast.Subscript, ast.Attribute, ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
    ):
        if isinstance(node, ast.Attribute):
            asked, attribute = [node.value], "" if wanted else node.attr
        elif isinstance(node, ast.Subscript):
            asked, attribute = [node.value], "__getitem__"
        elif isinstance(node, ast.Call):
            asked, attribute = node.args[:1], "__len__" if read_last_name(node.func) == "len" else "__iter__"
        else:
            asked, attribute = list_iterables(node), "__iter__"
        if attribute and attribute == (wanted or attribute) and (wanted or isinstance(node, ast.Attribute)):
            yield from ((n, attribute) for n in asked if isinstance(n, ast.Name))


def _list_near(context: RuleContext, name: str) -> list[str]:
    """Names at the failure that differ from one by a plural or by a slip of the keys."""
    there = [n for n in {**context.state.names, **context.state.locals} if n != name and not n.startswith("_")]
    near = list(dict.fromkeys([*(n for n in there if is_plural(name, n)), *find_nearest(name, there)]))
    items = _list_items(context, name) if near else set()
    return [n for n in near if n not in items]


def _list_items(context: RuleContext, name: str) -> set[str]:
    """The variables of loops over what a name holds: each was one item of it, and is left from the last round."""
    loops = (n for n in context.walk_notebook() if isinstance(n, ast.For | ast.comprehension))
    through = (n for n in loops if any(isinstance(i, ast.Name) and i.id == name for i in ast.walk(n.iter)))
    return {t.id for n in through for t in ast.walk(n.target) if isinstance(t, ast.Name)}
