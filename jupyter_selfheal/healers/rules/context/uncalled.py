"""Methods that were stored where their results were meant."""

from __future__ import annotations

import ast

from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.objects import Signature
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

FILLING = frozenset({"fillna", "replace", "where", "mask", "clip"})
"""Methods of a column that put what they are given into it, whatever it is."""


REDUCED = frozenset({"mean", "median", "min", "max", "mode"})


def find_filling(context: RuleContext) -> tuple[RuleContext, ast.Attribute] | None:
    """``age.mean`` of the nearest ``age.fillna(age.mean)`` above: the column holds the method itself where a value was missing."""
    for view in context.look_upwards():
        for filled in view.walk(ast.Assign):
            calls = [c for c in ast.walk(filled.value) if isinstance(c, ast.Call) and read_last_name(c.func) in FILLING]
            given = [a for c in calls for a in (*c.args, *(k.value for k in c.keywords))]
            for node in (a for a in given if isinstance(a, ast.Attribute) and a.attr in REDUCED):
                if context.is_true(f"({view.text(filled.targets[0])}).map(callable).any()"):
                    return view, node
    return None


def are_methods(context: RuleContext, items: str) -> bool:
    """True for a list of nothing but methods that can be called without arguments."""
    kinds = (
        f"all(type(item).__name__ in ('method', 'method-wrapper', 'builtin_function_or_method') for item in {items})"
    )
    if not context.is_true(f"isinstance({items}, list) and len({items}) > 0 and {kinds}"):
        return False
    signature = context.signature(f"{items}[0]")
    return takes_nothing(signature)


def list_put(tree: ast.AST, items: str) -> list[ast.expr]:
    """What a piece of code puts into a list: by ``append``, by a comprehension."""
    put: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "append" | "insert" | "extend"), args) if name == items:
                put.append(args[-1] if args else node)
            case ast.Assign([ast.Name(name)], ast.ListComp(elt)) if name == items:
                put.append(elt)
            case ast.Assign([ast.Name(name)], ast.List(elts)) if name == items:
                put += elts
    return put


def takes_nothing(signature: Signature | None) -> bool:
    """Whether a function can be called without arguments, as far as it says."""
    return signature is None or all(p.has_default or "VAR" in p.kind for p in signature.parameters)
