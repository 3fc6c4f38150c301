"""ATT130: a function of Python's own, called as a method of the object."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.missing_self import list_members
from jupyter_selfheal.model import Applicability, Patch

FUNCTIONS = frozenset({"abs", "all", "any", "enumerate", "len", "max", "min", "range", "reversed", "round", "sorted", "sum", "zip"})  # fmt: skip
"""What only reckons with what it is given (https://docs.python.org/3/library/functions.html)."""


DYNAMIC = frozenset({"__getattr__", "__getattribute__"})
"""With them a class may give what its text does not tell."""


class BuiltinAsMethod(Rule):
    """Call the function that Python has itself.

    **Failure** `AttributeError: 'Basket' object has no attribute 'min'` at `self.min(self.prices)`, in a method of a class of the notebook.

    **Fix** `min(self.prices)`, in every such call of the class.

    **Fix safety** Safe: the class, and those it derives from, are in the cell, and none of them has a member of that name, or a method whose name is a similar one. Silent
    otherwise, and where a call is given nothing (`self.sum()`): a method is missing then.
    """

    code = "ATT130"
    name = "function called as a method"
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'\w+' object has no attribute '(?:{})'".format("|".join(sorted(FUNCTIONS))))
    applicability = Applicability.SAFE
    why = "No class here has such a method, and Python has a function of that name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.state.attribute
        failing = next((n for n in context.list_failing_nodes(ast.Attribute) if _is_own(n, name)), None)
        owner = next((c for c in context.walk(ast.ClassDef) if any(n is failing for n in ast.walk(c))), None)
        if failing is None or owner is None or name not in FUNCTIONS or context.is_bound_anywhere(name):
            return
        line = _list_line(context, owner)
        members = {m for c in line for m in list_members(c)}
        methods = {m.name for c in line for m in c.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)}
        if (
            not line
            or name in members
            or not DYNAMIC.isdisjoint(methods)
            or find_nearest(name, methods)
            or any(name in m.casefold() for m in methods)
        ):
            return
        uses = [n for n in ast.walk(owner) if _is_own(n, name)]
        calls = [call for use in uses if (call := context.call_of(use)) is not None and call.args]
        if len(calls) != len(uses):
            return
        yield self.patch(
            context.replace_here(*((*context.span(call.func), name) for call in calls)),
            f"Call Python's own `{name}(…)`",
            f"`{owner.name}` has no method `{name}`: it is a function of Python's own.",
            prior=0.93,
        )


def _is_own(node: ast.AST, name: str) -> TypeGuard[ast.Attribute]:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) == ("self", name)
    )


def _list_line(context: RuleContext, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """The class and those that it derives from; empty where one of them is not of this cell."""
    known = {c.name: c for c in context.walk(ast.ClassDef)}
    line = [owner]
    for one in line:
        for base in one.bases:
            if isinstance(base, ast.Name) and base.id == "object":
                continue
            if not isinstance(base, ast.Name) or base.id not in known:
                return []
            if known[base.id] not in line:
                line.append(known[base.id])
    return [] if any(c.keywords or c.decorator_list for c in line) else line
