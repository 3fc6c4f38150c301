"""TYP212: empty braces, which are a dictionary, for a set or a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.foreign_method import may_be_set
from jupyter_selfheal.model import Applicability, Patch

MADE = {"add": "set()", "append": "[]", "insert": "[]", "extend": "[]"}
"""What has the method, and is no dictionary."""


class EmptyBraces(Rule):
    """Begin with an empty set or list where `{}` is filled as one.

    **Failure** `AttributeError: 'dict' object has no attribute 'add'`, where the variable or attribute began as `{}`; `append` likewise.

    **Fix** `seen = {}` becomes `seen = set()`, or `[]` for `append`. So does `seen = []`, where `add` is called on it and a set may be meant.

    **Fix safety** Safe where it begins so in one place of the same cell, and nothing there uses it as a dictionary: no key, `items`, `get`. Unsafe for a list.
    """

    code = "TYP212"
    name = "empty braces for a set"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "It is empty, and all that is done with it is what a set or a list can do."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        live = context.state
        made = MADE.get(live.attribute)
        kind = live.owner.type if live.owner is not None and live.owner.length == 0 else ""
        if made is None or (kind != "dict" and (kind, live.attribute) != ("list", "add")):
            return
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == live.attribute), None)
        name = context.read_plain_chain(node.value) if node is not None else None
        if not name or not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name | ast.Attribute):
            return
        function = find_function(context.source, context.line) if isinstance(node.value, ast.Name) else None
        scopes = [function] if function is not None else []
        for scope in (*scopes, context.tree):
            starts = [
                n.value for n in ast.walk(scope)
                if isinstance(n, ast.Assign) and len(n.targets) == 1 and context.text(n.targets[0]) == name
            ]  # fmt: skip
            if starts:
                break
        else:
            return
        empty = "{}" if kind == "dict" else "[]"
        if (
            len(starts) != 1
            or context.text(starts[0]) != empty
            or _is_used_as(dict if kind == "dict" else list, context, name)
        ):
            return
        if kind == "list" and not may_be_set(context, node.value):
            return
        yield self.patch(
            context.replace_here((*context.span(starts[0]), made)),
            f"Begin `{name}` as `{made}`",
            f"`{name}` began as `{empty}`, which is an empty {'dictionary' if kind == 'dict' else kind}.",
            applicability=Applicability.SAFE if kind == "dict" else Applicability.UNSAFE,
            why=self.why if kind == "dict" else "A list may be meant, to which each item is added.",
            prior=0.92 if kind == "dict" else 0.7,
        )


def _is_used_as(kind: type, context: RuleContext, name: str) -> bool:
    """True where something is done with it that only a dictionary, or a list, can do."""
    parents = src.read(context.source).parents
    for node in context.walk(ast.Name, ast.Attribute):
        parent = parents.get(node)
        if context.text(node) != name:
            continue
        if (
            isinstance(parent, ast.Subscript)
            and parent.value is node
            and (kind is list or isinstance(parent.ctx, ast.Store | ast.Del))
        ):
            return True
        if isinstance(parent, ast.Attribute) and hasattr(kind, parent.attr) and not hasattr(set, parent.attr):
            return kind is list or parent.attr != "pop"
    return False
